import { statSync } from 'node:fs';
import { diffDocuments } from '../generator/diff/diff.ts';
import { generateDocument } from '../generator/generate.ts';
import { loadContract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { readYamlFile } from '../spec/files/yaml-file.ts';
import { NOT_CONFORMANT, say } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

type DiffOptions = { profile?: string; failOn?: 'breaking' | 'any' };

/** Says what changed from one document or catalogue to another, a line a change. */
export function diff(before: string, after: string, options: DiffOptions): void {
  const changes = diffDocuments(readDocument(before, options), readDocument(after, options));
  for (const { breaking, place, what } of changes)
    terminal().stdout.write(`${breaking ? 'breaking' : 'change  '}  ${place}: ${what}\n`);
  const breaking = changes.filter((change) => change.breaking).length;
  say(changes.length === 0 ? 'no changes' : `${changes.length} changes, ${breaking} of them breaking`);
  const counts = { breaking, any: changes.length };
  if (options.failOn && counts[options.failOn] > 0) terminal().exitCode = NOT_CONFORMANT;
}

/** A directory is a catalogue; a file is a document, or a profile of the API of this kit. */
function readDocument(path: string, { profile }: DiffOptions): { readonly [key: string]: unknown } {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isDirectory)
    return generateDocument(loadContract({ catalogue: path, ...(profile === undefined ? {} : { profile }) }));
  const { value } = readYamlFile(path);
  const document = value !== null && typeof value === 'object' ? { ...value } : {};
  if (!('openapi' in document) && !('swagger' in document))
    return generateDocument(loadContract({ profile: path }));
  if ('openapi' in document && /^3\.[01]\./.test(String(document.openapi))) return document;
  throw new UsageError(
    `${path} is a document in OpenAPI ${'openapi' in document ? document.openapi : 2}; expected 3.0 or 3.1`,
  );
}
