import type { ValidateFunction } from 'ajv/dist/2020.js';
import { operationId } from '../../../spec/binding.ts';
import type { Catalogue } from '../../../spec/catalogue/catalogue.ts';
import { readAll, refuseMistakes, UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { readYamlFile } from '../../../spec/files/yaml-file.ts';
import { createAjv } from '../../../spec/json-schema.ts';
import { MOST_VIOLATIONS } from '../../engine/violation.ts';
import { STATUS_CODES } from '../../http/http.ts';
import { DEEPEST_JSON, isDeeper, TOO_DEEP } from '../../operations/body.ts';
import { describeErrors } from '../../operations/messages.ts';
import { DOCUMENT_PATHS, isDocumentPath } from '../../operations/router.ts';
import { LONGEST_DELAY } from '../../prism/prism.ts';
import type { CatalogueNames } from '../records/records-api.ts';
import { BOOLEAN, COUNT, INTEGER, members, OBJECT, oneOf, TEXT } from '../schema.ts';

/** An error, a delay, or a lost connection, and the requests that get it. */
export type FaultRule<Names extends CatalogueNames = CatalogueNames> = {
  /** A request must match all members. `path` can have `*` for any text; `operation` is `createBrand` or `create`. */
  readonly match?: {
    readonly method?: string;
    readonly path?: string;
    readonly model?: Names['model'];
    readonly operation?: Names['operation'];
    readonly id?: number;
  };
  /** The response that replaces the operation. Without a body, it has the error form of the profile. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Milliseconds before anything is done; a range is drawn from. */
  readonly delay?: number | { readonly min: number; readonly max: number };
  /** Closes the connection before anything is done, after it was done, or in the middle of the answer. */
  readonly drop?: 'before' | 'after' | 'mid-body';
  readonly bytesPerSecond?: number;
  /** Only the nth request that matches, from 1. */
  readonly nth?: number;
  /** Every nth request that matches: with 3, the third, the sixth, and so on. */
  readonly every?: number;
  /** Maximum number of requests that get the fault. */
  readonly times?: number;
  /** From 0 to 1, of the requests that match. */
  readonly probability?: number;
  /** Whether the fault applies (default: true). A disabled fault matches no request and counts none. */
  readonly enabled?: boolean;
};

const delay = { ...COUNT, maximum: LONGEST_DELAY };
const FROM_ONE = { ...INTEGER, minimum: 1 };

/** The JSON Schema of a rule. The document of the control API contains it, and requests are checked by it. */
export const FAULT_SCHEMA = members([], {
  match: members([], { method: TEXT, path: TEXT, model: TEXT, operation: TEXT, id: INTEGER }),
  status: { ...INTEGER, minimum: 200, maximum: 599 },
  headers: { ...OBJECT, additionalProperties: TEXT },
  body: {},
  delay: { anyOf: [delay, members(['min', 'max'], { min: delay, max: delay })] },
  drop: oneOf('before', 'after', 'mid-body'),
  bytesPerSecond: FROM_ONE,
  nth: FROM_ONE,
  every: FROM_ONE,
  times: FROM_ONE,
  probability: { type: 'number', minimum: 0, maximum: 1 },
  enabled: BOOLEAN,
});

let validate: ValidateFunction<FaultRule> | undefined;

/** Returns what is wrong with a fault; nothing if a response can be made of it. */
function mistakesIn(value: unknown): string[] {
  if (!isJson(value)) return [`The fault is not JSON, or ${TOO_DEEP}`];
  validate ??= createAjv({ allErrors: true, verbose: true, strict: false }).compile<FaultRule>(FAULT_SCHEMA);
  if (validate(value)) return [...mistakesInHeaders(value), ...mistakesInEffect(value)];
  const errors = describeErrors((validate.errors ?? []).slice(0, MOST_VIOLATIONS), 'member');
  return errors.map(({ message, pointer }) => `${pointer || 'The fault'} ${message}`);
}

/** In the process a value could refer to itself. */
function isJson(value: unknown): boolean {
  if (isDeeper(value, DEEPEST_JSON)) return false;
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}

function mistakesInEffect({ body, bytesPerSecond, delay, drop, every, nth, status }: FaultRule): string[] {
  if (every !== undefined && nth !== undefined)
    return ['/every and /nth exclude each other. Use one of them.'];
  if ([body, bytesPerSecond, delay, drop, status].every((action) => action === undefined))
    return ['The fault has no effect. Add status, body, delay, drop, or bytesPerSecond.'];
  return status === undefined || STATUS_CODES[status] !== undefined
    ? []
    : [`/status ${status} has no reason phrase. Use a registered status, such as 503.`];
}

/** The server sets them; a wrong value would break the next response on the connection. */
const OF_THE_SERVER = ['content-length', 'transfer-encoding', 'trailer', 'upgrade'];

function mistakesInHeaders({ headers = {} }: FaultRule): string[] {
  const mistakes: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (mistakes.length === MOST_VIOLATIONS) break;
    // RFC 9110, 5.1 and 5.5.
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      mistakes.push(`/headers has an invalid header name, ${JSON.stringify(name)}.`);
    else if (OF_THE_SERVER.includes(name.toLowerCase()))
      mistakes.push(`/headers has ${name}, which the server sets. Remove it.`);
    else if (!/^[\t -~\x80-\xff]*$/.test(value))
      mistakes.push(
        `/headers has an invalid value of ${name}. Use ISO 8859-1 characters without line breaks.`,
      );
  }
  return mistakes;
}

