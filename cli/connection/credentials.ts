import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TargetOptions } from '../../conformance/target/target.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import type { Terminal } from '../terminal/terminal.ts';

export type CredentialOptions = {
  readonly bearer?: string | undefined;
  /** `user:password` */
  readonly basic?: string | undefined;
  /** `Header-Name=value` */
  readonly apiKey?: string | undefined;
  /** `Name: value` each */
  readonly header?: readonly string[] | undefined;
};

export type Credentials = {
  readonly scheme?: Scheme;
  /** Headers with lowercase names. All are treated as secrets, because the user can pass one with `--header`. */
  readonly headers: Readonly<Record<string, string>>;
};

const SCHEMES = ['bearer', 'basic', 'apiKey'] as const;
type Scheme = (typeof SCHEMES)[number];
const FLAGS = { bearer: '--bearer', basic: '--basic', apiKey: '--api-key' };
const VARIABLES = {
  bearer: 'RECORD_MODEL_BEARER',
  basic: 'RECORD_MODEL_BASIC',
  apiKey: 'RECORD_MODEL_API_KEY',
};

/** Headers that the HTTP client sets for the connection and the body (RFC 9110, 7.6.1 and 8.6). */
const BY_TRANSPORT =
  /^(connection|content-(encoding|length)|expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Returns the headers that authenticate, by the flags or else by the variables of the environment. An empty variable counts
 * as unset. Throws UsageError for an invalid one, and never repeats a secret in it.
 */
export function readCredentials(flags: CredentialOptions, env: Terminal['env'] = {}): Credentials {
  const isInFlags = SCHEMES.some((scheme) => flags[scheme] !== undefined);
  const sources = isInFlags ? FLAGS : VARIABLES;
  const read = (scheme: Scheme) => (isInFlags ? flags[scheme] : env[VARIABLES[scheme]] || undefined);
  const [bearer, basic, apiKey] = SCHEMES.map(read);
  const given = SCHEMES.filter((scheme) => read(scheme) !== undefined);
  if (given.length > 1) {
    const names = given.map((scheme) => (isInFlags ? scheme : sources[scheme]));
    throw new UsageError(`Credentials are given twice, as ${names.join(' and ')}. Pass only one of them.`);
  }
  const headers: Record<string, string> = {};
  if (bearer !== undefined) headers.authorization = `Bearer ${visible(sources.bearer, bearer)}`;
  if (basic !== undefined) {
    if (!basic.includes(':')) throw new UsageError(`${sources.basic} must have the form USER:PASSWORD.`);
    headers.authorization = `Basic ${Buffer.from(basic).toString('base64')}`;
  }
  if (apiKey !== undefined) {
    const [, name, value] = /^([A-Za-z0-9-]+)=(.+)$/.exec(apiKey) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`${sources.apiKey} must have the form HEADER-NAME=VALUE.`);
    // The token follows its scheme and a space: Authorization=Token VALUE.
    for (const word of value.split(' ')) visible(sources.apiKey, word);
    headers[name.toLowerCase()] = value;
  }
  // The credentials come first, so that learn takes no other header for them.
  for (const line of flags.header?.toReversed() ?? []) {
    const [, name, value] = /^([A-Za-z0-9-]+):\s*([\t\u0020-\u007e]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError('--header must have the form "Name: value".');
    if (BY_TRANSPORT.test(name))
      throw new UsageError(`--header can't set ${name} because the client sets it. Remove the flag.`);
    headers[name.toLowerCase()] ??= value;
  }
  const [scheme] = given;
  return { ...(scheme ? { scheme } : {}), headers };
}

function visible(source: string, secret: string): string {
  if (/^[\u0021-\u007e]+$/.test(secret)) return secret;
  throw new UsageError(
    `${source} contains characters that are invalid in a header. Use visible ASCII characters.`,
  );
}

/** Returns the PEM texts of the files. Throws UsageError if one can't be read, or if they don't fit together. */
export function readCertificates(
  options: Partial<Readonly<Record<'ca' | 'cert' | 'key', string>>>,
): TargetOptions['certificates'] {
  if (options.key !== undefined && options.cert === undefined)
    throw new UsageError('--key needs the certificate of the key. Pass it with --cert.');
  const [ca, cert, given] = (['ca', 'cert', 'key'] as const).map((name) =>
    readPem(`--${name}`, options[name]),
  );
  const key = given ?? cert;
  const isSeparate = cert !== undefined && !key?.includes('PRIVATE KEY-----');
  if (isSeparate && given === undefined)
    throw new UsageError(`${options.cert} contains no key. Pass the key of the certificate with --key.`);
  const texts = { ...(ca ? { ca } : {}), ...(cert && key ? { cert, key } : {}) };
  try {
    createSecureContext(texts);
  } catch (error) {
    const files = [options.ca, options.cert, options.key].filter((path) => path !== undefined);
    throw new UsageError(
      `${files.join(', ')} can't be used because TLS rejects it: ${(error as Error).message}. Pass an unencrypted key, and the certificate of that key.`,
    );
  }
  return texts;
}

function readPem(flag: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    // A secret often comes from a pipe.
    const text = readFileSync(path, 'utf8');
    if (text.includes('-----BEGIN ')) return text;
  } catch (error) {
    throw new UsageError(`${path} can't be read because ${whyFailed(error)}. Pass a PEM file with ${flag}.`);
  }
  throw new UsageError(`${path} is not a PEM file. Pass a file with "-----BEGIN" lines with ${flag}.`);
}
