import { readFileSync } from 'node:fs';
import { extname, relative } from 'node:path';
import { loadContract } from '../spec/contract.ts';
import { kitFile } from '../spec/files/kit-file.ts';
import { saveFile } from '../spec/files/save-file.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { checkEnding } from './endings.ts';
import type { ContractOptions } from './options.ts';
import { type PublicationOptions, publicationOf } from './publication.ts';
import { NOT_CONFORMANT, say } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

type GenerateOptions = ContractOptions &
  PublicationOptions & { output: string; format?: 'yaml' | 'json'; check?: true };

/** Writes the document, or says whether a file is current. */
export async function generate(options: GenerateOptions): Promise<void> {
  checkMeaning(options);
  checkEnding(options.output, 'generate');
  // JSON is YAML too, but not the other way round.
  if (options.format === 'yaml' && extname(options.output).toLowerCase() === '.json')
    throw new UsageError(
      `-o is ${JSON.stringify(options.output)}, and YAML is no JSON; expected --format json`,
    );
  const { generateDocument } = await import('../generator/generate.ts');
  const { serializeDocument } = await import('../generator/serialize.ts');
  const { validateDocument } = await import('../generator/validate.ts');
  const output = options.check && options.output === '-' ? kitFile('spec/openapi.yaml') : options.output;
  const document = generateDocument(loadContract(options), publicationOf(options));
  await validateDocument(document);
  const text = serializeDocument(
    document,
    options.format ?? (extname(output).toLowerCase() === '.json' ? 'json' : 'yaml'),
  );
  if (options.check) compare(output, text, options);
  else if (output === '-') terminal().stdout.write(text);
  else saveFile(output, text);
}

/** The document of this package is of one contract, and in one form. */
function checkMeaning(options: GenerateOptions): void {
  const { check, format, output } = options;
  const isOwn = REPEATED.every(
    (name) => options[name] === undefined || (name === 'format' && format === 'yaml'),
  );
  if (!check || output !== '-' || isOwn) return;
  throw new UsageError(
    `the document of this package is YAML, of its own catalogue and the default profile; expected -o <file> beside --check and ${flagsOf(options).trim()}`,
  );
}

function compare(path: string, text: string, options: GenerateOptions): void {
  const name = relative('.', path);
  const command = `record-model generate ${flagsOf(options)}-o ${quote(name)}`;
  let found: string;
  try {
    found = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} can't be read; write it first with: ${command}`);
  }
  if (found === text) say(`${name} is up to date`);
  else {
    say(`${name} is stale; write it anew with: ${command}`);
    terminal().exitCode = NOT_CONFORMANT;
  }
}

const REPEATED = [
  ...(['profile', 'catalogue', 'server', 'title', 'license', 'contact', 'tags', 'openapi'] as const),
  'models',
  'area',
  'format',
] as const;

/** What has to be said again for the same document. */
function flagsOf(options: GenerateOptions): string {
  return REPEATED.flatMap((name) =>
    [options[name] ?? []].flat().map((value) => `--${name} ${quote(value)} `),
  ).join('');
}

/** A word as a shell takes it back. */
function quote(word: string): string {
  return /^[\w./@:+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
