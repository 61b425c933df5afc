import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import { readTextFile } from '../../spec/files/text-file.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createAjv } from '../../spec/json-schema.ts';
import type { Results } from './results.ts';

/** Maximum number of bytes. The files of earlier releases kept the exchanges of all cases. */
const LARGEST_FILE = 64 * 1024 * 1024;

/**
 * Reads a file of `check --json`, also one without `version` from an earlier release. Unknown members are removed. Throws
 * UsageError for another file, and for one of a later format.
 */
export function loadResults(path: string): Results {
  const text = readTextFile(path, LARGEST_FILE, 'the file of check --json');
  const value = parse(text, path);
  const { version = 1 } = value;
  if (typeof version === 'number' && version > 1)
    throw new UsageError(
      `${path} has format version ${version}, and this release reads version 1. Update record-model.`,
    );
  const results = { ...value, version };
  const schema = JSON.parse(readFileSync(kitFile('conformance/results.schema.json'), 'utf8'));
  const isValid = createAjv({ removeAdditional: true, strict: false, validateSchema: false }).compile(schema);
  if (isValid(results)) return results as unknown as Results;
  const [{ instancePath = '', message = '' } = {}] = isValid.errors ?? [];
  return refuse(path, `${instancePath.slice(1, 100) || 'it'} ${message}`);
}

function parse(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return { ...value };
  } catch {
    return refuse(path, 'it is not JSON');
  }
  return refuse(path, 'it is not an object');
}

function refuse(path: string, why: string): never {
  throw new UsageError(
    `${path} does not have the results of a run: ${why}. Write the file with record-model check --json FILE.`,
  );
}
