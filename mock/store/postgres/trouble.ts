import { UsageError } from '../../../spec/files/usage-error.ts';
import { StoreAway, StoreFull } from '../store.ts';

/** Errors of the connection to PostgreSQL. Errors of the server have an SQLSTATE (PostgreSQL, appendix A). */
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

/** Whether a statement failed because it waited too long for other transactions. */
export function isBlocked(error: unknown): boolean {
  return ['40P01', '55P03'].includes(codeOf(error));
}

/** Whether the database can't be reached, or accepts no statements now. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (/^(08|53|57P|25006)/.test(code) || SOCKET_ERRORS.has(code)) return true;
  // Errors of the driver have no code.
  return code === '' && /connection|timeout|not queryable/i.test((error as Error).message ?? '');
}

/** Rejects with the error that callers of a store expect for one of the database or the driver. */
export async function translate<Result>(asked: Promise<Result>, shown: string): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (codeOf(error) === '53100')
      throw new StoreFull(`Nothing was stored because the disk of ${shown} is full. Free some space.`);
    // The session or snapshot of the part is gone.
    if (codeOf(error) === '23503')
      throw new StoreAway('The session ended during the request. Send the request again.');
    if (isBlocked(error))
      throw new StoreAway(`Too many concurrent writes to ${shown}. Send the request again.`);
    if (isAway(error))
      throw new StoreAway(
        `${shown} does not respond. Send the request again. The driver reports: ${(error as Error).message}.`,
      );
    throw error;
  }
}

/** Returns the error for a database that can't be used. Returns `error` itself if it may be a bug of the mock. */
export function explain(error: unknown, shown: string): unknown {
  if (error instanceof UsageError || (whyNot(error) === undefined && !isAway(error))) return error;
  return unusable(error, shown);
}

/** Returns the same for an error that can only concern the address or the server. */
export function unusable(error: unknown, shown: string): UsageError {
  const otherwise = `the connection failed. Check the address and the server. ${reported(error)}`;
  return new UsageError(`Can't use ${shown} because ${whyNot(error) ?? otherwise}`);
}

function reported(error: unknown): string {
  return `The driver reports: ${(error as Error).message}.`;
}

/** Returns why a database can't be used and what to do; undefined for an unknown error. */
function whyNot(error: unknown): string | undefined {
  const message = reported(error);
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return 'no server listens there. Start PostgreSQL, or correct the host and port.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host name is unknown. Correct the host.';
    case '28P01':
    case '28000':
      return `the server rejects the user or password. Use postgres://USER:PASSWORD@HOST/DATABASE. ${message}`;
    case '3D000':
      return `the database does not exist. Create it with createdb. ${message}`;
    case '42501':
      return `the user can't create a schema. Run GRANT CREATE ON DATABASE, or use the owner of the database. ${message}`;
    case '25006':
      return `the server is read-only. Use the primary server, not a standby. ${message}`;
    default:
      // Timeouts of the driver have no code.
      return /timeout/i.test(message)
        ? 'it does not respond. Check the server, the host, and the port.'
        : undefined;
  }
}
