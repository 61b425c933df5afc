import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from './catalogue/catalogue.ts';
import { checkShape } from './files/shape.ts';
import { readYamlFile } from './files/yaml-file.ts';
import { onceForOwn } from './once-for.ts';

/** A statement of the source, and how it is tested. */
export type Requirement = {
  readonly id: string;
  /** The sections of the source that state it. */
  readonly section: string;
  readonly says: string;
  /** The rules that test it; empty where none can. */
  readonly rules: readonly string[];
  /** Why no rule can test it. */
  readonly untestable?: string;
};

/**
 * Returns the requirements by ID, from the `requirements.yaml` next to the directory of a catalogue; empty without that
 * file. Throws UsageError for a row that is neither tested nor says why not.
 */
export const loadRequirements = onceForOwn(CATALOGUE, (directory): ReadonlyMap<string, Requirement> => {
  const path = join(directory, '..', 'requirements.yaml');
  if (!existsSync(path)) return new Map();
  const file = readYamlFile(path);
  checkShape(file, 'requirements');
  return new Map(
    file.entries().map(([key, place]): [string, Requirement] => {
      const { rules = [], ...row } = place.value as Omit<Requirement, 'id' | 'rules'> & {
        rules?: string[];
      };
      if (rules.length > 0 === (row.untestable !== undefined))
        place.fail(`${key} needs either rules or untestable. Add one of them.`);
      return [String(key), { id: String(key), rules, ...row }];
    }),
  );
});
