import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TargetOptions } from '../../conformance/target/target.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import type { AccessOptions } from './connection-options.ts';

/** Returns the PEM texts of the files. Throws UsageError if one can't be read, or if they don't fit together. */
export function readCertificates(
  options: Pick<AccessOptions, 'ca' | 'cert' | 'key'>,
): TargetOptions['certificates'] {
  if (options.key !== undefined && options.cert === undefined)
    throw new UsageError('--key needs the certificate of the key. Pass it with --cert.');
  const [ca, cert, given] = (['ca', 'cert', 'key'] as const).map((name) => read(`--${name}`, options[name]));
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

function read(flag: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    const text = readFileSync(path, 'utf8');
    if (text.includes('-----BEGIN ')) return text;
  } catch (error) {
    throw new UsageError(`${path} can't be read because ${whyFailed(error)}. Pass a PEM file with ${flag}.`);
  }
  throw new UsageError(`${path} is not a PEM file. Pass a file with "-----BEGIN" lines with ${flag}.`);
}
