/** Which documented answer is wanted, in the names that Prism gives to it. */
export type Preference = {
  readonly dynamic: boolean;
  readonly mediaTypes: string[];
  readonly code?: number;
  readonly exampleKey?: string;
  readonly seed?: string;
};

const PARTS = /([\w-]+)(?:\s*=\s*(?:"([^"]*)"|([^\s,;]+)))?/g;

/**
 * Reads a Prefer header (RFC 7240) as users know it from Prism: `code`, `example`, `dynamic`, `seed`. Undefined
 * when it asks for none of them.
 */
export function readPreference(header: string | undefined): Preference | 'malformed' | undefined {
  if (header === undefined) return undefined;
  const asked = readParts(header);
  const code = asked.get('code');
  const example = asked.get('example');
  const seed = asked.get('seed');
  if (!/^[2-5]\d\d$/.test(code ?? '200') || !/^(true|false)$/.test(asked.get('dynamic') ?? 'true'))
    return 'malformed';
  const dynamic = asked.get('dynamic') === 'true';
  if (code === undefined && example === undefined && !dynamic) return undefined;
  return {
    dynamic,
    // Without these `Accept: application/json` would turn a 404 of application/problem+json into a 200.
    mediaTypes: ['application/json', 'application/problem+json', '*/*'],
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(example === undefined ? {} : { exampleKey: example }),
    ...(seed === undefined ? {} : { seed }),
  };
}

/** The fault that a Prefer header asks for: `delay=800` in milliseconds, `drop` or `drop=after`, `drop=mid-body`. */
export function readFaultPreference(
  header: string,
): { readonly delay?: number; readonly drop?: 'before' | 'after' | 'mid-body' } | undefined {
  const asked = readParts(header);
  const [delay, drop] = [asked.get('delay'), asked.get('drop')];
  const hasDelay = delay !== undefined && /^\d{1,6}$/.test(delay) && Number(delay) <= LONGEST_DELAY;
  const place = drop === '' ? 'before' : drop;
  const isPlace = place === 'before' || place === 'after' || place === 'mid-body';
  if (!hasDelay && !isPlace) return undefined;
  return { ...(hasDelay && { delay: Number(delay) }), ...(isPlace && { drop: place }) };
}

const LONGEST_DELAY = 600_000;

function readParts(header: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of header.matchAll(PARTS))
    parts.set(name.toLowerCase(), quoted ?? plain);
  return parts;
}