/** Returns a fault if it is valid. Throws UsageError if it is not, or if no request can match it. */
export function readFault(value: unknown, refuseUnknown: NameCheck): FaultRule {
  refuseMistakes(mistakesIn(value));
  const fault = value as FaultRule;
  refuseUnknown(fault.match ?? {}, 'pattern');
  return fault;
}

/** Reads a file with a list of faults. Throws UsageError with file and line. */
export function readFaultFile(path: string, catalogue: Catalogue): FaultRule[] {
  const refuseUnknown = createNameCheck(catalogue);
  return readAll(readYamlFile(path).items(), ({ fail, value }) => {
    try {
      return readFault(value, refuseUnknown);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      readAll(error.message.split('\n'), fail);
      throw error;
    }
  });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Maximum length of a path, because a longer one takes long to compare. */
const LONGEST_PATH = 1000;

/**
 * Returns a function that throws UsageError if no request can meet the conditions, because the catalogue has no such
 * name. A `pattern` is a path in which `*` matches any text.
 */
export function createNameCheck(
  { base, models }: Catalogue,
  routes?: { hasPath(path: string): boolean; readonly paths: readonly string[] },
) {
  const names = [...models.keys()];
  const endpoints = [...models.values()].flatMap(({ name, operations }) =>
    operations.map((operation) => ({ model: name, words: [operation, operationId(operation, name)] })),
  );
  return (named: NonNullable<FaultRule['match']>, pathForm: 'path' | 'pattern') => {
    const { method, model, operation, path } = named;
    if (method !== undefined && !METHODS.includes(method.toUpperCase()))
      throw new UsageError(unexpected('method', method, METHODS));
    if (model !== undefined && !models.has(model)) throw new UsageError(unexpected('model', model, names));
    const known = endpoints.flatMap((one) => (model === undefined || one.model === model ? one.words : []));
    if (operation !== undefined && !known.includes(operation))
      throw new UsageError(unexpected('operation', operation, known, model && `of ${model}`));
    if (path !== undefined) refusePath(path, pathForm === 'pattern' && path.includes('*'));
  };

  function refusePath(path: string, isPattern: boolean): void {
    const shown = path.slice(0, LONGEST_PATH);
    // The IDs in the path are part of the paths that it is compared with.
    const ids = new Set(['7', ...(shown.match(/\d[\d*]*/g) ?? []).map((id) => id.replaceAll('*', ''))]);
    const paths = names.flatMap((name) => [
      `${base}/${name}`,
      ...[...ids].map((id) => `${base}/${name}/${id}`),
    ]);
    const known = [...paths, ...DOCUMENT_PATHS, ...(routes?.paths ?? [])];
    const isKnown = isPattern ? known.some((one) => matchesPath(path, one)) : isPath(path);
    if (isKnown && path.length <= LONGEST_PATH) return;
    const patterns = isPattern ? names.flatMap((name) => [`*/${name}`, `*/${name}/*`]) : [];
    throw new UsageError(unexpected('path', shown, [...known, ...patterns]));
  }

  function isPath(path: string): boolean {
    if (isDocumentPath(path) || routes?.hasPath(path)) return true;
    if (!path.startsWith(`${base}/`)) return false;
    const [name = '', id, ...rest] = path.slice(base.length + 1).split('/');
    return models.has(name) && id !== '' && rest.length === 0;
  }
}

export type NameCheck = ReturnType<typeof createNameCheck>;

/** Whether a path matches. A `*` matches any text. It uses no regular expression, so that no rule takes long. */
export function matchesPath(pattern: string, path: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return path === first;
  const last = parts.pop() ?? '';
  let at = first.length;
  for (const part of parts) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return path.length - last.length >= at && path.endsWith(last);
}
