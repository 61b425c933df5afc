const PREFIXES = ['access-control-', 'content-', 'if-', 'proxy-', 'sec-'];
const NAMES = [
  ...['accept', 'accept-charset', 'accept-encoding', 'accept-language', 'accept-patch', 'accept-post'],
  ...['accept-ranges', 'age', 'allow', 'alt-svc', 'authorization', 'cache-control', 'connection', 'cookie'],
  ...['date', 'early-data', 'etag', 'expect', 'expires', 'forwarded', 'from', 'host', 'keep-alive'],
  ...[
    'last-modified',
    'link',
    'location',
    'max-forwards',
    'origin',
    'pragma',
    'prefer',
    'preference-applied',
  ],
  ...['priority', 'range', 'referer', 'retry-after', 'server', 'set-cookie', 'sl-violations'],
  ...['strict-transport-security', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'vary'],
  ...['via', 'warning', 'www-authenticate'],
];

/** Whether a header means something already: to HTTP itself, to a browser, to the encoding of a body or to this kit. */
export function isTakenHeader(name: string): boolean {
  const lowerCase = name.toLowerCase();
  return NAMES.includes(lowerCase) || PREFIXES.some((prefix) => lowerCase.startsWith(prefix));
}
