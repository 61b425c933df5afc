/** Headers that are about one connection and not about the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** The headers without those of the connection, and without those that it names. Names in small letters. */
export function withoutHopByHop<Value extends string | readonly string[]>(
  headers: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  // The length stands even where a connection claims it: bodies are framed by it.
  dropped.delete('content-length');
  const kept = Object.entries(headers).filter(
    (entry): entry is [string, Value] => entry[1] !== undefined && !dropped.has(entry[0]),
  );
  return Object.fromEntries(kept);
}
