import { readFileSync } from 'node:fs';
import { extname, relative } from 'node:path';
import { dataFile } from '../spec/data-file.ts';
import { saveFile } from '../spec/save-file.ts';
import { UsageError } from '../spec/usage-error.ts';
import { NOT_CONFORMANT, say } from './console.ts';
import { loadPlan, type PlanOptions } from './options.ts';

type GenerateOptions = PlanOptions & { output: string; format?: 'yaml' | 'json'; check?: true };

/** Writes the document, or says whether a file is current. */
export async function generate(options: GenerateOptions): Promise<void> {
  const { generateDocument } = await import('../generator/generate.ts');
  const { serializeDocument } = await import('../generator/serialize.ts');
  const { validateDocument } = await import('../generator/validate.ts');
  const { catalogue, profile, references } = loadPlan(options);
  const output = options.check && options.output === '-' ? dataFile('openapi.yaml') : options.output;
  const document = generateDocument(catalogue, profile, references);
  await validateDocument(document);
  const text = serializeDocument(document, options.format ?? (extname(output) === '.json' ? 'json' : 'yaml'));
  if (options.check) compare(output, text);
  else if (output === '-') process.stdout.write(text);
  else saveFile(output, text);
}

function compare(path: string, text: string): void {
  let found: string;
  try {
    found = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} can't be read; write it first with: record-model generate -o ${path}`);
  }
  const name = relative('.', path);
  if (found === text) say(`${name} is up to date`);
  else {
    say(`${name} is stale; write it anew with: record-model generate -o ${name}`);
    process.exitCode = NOT_CONFORMANT;
  }
}
