import { statSync } from 'node:fs';
import { plural } from '../conformance/results/text.ts';
import { diffDocuments } from '../generator/diff/diff.ts';
import { generateDocument } from '../generator/generate.ts';
import { isObject } from '../spec/files/check-options.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { readYamlFile } from '../spec/files/yaml-file.ts';
import { NOT_CONFORMANT, paint, say, terminal } from './terminal/terminal.ts';

type Change = ReturnType<typeof diffDocuments>[number];

type DiffOptions = { profile?: string; failOn?: 'breaking' | 'any'; verbose?: true };

/** Prints what changed from one contract to another: settings first, then the changes that break clients. */
export function diff(before: string, after: string, options: DiffOptions): void {
  const [old, fresh] = [readInput(before, options), readInput(after, options)];
  const changes = diffDocuments(old.document, fresh.document);
  const { settings = [], others = [] } = Object.groupBy(changes, ({ isSetting }) =>
    isSetting ? 'settings' : 'others',
  );
  for (const change of settings) print('setting', change);
  // Between two profiles, every other change follows from a setting.
  const areConsequences = old.isProfile && fresh.isProfile;
  const groups = options.verbose ? others.map((one) => [one]) : groupAlike(areConsequences ? [] : others);
  for (const [first, ...more] of groups)
    if (first) print(first.breaking ? 'breaking' : 'change', first, more.length);

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
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    return { document: generateDocument({ catalogue: path, profile }), isProfile: false };
  const { value } = readYamlFile(path);
  const document = isObject(value) ? value : {};
  if (!('openapi' in document) && !('swagger' in document))
    return { document: generateDocument({ profile: path }), isProfile: true };
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

/** Prints a change, with the number of similar ones. */
function print(kind: 'setting' | 'breaking' | 'change', { place, what }: Change, more = 0): void {
  const { stdout } = terminal();
  const style = kind === 'breaking' ? 'red' : 'bold';
  const others = more > 0 ? ` and ${more} more` : '';
  stdout.write(`${paint(stdout, style, kind)}${' '.repeat(10 - kind.length)}${place}${others}: ${what}\n`);
}
