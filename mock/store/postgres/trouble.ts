import { UsageError } from '../../../spec/files/usage-error.ts';
import { StoreAway, StoreFull } from '../store.ts';

/** What goes wrong on the way to PostgreSQL; what goes wrong there has an SQLSTATE (PostgreSQL, appendix A). */
const SOCKET_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

/** Whether the same again may succeed, since another transaction came between. */
export function isConflict(error: unknown): boolean {
  // 23505: somebody else took an id that was given here, after a clear.
  return ['23505', '40001', '40P01', '55P03'].includes(codeOf(error));
}

/** Whether the database can't be reached or takes nothing now, and may later. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|53|57P|25006)/.test(code) || SOCKET_ERRORS.has(code)) return true;
  // Of the driver, which gives no code.
  return code === '' && /connection|timeout|not queryable/i.test((error as Error).message ?? '');
}

/** What the callers of a store are told of an error of the database or the driver. */
export async function translate<Result>(asked: Promise<Result>, shown: string): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (codeOf(error) === '53100') throw new StoreFull(`${shown}: The disk is full. Nothing was stored.`);
    // What its part refers to is gone.
    if (codeOf(error) === '23503') throw new StoreAway('The session has ended. Send the request again.');
    if (isConflict(error))
      throw new StoreAway(`${shown}: There are too many concurrent writes. Send the request again.`);
    if (isAway(error))
      throw new StoreAway(
        `${shown} does not respond (${(error as Error).message}). Send the request again later.`,
      );
    throw error;
  }
}

/** What is said of a database that can't be used; the error itself where it may be a mistake of ours. */
export function explain(error: unknown, shown: string): unknown {
  if (error instanceof UsageError || (whyNot(error) === undefined && !isAway(error))) return error;
  return new UsageError(`${shown}: ${whyNot(error) ?? (error as Error).message}`);
}

/** Why a database can't be used, and what to do; undefined where the error says it all. */
export function whyNot(error: unknown): string | undefined {
  const { message = '' } = error as Error;
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return 'nothing listens there; expected a PostgreSQL server. Start it, or correct host and port';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host is unknown; expected one that resolves';
    case '28P01':
    case '28000':
      return `${message}; expected the password of the user, as in postgres://USER:PASSWORD@HOST/DATABASE`;
    case '3D000':
      return `${message}; expected one that is there. Make it with createdb`;
    case '42501':
      return `${message}; expected a user who may make a schema: GRANT CREATE ON DATABASE … TO …, or one who owns it`;
    case '25006':
      return `${message}; expected a server that takes writes, not a standby`;
    default:
      // The driver gives no code where it is tired of waiting.
      return /timeout/i.test(message)
        ? 'it does not answer; expected a PostgreSQL server. Look at the server, and at host and port'
        : undefined;
  }
}
