import { generateDocument } from '../../generator/generate.ts';
import { METHODS, operationId, templateOf } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { aloneOrAll, type MockRequest, splitTarget } from '../http/mock-request.ts';
import { createRouter } from '../operations/router.ts';
import { type ContractViolation, createInspect, type InspectedRequest } from '../prism/inspection.ts';
import { type Content, isMediaType, mediaTypeOf, readContent } from './content.ts';
import type { Passed } from './forward.ts';
import { createSentBodyReader, type SentBody } from './sent-body.ts';

export type ExchangeCheckOptions = Contract & {
  /** The longest body that is decoded, in bytes. */
  readonly bodyLimit: number;
};

/** An exchange with all that is wrong with it. */
type Checked = {
  readonly passed: Passed;
  /** Absent for what is not in the document. */
  readonly operation?: string;
  readonly violations: readonly ContractViolation[];
};

/** Passes a request with `pass`, whatever is wrong with it; the answer has to be held when it is in the document. */
export type CheckExchange = (
  request: MockRequest,
  pass: (held: boolean) => Promise<Passed>,
) => Promise<Checked>;

type Found = { readonly model: Model; readonly operation: Operation };
type Prepared = SentBody & {
  readonly headers: InspectedRequest['headers'];
  /** Prism is not asked about the body, which it would not read as it is meant. */
  readonly settled: boolean;
};

const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' } as const;

/** Checks both directions with Prism, and what Prism leaves out or gets wrong without it. */
export async function createExchangeCheck(options: ExchangeCheckOptions): Promise<CheckExchange> {
  const { catalogue, profile, bodyLimit } = options;
  const inspect = await createInspect(generateDocument(options));
  const route = createRouter(catalogue);
  const readSentBody = createSentBodyReader(catalogue, profile);
  const expected = MEDIA_TYPES[profile['request.encoding']];

  return async (request, pass) => {
    const { body, headers, method, target } = request;
    const [path, search] = splitTarget(target);
    const found = route(method, path);
    if (found.kind !== 'operation') {
      const plain = { path, query: {}, headers: {}, body: undefined };
      const { answer: passed, violations } = await inspect(plain, () => pass(false));
      return { passed, violations: passed.failure === undefined ? violations : [] };
    }
    const bytes = body === 'too-large' ? undefined : body;
    const content = await readContent(bytes, headers, bodyLimit);
    const prepared = prepare(content, bytes?.byteLength ?? 0, headers, found);
    const { answer: passed, violations } = await inspect(
      {
        operation: {
          method: METHODS[found.operation],
          template: templateOf(catalogue.base, found.model, found.operation),
        },
        ...{ path, query: readQuery(search), headers: prepared.headers, body: prepared.body },
      },
      () => pass(true),
    );
    const { failure } = passed;
    const sent = violations.filter(isOf('request', prepared.settled));
    // An answer to HEAD has no body (RFC 9110, 9.3.2).
    const answered = violations.filter(
      isOf('response', method === 'HEAD' || passed.content.kind !== 'value'),
    );
    return {
      passed,
      operation: operationId(found.operation, found.model.name),
      violations: [
        ...[...sent, ...prepared.violations, ...describeContent('request', content)],
        // What the proxy says in the place of the service is no fault of the service.
        ...(failure === undefined ? [...answered, ...describeContent('response', passed.content)] : []),
      ],
    };
  };

  function prepare(
    content: Content,
    length: number,
    headers: MockRequest['headers'],
    { model, operation }: Found,
  ): Prepared {
    const { 'content-type': given, 'content-length': _, ...others } = headers;
    // Prism throws at a type that it can't read, and lets a body pass that has none.
    const type = given !== undefined && isMediaType(given) ? given : 'application/octet-stream';
    // Without a length it would not look at the type.
    const described =
      length === 0 ? others : { ...others, 'content-type': type, 'content-length': String(length) };
    if (content.kind !== 'value')
      return { body: undefined, violations: [], headers: described, settled: true };
    const takesBody = operation === 'create' || operation === 'update';
    // A form without fields has no bytes, and then a type says nothing.
    const isEmptyForm = length === 0 && profile['request.encoding'] === 'form';
    if (!takesBody || !(isEmptyForm || (length > 0 && mediaTypeOf(type) === expected)))
      return { body: content.value, violations: [], headers: described, settled: false };
    const sent = readSentBody(model, content.value);
    // A form is read already: the type of a form would make Prism read it once more, and get lists wrong.
    const read = profile['request.encoding'] === 'form' ? others : described;
    return { ...sent, headers: read, settled: sent.body === undefined };
  }
}

function readQuery(search: string): Record<string, string | string[]> {
  const query = new URLSearchParams(search);
  const names = [...new Set(query.keys())];
  return Object.fromEntries(names.map((name) => [name, aloneOrAll(query.getAll(name))]));
}

/** Whether a violation is of a side of the exchange, and not of a body that is settled. */
function isOf(side: 'request' | 'response', settled: boolean): (violation: ContractViolation) => boolean {
  return ({ code, location: [where, part] }) => {
    if (where !== side) return false;
    // A body that is missing stands at no part.
    return !settled || !(part === 'body' || (part === undefined && code === 'required'));
  };
}

function describeContent(side: 'request' | 'response', content: Content): ContractViolation[] {
  if (content.kind === 'value') return [];
  const body = `${side === 'request' ? 'Request' : 'Response'} body`;
  const location = [side, 'body'];
  if (content.kind === 'malformed')
    return [{ location, severity: 'Error', message: `${body} ${content.detail}` }];
  return [{ location, severity: 'Warning', message: `${body} was not checked: ${content.detail}` }];
}
