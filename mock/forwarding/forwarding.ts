import { Readable } from 'node:stream';
import { withNamedStatuses } from '../../generator/rewrite.ts';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import {
  checkOptions,
  isBoolean,
  isListOf,
  isObject,
  isString,
  type OptionForm,
} from '../../spec/files/check-options.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { redactUrl } from '../../spec/redaction.ts';
import { MOST_VIOLATIONS } from '../engine/violation.ts';
import { type MockRequest, type ServedReply, splitTarget, type WhenDone } from '../http/http.ts';
import type { ContractService } from '../operations/contract-service.ts';
import { asReply, problem, type Reply } from '../operations/reply.ts';
import { refuseRoute } from '../operations/router.ts';
import { createInspect } from '../prism/prism.ts';
import type { ReadableRecords, SessionRecords } from '../store/store.ts';
import { createUpstream, type Forwarded, SAFE, type SentRequest, type UpstreamOptions } from './upstream.ts';

/** A service that answers some models in place of the mock. */
export type ForwardOptions = UpstreamOptions & {
  /** The URL of the service, such as `https://api.example.com`. */
  readonly url: string;
  /** The models that the service answers. By default it answers all. */
  readonly models?: readonly string[] | undefined;
  /** Whether writes are forwarded, too. By default the mock rejects a write to a forwarded model with 403. */
  readonly write?: boolean | undefined;
};

/** The service that answers forwarded models, and which models these are. */
export type ForwardState = {
  /** The URL of the service without secrets. */
  readonly url: string;
  /** Whether requests are forwarded now. Otherwise the mock answers all models. */
  readonly enabled: boolean;
  readonly models: readonly string[];
  readonly write: boolean;
};

/** A change while the mock runs. The URL and the right to write are set at the start only. */
export type ForwardChange = Partial<Pick<ForwardState, 'enabled' | 'models'>>;

export type Forwarding = ReturnType<typeof createForwarding>;

/** Headers that some services obey in place of the method. */
const OVERRIDES = ['x-http-method', 'x-http-method-override', 'x-method-override'];
/** A timer of Node can't be longer. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

const FORMS: Readonly<Record<keyof ForwardOptions, OptionForm>> = {
  url: ['the URL of a service', isString],
  models: ['a list of models', isListOf(isString)],
  write: ['true or false', isBoolean],
  timeout: [
    'a number of milliseconds above 0',
    (value) => typeof value === 'number' && value > 0 && value <= LONGEST_TIMEOUT,
  ],
  insecure: ['true or false', isBoolean],
  proxyEnv: ['an object', isObject],
};

/**
 * Forwards the requests of some models to a service, and checks each exchange with Prism. Prism does not forward, because
 * it follows redirects, mocks a 501, and rewrites bodies. Throws UsageError for invalid options.
 */
export function createForwarding(
  options: ForwardOptions,
  contract: Contract,
  service: Pick<ContractService, 'checkSent' | 'document' | 'route'>,
) {
  checkOptions(options, FORMS);
  const { catalogue } = contract;
  const upstream = createUpstream(options.url, options);
  const url = redactUrl(upstream.url);
  const write = options.write === true;
  let models = readModels(options.models ?? [...catalogue.models.keys()], catalogue);
  let enabled = true;
  const check = createExchangeCheck(contract, service);
  const has = (model: string) => enabled && models.has(model);
  const state = (): ForwardState => ({ url, enabled, models: [...models], write });
  const change = (wanted: ForwardChange) => {
    if (wanted.models) models = readModels(wanted.models, catalogue);
    enabled = wanted.enabled ?? enabled;
  };
  return {
    has,
    state,
    change,
    claims,
    answer,
    hide,
    /** Marks the response of a mock that can write to the service, so that its records are not disposable. */
    mark: <Some extends Reply>(reply: Some): Some =>
      enabled && write
        ? { ...reply, headers: { ...reply.headers, 'record-model-upstream': upstream.url } }
        : reply,
    close: upstream.close,
  };

  /** Returns the model of a request that the service answers; undefined if the mock answers it. */
  function claims({ method, target }: MockRequest): string | undefined {
    if (!enabled) return undefined;
    const found = service.route(method, splitTarget(target)[0]);
    if (found.kind !== 'operation' && found.kind !== 'no-operation') return undefined;
    const { name } = found.kind === 'operation' ? found.endpoint.model : found.model;
    return models.has(name) ? name : undefined;
  }

  /** Answers a request that `claims` returned a model for. Rejects only because of a bug. */
  async function answer(request: MockRequest, model: string, whenDone: WhenDone): Promise<Reply> {
    const methods = [request.method, ...OVERRIDES.flatMap((name) => request.headers[name] ?? [])];
    if (!write && methods.some((one) => !SAFE.includes(one.toUpperCase()))) {
      const detail = `The mock forwards ${model} to ${url}, and forwards only reads. To forward writes too, start the mock with --write. To let the mock answer ${model}, remove it from --models, or send PATCH /__mock/forward.`;
      return { ...problem(403, detail), detail };
    }
    const { body } = request;
    if (body === 'too-large') {
      const detail = 'The body is longer than the mock accepts, so it was not forwarded. Send a shorter one.';
      return { ...problem(413, detail), detail };
    }
    const { 'x-mock-session': _, ...headers } = request.headers;
    // The mock reads no encoded response.
    const sent = { ...request, body, headers: { ...headers, 'accept-encoding': 'identity' } };
    const checked = await check(sent, (held) => upstream.forward(sent, held, whenDone));
    const { forwarded, ignored, violations } = checked;
    const { content, failure, reply } = forwarded;
    const own = withOwnRules(reply.headers, splitTarget(request.target)[0]);
    // The log has no text of a body that is unread, or still to come.
    const isText = content.kind !== 'unread' && !(reply.body instanceof Readable);
    const text = isText ? Buffer.from(reply.body).toString() : '';
    return {
      ...asReply({ ...reply, headers: own }, text),
      forwarded: true,
      ...(violations.length > 0 && { violations }),
      ...(ignored?.length && { ignored }),
      ...(failure !== undefined && { detail: failure }),
    };
  }

  /** Returns records without those of forwarded models, which it neither shows nor changes. */
  function hide(records: SessionRecords): SessionRecords {
    const reading = (own: ReadableRecords): ReadableRecords => ({
      get: async (model, id) => (has(model) ? undefined : own.get(model, id)),
      find: async (model, query) => (has(model) ? { records: [], total: 0 } : own.find(model, query)),
    });
    return {
      ...records,
      ...reading(records),
      readAll: async function* (models) {
        const hidden = models.filter(has);
        yield* records.readAll(models.filter((model) => !hidden.includes(model)));
        for (const model of hidden) yield { model, records: [] };
      },
      transaction: (work) =>
        records.transaction((own) =>
          work({
            ...own,
            ...reading(own),
            put: async (model, record) => (has(model) ? undefined : own.put(model, record)),
            remove: async (model, id) => (has(model) ? undefined : own.remove(model, id)),
            clear: async (model) => (has(model) ? undefined : own.clear(model)),
          }),
        ),
    };
  }
}

