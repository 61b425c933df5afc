import { mkdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { loadFixtures } from '../fixtures/fixtures.ts';
import type { ExportName } from '../generator/export/export.ts';
import { swaggerUiFile } from '../generator/export/swagger-ui.ts';
import { type DocumentOptions, generateDocument } from '../generator/generate.ts';
import { serializeDocument } from '../generator/serialize.ts';
import { loadContract } from '../spec/contract.ts';
import { kitFile } from '../spec/files/kit-file.ts';
import { saveFile } from '../spec/files/save-file.ts';
import { UsageError, whyFailed } from '../spec/files/usage-error.ts';
import { asWord, type ContractOptions, isUrl, selectionOf } from './options.ts';
import { checkEnding, writeOutput } from './output.ts';
import { NOT_CONFORMANT, say, terminal } from './terminal/terminal.ts';

/** The options for the parts of a document that are not in the contract. */
type PublicationOptions = ContractOptions &
  Pick<DocumentOptions, 'title' | 'tags' | 'openapi' | 'idFormat' | 'compact'> & {
    readonly server?: readonly string[];
    readonly license?: string;
    readonly contact?: string;
  };

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
  const { validateDocument } = await import('../generator/validate.ts');
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

/** Writes an export to a file, a directory, or standard output. */
export async function writeExport(
  name: ExportName,
  options: PublicationOptions & { output: string },
): Promise<void> {
  const { output } = options;
  checkEnding(output, `export ${name}`);
  const { exportContract } = await import('../generator/export/export.ts');
  const written = await exportContract(name, loadContract(options), {
    ...publicationOf(options),
    renderer: loadRenderer,
  });
  if (typeof written === 'string') writeOutput(output, written);
  else saveAll(output, written);
}

function saveAll(directory: string, files: ReadonlyMap<string, string>): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new UsageError(
      `The directory ${directory} can't be created because ${whyFailed(error)}. Pass another directory to -o.`,
    );
  }
  for (const [name, text] of files) saveFile(join(directory, name), text);
  say(`Wrote ${files.size} files to ${directory}`);
}

/** Reads Swagger UI. */
function loadRenderer(): { script: string; style: string } {
  const read = (name: string) => readFileSync(swaggerUiFile(name), 'utf8');
  return { script: read('swagger-ui-bundle.js'), style: read('swagger-ui.css') };
}

/** Returns the document options of a command. The examples are records of the demo club, so another API has none. */
function publicationOf(options: PublicationOptions): DocumentOptions {
  const { catalogue, compact, contact, idFormat, license, openapi, server, tags, title } = options;
  return {
    compact,
    idFormat,
    openapi,
    tags,
    title,
    servers: server,
    records: catalogue === undefined ? loadFixtures('demo') : undefined,
    contact: contact === undefined ? undefined : contactOf(contact),
    license: license === undefined ? undefined : licenseOf(license),
    selection: selectionOf(options),
  };
}

function contactOf(who: string): { name?: string; email?: string; url?: string } {
  if (isUrl(who)) return { url: who };
  return /^[^\s@]+@[^\s@]+$/.test(who) ? { email: who } : { name: who };
}

function licenseOf(license: string): { name: string; identifier?: string; url?: string } {
  return isUrl(license) ? { name: 'Terms of use', url: license } : { name: license, identifier: license };
}
