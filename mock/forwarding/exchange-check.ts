import { deferDocument } from '../../generator/generate.ts';
import { withNamedStatuses } from '../../generator/named-statuses.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { parseForm } from '../../spec/wire/form.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type MockRequest, mediaTypeOf, splitTarget } from '../http/http.ts';
import { isFields, MEDIA_TYPES, readTextValue } from '../operations/body.ts';
import { createRouter, type Endpoint } from '../operations/router.ts';
import { type ContractViolation, createInspect, type InspectedRequest } from '../prism/prism.ts';
import {
  type Content,
  type Forwarded,
  isMediaType,
  readContent,
  readValue,
  type SentRequest,
} from './upstream.ts';

/** Forwards a request once, even an invalid one. Reads the response if the document has the operation. */
export type CheckExchange = (
  request: SentRequest,
  forward: (held: boolean) => Promise<Forwarded>,
) => Promise<{
  readonly forwarded: Forwarded;
  readonly violations: readonly ContractViolation[];
}>;

/** Checks both directions with Prism, and what Prism leaves out or gets wrong without it. */
export function createExchangeCheck(
  contract: Contract,
  /** The longest body that is decoded, in bytes. */
  bodyLimit: number,
): CheckExchange {
  const { catalogue, profile } = contract;
  // A status that the profile does not name is reported as such.
  const document = deferDocument(contract);
  const inspect = createInspect(() => withNamedStatuses(document()));
  const route = createRouter(catalogue);
  const readSentBody = createSentBodyReader(catalogue, profile);
  const expected = MEDIA_TYPES[profile['request.encoding']];

  return async (request, forward) => {
    const { body: bytes, headers, method, target } = request;
    const [path, search] = splitTarget(target);
    const found = route(method, path);
    if (found.kind !== 'operation') {
      const outside = { path, query: {}, headers: {}, body: undefined };
      const { forwarded, violations } = await exchange(outside, () => forward(false));
      return { forwarded, violations: forwarded.failure === undefined ? violations : [] };
    }
    const { endpoint } = found;
    const sent = await readContent(bytes, headers, bodyLimit);
    const prepared = prepare(sent, bytes?.byteLength ?? 0, headers, endpoint);
    const inspected = { endpoint, path, query: readQuery(search), ...prepared.read };
    const { forwarded, violations } = await exchange(inspected, () => forward(true));
    const answered = forwarded.content;
    // An answer to HEAD has no body (RFC 9110, 9.3.2).
    const hasNoValue = method === 'HEAD' || answered.kind !== 'value';
    const ofResponse = [
      ...violations.filter(isOf('response', hasNoValue)),
      ...describeContent('response', answered),
    ];
    return {
      forwarded,
      violations: [
        ...violations.filter(isOf('request', prepared.settled)),
        ...prepared.violations,
        ...describeContent('request', sent),
        // An error of the mock is not a violation by the service.
        ...(forwarded.failure === undefined ? ofResponse : []),
      ],
    };
  };

  /** Forwards by way of Prism, and without it where Prism stops before that. */
  async function exchange(request: InspectedRequest, forward: () => Promise<Forwarded>) {
    let forwarding: Promise<Forwarded> | undefined;
    const violations = await inspect(request, async () => {
      forwarding = forward();
      const { content, headers, reply } = await forwarding;
      return { statusCode: reply.status, headers: { ...headers }, body: readValue(content) };
    });
    return { forwarded: await (forwarding ?? forward()), violations };
  }

  function prepare(
    content: Content,
    length: number,
    headers: MockRequest['headers'],
    { model, operation }: Endpoint,
  ): {
    readonly read: Pick<InspectedRequest, 'body' | 'headers'>;
    readonly violations: readonly ContractViolation[];
    /** Prism is not asked about the body, which it would not read as it is meant. */
    readonly settled: boolean;
  } {
    const { 'content-type': given, 'content-length': _, ...others } = headers;
    // Prism throws at a type that it can't read, and lets a body pass that has none.
    const type = given !== undefined && isMediaType(given) ? given : 'application/octet-stream';
    // Without a length it would not look at the type.
    const described =
      length === 0 ? others : { ...others, 'content-type': type, 'content-length': String(length) };
    if (content.kind !== 'value')
      return { read: { body: undefined, headers: described }, violations: [], settled: true };
    const takesBody = operation === 'create' || operation === 'update';
    // A form without fields has no bytes, and then a type says nothing.
    const isEmptyForm = length === 0 && profile['request.encoding'] === 'form';
    if (!takesBody || !(isEmptyForm || (length > 0 && mediaTypeOf(type) === expected)))
      return { read: { body: content.value, headers: described }, violations: [], settled: false };
    const { body, violations } = readSentBody(model, operation, content.value);
    // A form is read already: the type of a form would make Prism read it once more, and get lists wrong.
    const kept = profile['request.encoding'] === 'form' ? others : described;
    return { read: { body, headers: kept }, violations, settled: body === undefined };
  }
}

