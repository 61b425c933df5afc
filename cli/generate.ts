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

/** Writes the document, or reports whether a file is up to date. */
export async function generate(options: GenerateOptions): Promise<void> {
  checkMeaning(options);
  checkEnding(options.output, 'generate');
  if (options.format === 'yaml' && extname(options.output).toLowerCase() === '.json')
    throw new UsageError(
      `--format yaml does not fit the file ${JSON.stringify(options.output)}. Pass --format json, or a file that ends with .yaml.`,
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
    options.compact,
  );
  if (options.check) compare(output, text, options);
  else if (output === '-') terminal().stdout.write(text);
  else saveFile(output, text);
}

/** Throws UsageError if --check has options but no file: the document of this package has none of them. */
function checkMeaning(options: GenerateOptions): void {
  const { check, format, output } = options;
  const isOwn = REPEATED.every(
    (name) => options[name] === undefined || (name === 'format' && format === 'yaml'),
  );
  if (!check || output !== '-' || isOwn) return;
  throw new UsageError(`--check with ${flagsOf(options).trim()} needs the file to compare. Pass -o <file>.`);
}

/** Returns the OpenAPI version that a document has, such as 3.0; undefined for any other file. */
function versionIn(text: string): string | undefined {
  return /^\s*"?openapi"?: *["']?(3\.[01])\./m.exec(text.slice(0, 1000))?.[1];
}

function compare(path: string, text: string, options: GenerateOptions): void {
  const name = relative('.', path);
  const command = `record-model generate ${flagsOf(options)}-o ${quote(name)}`;
  let found: string;
  try {
    found = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} can't be read. Write it first: ${command}`);
  }
  const [is, wanted] = [versionIn(found), versionIn(text)];
  if (found === text) say(`${name} is up to date`);
  else if (is !== undefined && is !== wanted)
    throw new UsageError(`${name} is an OpenAPI ${is} document. To compare it, pass --openapi ${is}.`);
  else {
    say(`${name} is out of date. Update it: ${command}`);
    terminal().exitCode = NOT_CONFORMANT;
  }
}

const REPEATED = [
  ...(['profile', 'catalogue', 'server', 'title', 'license', 'contact', 'tags', 'openapi'] as const),
  'models',
  'area',
  'format',
  'idFormat',
  'compact',
] as const;

/** Returns the flags that produce the same document. */
function flagsOf(options: GenerateOptions): string {
  return REPEATED.flatMap((name) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return [options[name] ?? []]
      .flat()
      .map((value) => (value === true ? `${flag} ` : `${flag} ${quote(value)} `));
  }).join('');
}

/** Quotes a word for a shell. */
function quote(word: string): string {
  return /^[\w./@:+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
