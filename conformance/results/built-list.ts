import { existsSync } from 'node:fs';
import { Document } from 'yaml';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { readAll, unexpected } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import type { Results } from './results.ts';

/** The models that a service has. If one of them is not built, the run fails. */
export type BuiltList = {
  /** The name of the file for messages. */
  readonly file: string;
  readonly models: ReadonlySet<string>;
};

/**
 * Reads a list of models such as `- brand`. A file that does not exist yet is an empty list. Throws UsageError for a model
 * that the catalogue does not have, or that is listed twice.
 */
export function loadBuiltList(file: string, { models }: Catalogue): BuiltList {
  const seen = new Set<string>();
  if (!existsSync(file)) return { file, models: seen };
  const list = readYamlFile(file);
  // A file with only comments.
  if (list.value === null) return { file, models: seen };
  readAll(list.items(), (item) => {
    const name = item.text();
    if (!models.has(name)) item.fail(unexpected('model', name, [...models.keys()]));
    if (seen.has(name)) item.fail(`${name} is listed twice. Remove one of them.`);
    seen.add(name);
  });
  return { file, models: seen };
}

const HEAD = `# The models that the service has. record-model check adds a model when one of its cases passes, and fails if a
# listed model is not built. If a model may be missing again, remove it from this list.
`;

/**
 * Returns the text of the list with the models that a run found built, or undefined if there is no new one. A model counts
 * as built when one of its cases passed, because a service in trouble can return another error instead of 404.
 */
export function renderBuiltList(
  { models }: BuiltList,
  { cases }: Pick<Results, 'cases'>,
): string | undefined {
  const passed = new Set(cases.filter(({ outcome }) => outcome === 'pass').map(({ model }) => model));
  const all = new Set([...models, ...passed]);
  if (all.size === models.size) return undefined;
  return `${HEAD}${new Document([...all].toSorted()).toString()}`;
}