function readQuery(search: string): Record<string, string | string[]> {
  const query = new URLSearchParams(search);
  return Object.fromEntries(
    [...query].map(([name, value]) => {
      const values = query.getAll(name);
      return [name, values.length > 1 ? values : value];
    }),
  );
}

/** Whether a violation is of a side of the exchange, and not of a body that is settled. */
function isOf(side: 'request' | 'response', settled: boolean): (violation: ContractViolation) => boolean {
  return ({ code, location: [where, part] }) => {
    if (where !== side) return false;
    // A missing body has no part.
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

/** Prepares a body for Prism, which ignores readonly fields, unknown fields, and forms with lines. */
function createSentBodyReader(catalogue: Catalogue, profile: Profile) {
  const isForm = profile['request.encoding'] === 'form';
  const refused = profile['request.readonlyFields'] === 'reject';
  const leavesUnknown = profile['request.unknownFields'] === 'ignore';
  return (
    model: Model,
    operation: 'create' | 'update',
    value: unknown,
  ): { readonly body: unknown; readonly violations: readonly ContractViolation[] } => {
    const violations: ContractViolation[] = [];
    try {
      const sent = (isForm ? parseForm(String(value ?? '')) : value) as Value;
      return { body: isFields(sent) ? prepare(model, sent, []) : sent, violations };
    } catch (error) {
      const message = `Request body is not a valid form: ${(error as Error).message}`;
      return { body: undefined, violations: [{ location: ['request', 'body'], severity: 'Error', message }] };
    }

    function prepare({ fields }: Model, values: RecordValues, place: readonly string[]): RecordValues {
      // In an update, the readonly ID of a line names the line.
      const namesLine =
        operation === 'update' && place.length > 0 && profile['request.readonlyFields'] === 'ignore';
      const kept: (readonly [string, Value])[] = [];
      for (const [name, member] of Object.entries(values)) {
        const field = fields.find((one) => one.name === name);
        const at = [...place, name];
        if (field?.readonly && !(namesLine && name === 'id'))
          violations.push(
            ofField(
              at,
              'readOnly',
              refused ? 'Error' : 'Warning',
              `readonly, so the service ${refused ? 'rejects' : 'ignores'} it`,
            ),
          );
        else if (field) kept.push([name, prepareValue(field, member, at)]);
        else if (leavesUnknown) kept.push([name, member]);
        else violations.push(ofField(at, 'additionalProperties', 'Error', 'not a field of the model'));
      }
      // Not assigned one by one, because a field can have the name __proto__.
      return Object.fromEntries(kept);
    }

    function prepareValue(field: Field, member: Value, place: readonly string[]): Value {
      const line = catalogue.models.get(field.lines ?? '');
      if (line && Array.isArray(member) && profileAt(profile, field.key)['types.lines'] === 'objects')
        return member.map((item: Value, at) =>
          isFields(item) ? prepare(line, item, [...place, String(at)]) : item,
        );
      return isForm ? readTextValue(field, profile, member) : member;
    }
  };
}

function ofField(
  place: readonly string[],
  code: string,
  severity: ContractViolation['severity'],
  what: string,
): ContractViolation {
  const message = `Request body property ${place.join('.')} is ${what}`;
  return { location: ['request', 'body', ...place], severity, code, message };
}
