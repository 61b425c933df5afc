/** Which documented answer is wanted, in the names that Prism gives to it. */
export type Preference = {
  readonly dynamic: boolean;
  readonly mediaTypes: string[];
  readonly code?: number;
  readonly exampleKey?: string;
  readonly seed?: string;
};

const PARTS = /([\w-]+)\s*=\s*(?:"([^"]*)"|([^\s,;]+))/g;

/**
 * Reads a Prefer header (RFC 7240) as users know it from Prism: `code`, `example`, `dynamic`, `seed`. Undefined
 * when it asks for none of them.
 */
export function readPreference(header: string | undefined): Preference | 'malformed' | undefined {
  if (header === undefined) return undefined;
  const asked = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of header.matchAll(PARTS))
    asked.set(name.toLowerCase(), quoted ?? plain);
  const code = asked.get('code');
  const example = asked.get('example');
  const seed = asked.get('seed');
  if (!/^\d{3}$/.test(code ?? '200') || !/^(true|false)$/.test(asked.get('dynamic') ?? 'true'))
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
