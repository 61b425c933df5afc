/** Nothing is there, or the client itself was closed. */
const GONE = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED'];

/** No complete response came: refused, closed, timed out, too large or no HTTP. */
export class NoAnswer extends Error {
  /** Nothing is there that could answer anything, or nothing has answered for long. */
  readonly gone: boolean;
  /** The connection ended before the answer did. */
  readonly broken: boolean;
  constructor(message: string, code: string, silent = false) {
    super(message);
    this.name = 'NoAnswer';
    this.gone = silent || GONE.includes(code);
    this.broken = ['UND_ERR_SOCKET', 'ECONNRESET'].includes(code);
  }
}

/** The target lets nobody ask any more, for now: it said so so many times, or wants a wait of so many seconds. */
export class TooMany extends NoAnswer {
  constructor(asked: string, times: number, wait = 0) {
    const said =
      times === 1 && wait > 0 ? `it wants a wait of ${Math.ceil(wait)} s` : `so it did ${times} times`;
    super(
      `${asked} answered 429 (too many requests), ${said}; --rate N sends no more than N a second`,
      '',
      true,
    );
  }
}

/** The longest body that is read, in bytes. */
export const LARGEST_BODY = 16 * 1024 * 1024;

export type ConnectionError = {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly cause?: { readonly code?: string };
  /** Of a host that the certificate is not for. */
  readonly cert?: { readonly subjectaltname?: string };
};

/** What went wrong with a connection, in words; `proxy` is what it was to lead to instead of the target. */
export function describeConnection(error: ConnectionError, timeout: number, proxy?: string): string {
  if (proxy !== undefined)
    return `the proxy ${proxy} can't be reached: ${describeConnection(error, timeout)}; hosts in NO_PROXY go without it`;
  const code = codeOf(error);
  if (error.name === 'TimeoutError' || /TIMEOUT/.test(code)) return `no answer within ${timeout} ms`;
  if (code === 'ECONNREFUSED') return 'nothing listens there (connection refused)';
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return 'no more time to ask';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no such host';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return `the answer has more than ${LARGEST_BODY} bytes`;
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET')
    return 'the connection was closed before the answer was complete';
  const tls = describeTls(error, code);
  if (tls) return tls;
  if (/proxy/i.test(error.message)) return `the proxy does not let it through (${error.message})`;
  return `no HTTP answer (${code || error.message})`;
}

const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED|CERT_REJECTED)/;
const NO_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'EPROTO'];

/** What is wrong with a certificate, or that there is none. */
function describeTls({ cert, message }: ConnectionError, code: string): string | undefined {
  const anyway = '--insecure takes it all the same';
  if (UNTRUSTED.test(code))
    return `its certificate is not trusted (${code}); --insecure takes it, NODE_EXTRA_CA_CERTS=FILE trusts who signed it`;
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired; ${anyway}`;
  if (code === 'CERT_NOT_YET_VALID') return `its certificate is not valid yet; ${anyway}`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = cert?.subjectaltname?.replaceAll(/DNS:|IP Address:/g, '');
    return `its certificate is for another host${names ? ` (${names})` : ''}; ${anyway}`;
  }
  // A service that speaks TLS and refuses to go on says so in an alert.
  return NO_TLS.includes(code) && !/alert/i.test(message)
    ? 'it speaks no TLS; try http:// instead'
    : undefined;
}

/** The code of an error of a connection, or of its cause. */
export function codeOf(error: ConnectionError): string {
  return error.code ?? error.cause?.code ?? '';
}

/** A request was not sent, or not sent again, since the run is to end. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly isOutOfTime: boolean;
  constructor(isOutOfTime = false) {
    super('interrupted');
    this.isOutOfTime = isOutOfTime;
  }
}
