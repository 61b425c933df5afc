import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dataFile } from './files/data-file.ts';
import { unexpected } from './files/usage-error.ts';
import { readYamlFile } from './files/yaml-file.ts';

/** A statement of the source, and how it is tested. */
export type Requirement = {
  readonly id: string;
  /** The sections of the source it stands in. */
  readonly section: string;
  readonly says: string;
  /** The rules that test it; empty where none can. */
  readonly rules: readonly string[];
  /** Why no rule can test it. */
  readonly untestable?: string;
};

/** The ledger of statements by id. Throws UsageError for a row that is neither tested nor says why not. */
export function loadRequirements(
  path: string = dataFile('requirements.yaml'),
): ReadonlyMap<string, Requirement> {
  const rows = readYamlFile(path)
    .entries()
    .map(([key, place]): [string, Requirement] => {
      const parts = new Map(place.entries().map(([name, part]) => [String(name), part]));
      for (const [name, part] of parts)
        if (!PARTS.includes(name)) part.fail(unexpected('the key', name, PARTS));
      const text = (name: string) =>
        parts.get(name)?.text() ?? place.fail(`${key} has no ${name}; expected a text`);
      const rules =
        parts
          .get('rules')
          ?.items()
          .map((item) => item.text()) ?? [];
      const untestable = parts.get('untestable')?.text();
      if (rules.length > 0 === (untestable !== undefined))
        place.fail(`${key} has to name rules, or say why it is untestable; expected one of the two`);
      const id = String(key);
      return [
        id,
        {
          id,
          section: text('section'),
          says: text('says'),
          rules,
          ...(untestable === undefined ? {} : { untestable }),
        },
      ];
    });
  return new Map(rows);
}

/** The ledger beside a catalogue of one's own, as its links are; without one there are no statements to speak of. */
export function loadRequirementsBeside(directory: string): ReadonlyMap<string, Requirement> {
  const path = join(directory, '..', 'requirements.yaml');
  return existsSync(path) ? loadRequirements(path) : new Map();
}

const PARTS = ['section', 'says', 'rules', 'untestable'];
