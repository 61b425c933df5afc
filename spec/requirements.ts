import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kitFile } from './files/kit-file.ts';
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

/** The ledger of statements by id. Throws UsageError for a row that is neither tested nor says why not. */
export const loadRequirements = onceForOwn(
  kitFile('spec/requirements.yaml'),
  (path): ReadonlyMap<string, Requirement> => {
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
  },
);

/** Loads the `requirements.yaml` next to the directory of a catalogue; empty without that file. */
export function loadRequirementsBeside(directory: string): ReadonlyMap<string, Requirement> {
  const path = join(directory, '..', 'requirements.yaml');
  return existsSync(path) ? loadRequirements(path) : new Map();
}
