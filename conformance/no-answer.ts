/** No complete response came: refused, closed, timed out, too large or no HTTP. */
export class NoAnswer extends Error {
  /** Nothing is there that could answer anything, or nothing has answered for long. */
  readonly gone: boolean;
  /** The connection ended before the answer did. */
  readonly broken: boolean;
  constructor(message: string, code: string, silent = false) {
    super(message);
    this.name = 'NoAnswer';
    this.gone = silent || ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(code);
    this.broken = ['UND_ERR_SOCKET', 'ECONNRESET'].includes(code);
  }
}

/** The longest body that is read, in bytes. */
export const LARGEST_BODY = 16 * 1024 * 1024;

export type ConnectionError = { name: string; message: string; code?: string; cause?: { code?: string } };

/** What went wrong with a connection, in words. */
export function describeConnection(error: ConnectionError, timeout: number): string {
  const code = codeOf(error);
  if (error.name === 'TimeoutError' || /TIMEOUT/.test(code)) return `no answer within ${timeout} ms`;
  if (code === 'ECONNREFUSED') return 'nothing listens there (connection refused)';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return `the answer has more than ${LARGEST_BODY} bytes`;
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
    return 'the connection was closed before the answer was complete';
  if (/proxy/i.test(error.message)) return `the proxy does not let it through (${error.message})`;
  return `no HTTP answer (${code || error.message})`;
}

/** The code of an error of a connection, or of its cause. */
export function codeOf(error: ConnectionError): string {
  return error.code ?? error.cause?.code ?? '';
}
