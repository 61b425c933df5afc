import { UsageError } from '../spec/usage-error.ts';

export type CredentialOptions = {
  readonly bearer?: string | undefined;
  /** `user:password` */
  readonly basic?: string | undefined;
  /** `Header-Name=value` */
  readonly apiKey?: string | undefined;
  /** `Name: value`, each */
  readonly header?: readonly string[] | undefined;
};

export type Credentials = {
  readonly scheme?: 'bearer' | 'basic' | 'apiKey';
  /** Headers in small letters. What a person adds by hand may well be a secret, and is treated as one. */
  readonly headers: Readonly<Record<string, string>>;
};

/** The headers that say who asks. Throws UsageError, which never repeats a secret, for what can't be one. */
export function readCredentials(options: CredentialOptions): Credentials {
  const given = (['bearer', 'basic', 'apiKey'] as const).filter((scheme) => options[scheme] !== undefined);
  if (given.length > 1)
    throw new UsageError(`credentials are given as ${given.join(' and ')}; expected one of them`);
  const headers: Record<string, string> = {};
  for (const line of options.header ?? []) {
    const [, name, value] = /^([A-Za-z0-9-]+):\s*([\t\u0020-\u007e]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError('--header can\'t be read; expected "Name: value"');
    headers[name.toLowerCase()] = value;
  }
  if (options.bearer !== undefined) headers.authorization = `Bearer ${visible('--bearer', options.bearer)}`;
  if (options.basic !== undefined) {
    if (!options.basic.includes(':')) throw new UsageError("--basic can't be read; expected USER:PASSWORD");
    headers.authorization = `Basic ${Buffer.from(options.basic).toString('base64')}`;
  }
  if (options.apiKey !== undefined) {
    const [, name, value] = /^([A-Za-z0-9-]+)=(.+)$/.exec(options.apiKey) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError("--api-key can't be read; expected HEADER-NAME=VALUE");
    headers[name.toLowerCase()] = visible('--api-key', value);
  }
  const [scheme] = given;
  return { ...(scheme ? { scheme } : {}), headers };
}

function visible(flag: string, secret: string): string {
  if (/^[\u0021-\u007e]+$/.test(secret)) return secret;
  throw new UsageError(`${flag} has characters that no header can carry; expected visible ASCII`);
}
