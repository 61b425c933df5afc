import { statSync } from 'node:fs';
import { plural } from '../conformance/results/text.ts';
import { diffDocuments } from '../generator/diff/diff.ts';
import { generateDocument } from '../generator/generate.ts';
import { loadContract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { readYamlFile } from '../spec/files/yaml-file.ts';
import { NOT_CONFORMANT, paint, say } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

type Change = ReturnType<typeof diffDocuments>[number];

type DiffOptions = { profile?: string; failOn?: 'breaking' | 'any'; verbose?: true };

/** Prints what changed from one contract to another: settings first, then the changes that break clients. */
export function diff(before: string, after: string, options: DiffOptions): void {
  const [old, fresh] = [readInput(before, options), readInput(after, options)];
  const changes = diffDocuments(old.document, fresh.document);
  const [settings, others] = [
    changes.filter(({ isSetting }) => isSetting),
    changes.filter((one) => !one.isSetting),
  ];
  for (const { place, what } of settings) print('setting', `${place}: ${what}`);
  // Between two profiles, every other change follows from a setting.
  const areConsequences = old.isProfile && fresh.isProfile;
  if (options.verbose || !areConsequences)
    for (const group of options.verbose ? others.map((one) => [one]) : groupAlike(others)) printGroup(group);

  const breaking = changes.filter((change) => change.breaking).length;
  if (changes.length === 0) say('No changes');
  else if (areConsequences)
    say(
      `${plural(settings.length, 'setting')} changed, which causes ${plural(others.length, 'change')} in the document (${breaking} breaking)${options.verbose ? '' : '. Pass --verbose to see them.'}`,
    );
  else say(`${plural(changes.length, 'change')}, ${breaking} breaking`);
  const counts = { breaking, any: changes.length };
  if (options.failOn && counts[options.failOn] > 0) terminal().exitCode = NOT_CONFORMANT;
}

/** Reads a directory as a catalogue, and a file as an OpenAPI document or a profile of the built-in catalogue. */
function readInput(path: string, { profile }: DiffOptions) {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isDirectory) {
    const contract = loadContract({ catalogue: path, ...(profile === undefined ? {} : { profile }) });
    return { document: generateDocument(contract), isProfile: false };
  }
  const { value } = readYamlFile(path);
  const document: Readonly<Record<string, unknown>> =
    value !== null && typeof value === 'object' ? { ...value } : {};
  if (!('openapi' in document) && !('swagger' in document))
    return { document: generateDocument(loadContract({ profile: path })), isProfile: true };
  if ('openapi' in document && /^3\.[01]\./.test(String(document.openapi)))
    return { document, isProfile: false };
  throw new UsageError(
    `${path} has OpenAPI version ${'openapi' in document ? document.openapi : '2.0'}. Pass a document in version 3.0 or 3.1.`,
  );
}

/** The number of similar changes that are still printed one by one. */
const FEW = 3;

/** Groups changes that differ only in their operation or schema. Returns small groups as single changes. */
function groupAlike(changes: readonly Change[]): (readonly Change[])[] {
  const alike = Map.groupBy(changes, ({ breaking, place, what }) => {
    const within = place.replace(/^\w+/, '');
    return `${breaking} ${within} ${what}`;
  });
  return [...alike.values()].flatMap((group) => (group.length > FEW ? [group] : group.map((one) => [one])));
}

function printGroup(group: readonly Change[]): void {
  const [first] = group;
  if (!first) return;
  const more = group.length > 1 ? ` and ${group.length - 1} more` : '';
  print(first.breaking ? 'breaking' : 'change', `${first.place}${more}: ${first.what}`);
}

function print(kind: 'setting' | 'breaking' | 'change', text: string): void {
  const { stdout } = terminal();
  const style = kind === 'breaking' ? 'red' : 'bold';
  stdout.write(`${paint(stdout, style, kind)}${' '.repeat(10 - kind.length)}${text}\n`);
}
