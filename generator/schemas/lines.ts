import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { parentLink } from '../../spec/references.ts';
import type { Sources } from '../sources.ts';

/** The model of a field's lines where they stand in full (`types.lines: objects`), else undefined. */
export function lineModel(field: Field, { catalogue, profile }: Sources): Model | undefined {
  if (field.lines === undefined || profile['types.lines'] !== 'objects') return undefined;
  return catalogue.models.get(field.lines);
}

/** The field of a line that is not asked for inside its parent: the link to a record that does not exist yet. */
export function isParentLink(field: Field, line: Model, parent: Model, { references }: Sources): boolean {
  return parentLink(line, parent, references)?.name === field.name;
}

/** Throws UsageError when lines that stand in full hold each other in a circle: such a record has no end. */
export function refuseCircularLines(catalogue: Catalogue): void {
  const ended = new Set<string>();
  for (const name of catalogue.models.keys()) follow(name, []);

  function follow(name: string, path: readonly string[]): void {
    if (path.includes(name))
      throw new UsageError(
        `The lines of ${name} contain ${name} again (${[...path, name].join(' → ')}). Set types.lines to ids in the profile, or change the line models.`,
      );
    if (ended.has(name)) return;
    for (const field of catalogue.models.get(name)?.fields ?? [])
      if (field.lines !== undefined) follow(field.lines, [...path, name]);
    ended.add(name);
  }
}