/** Throws UsageError for a model that the catalogue does not have. */
function readModels(names: readonly string[], catalogue: Catalogue): ReadonlySet<string> {
  const known = [...catalogue.models.keys()];
  for (const name of names)
    if (!catalogue.models.has(name))
      throw new UsageError(unexpected('model', name, known, 'in forward.models'));
  return new Set(names);
}

/**
 * Returns the headers of a response in the origin of the mock, which decides who can read its responses. A page of the
 * service gets no access to the console and the control API: it runs no script, and changes no data of other paths.
 */
function withOwnRules(headers: ServedReply['headers'], path: string): ServedReply['headers'] {
  const kept = Object.entries(headers).filter(
    ([name]) => !/^(access-control-.*|clear-site-data)$/.test(name),
  );
  const { 'set-cookie': cookies = [], ...others } = Object.fromEntries(kept);
  const own = [cookies].flat().filter((cookie) => isSentTo(path, cookie));
  return {
    ...others,
    ...(own.length > 0 && { 'set-cookie': own }),
    'content-security-policy': [headers['content-security-policy'] ?? [], 'sandbox'].flat().join(', '),
    'x-content-type-options': 'nosniff',
    vary: [headers.vary ?? [], 'Origin'].flat().join(', '),
  };
}

/** Whether a browser sends a cookie back to the path that set it (RFC 6265, 5.1.4). */
function isSentTo(path: string, cookie: string): boolean {
  const paths = [...cookie.matchAll(/;\s*path\s*=\s*([^;]*)/gi)].map(([, value = '']) => value.trim());
  const wanted = paths.at(-1) ?? '';
  return !wanted.startsWith('/') || `${path}/`.startsWith(wanted.endsWith('/') ? wanted : `${wanted}/`);
}

/**
 * Returns a function that forwards a request once, even an invalid one. It checks the request as the mock does when it
 * answers, and the response with Prism if the document has the operation.
 */
export function createExchangeCheck(
  contract: Contract,
  { checkSent, document, route }: Pick<ContractService, 'checkSent' | 'document' | 'route'>,
) {
  // A status that the profile does not name is reported as such.
  const inspect = createInspect(() => withNamedStatuses(document()));
  return async (request: SentRequest, forward: (held: boolean) => Promise<Forwarded>) => {
    const { method, target } = request;
    const [path] = splitTarget(target);
    const found = route(method, path);
    if (found.kind !== 'operation') {
      const { detail } = refuseRoute(found, method, path, contract);
      const violations = [{ location: 'request', message: detail }];
      return { forwarded: await forward(false), violations, ignored: undefined };
    }
    const { ignored, violations: ofRequest } = checkSent(request, found.endpoint, found.id);
    const forwarding = forward(true);
    // Prism can take long to load.
    forwarding.catch(() => {});
    const seen = await inspect({ ...found.endpoint, path }, async () => {
      const { content, headers, reply } = await forwarding;
      const body = content.kind === 'value' ? content.value : undefined;
      return { statusCode: reply.status, headers: { ...headers }, body };
    });
    const forwarded = await forwarding;
    const { content, failure } = forwarded;
    // A response to HEAD has no body (RFC 9110, 9.3.2).
    const hasBody = method !== 'HEAD' && content.kind === 'value';
    const ofResponse = seen.filter(({ location }) => hasBody || location.split('.')[1] !== 'body');
    if (content.kind !== 'value')
      ofResponse.push({ location: 'response.body', message: `Response body ${content.detail}` });
    // An error of the mock is not a violation by the service.
    const violations = [...ofRequest, ...(failure === undefined ? ofResponse : [])];
    return { forwarded, violations: violations.slice(0, MOST_VIOLATIONS), ignored };
  };
}
