import { readFileSync } from 'node:fs';
import { extname, relative } from 'node:path';
import { generateDocument } from '../generator/generate.ts';
import { serializeDocument } from '../generator/serialize.ts';
import { validateDocument } from '../generator/validate.ts';
import { loadContract } from '../spec/contract.ts';
import { kitFile } from '../spec/files/kit-file.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { asWord } from './options.ts';
import { checkEnding, writeOutput } from './output.ts';
import { type PublicationOptions, publicationOf } from './publication.ts';
import { NOT_CONFORMANT, say, terminal } from './terminal/terminal.ts';

type GenerateOptions = PublicationOptions & { output: string; format?: 'yaml' | 'json'; check?: true };

/** Writes the document, or reports whether a file is up to date. `command` produces the same document. */
export async function generate(options: GenerateOptions, command: string): Promise<void> {
  const flags = command.replace(/^record-model generate ?/, '');
  // The document of this package has none of the options.
  if (options.check && options.output === '-' && !['', '--format yaml'].includes(flags))
    throw new UsageError(`--check with ${flags} needs the file to compare. Pass -o <file>.`);
  checkEnding(options.output, 'generate');
  if (options.format === 'yaml' && extname(options.output).toLowerCase() === '.json')
    throw new UsageError(
      `--format yaml does not fit the file ${JSON.stringify(options.output)}. Pass --format json, or a file that ends with .yaml.`,
    );
  const output = options.check && options.output === '-' ? kitFile('spec/openapi.yaml') : options.output;
  const document = generateDocument(loadContract(options), publicationOf(options));
  await validateDocument(document);
  const text = serializeDocument(
    document,
    options.format ?? (extname(output).toLowerCase() === '.json' ? 'json' : 'yaml'),
    options.compact,
  );
  if (options.check) compare(output, text, command);
  else writeOutput(output, text);
}

/** Returns the OpenAPI version that a document has, such as 3.0; undefined for any other file. */
function versionIn(text: string): string | undefined {
  return /^\s*"?openapi"?: *["']?(3\.[01])\./m.exec(text.slice(0, 1000))?.[1];
}

function compare(path: string, text: string, command: string): void {
  const name = relative('.', path);
  const update = `${command} -o ${asWord(name)}`;
  let found: string;
  try {
    found = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} can't be read. Write it first: ${update}`);
  }
  const [is, wanted] = [versionIn(found), versionIn(text)];
  if (found === text) say(`${name} is up to date`);
  else if (is !== undefined && is !== wanted)
    throw new UsageError(`${name} is an OpenAPI ${is} document. To compare it, pass --openapi ${is}.`);
  else {
    say(`${name} is out of date. Update it: ${update}`);
    terminal().exitCode = NOT_CONFORMANT;
  }
}
