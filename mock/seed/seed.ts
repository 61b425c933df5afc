import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createComputing } from '../engine/computed.ts';
import type { Families } from '../engine/line-relations.ts';
import { createLines } from '../engine/lines.ts';
import type { Store } from '../store/store.ts';
import { type Fixtures, readSeeds, type Seed } from './read-seeds.ts';

export type SeedOptions = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly families: Families;
  readonly store: Store;
  readonly clock: () => Date;
};

/**
 * Puts fixtures into a store, in canonical form and as the profile can show them: ids are kept, and what the service
 * fills in is added where it is missing. What a profile has no place for is made to fit in the demo data, and a
 * mistake elsewhere. Gives the number of records. Throws UsageError with file, model, id and field.
 */
export async function seedStore(fixtures: Fixtures, options: SeedOptions): Promise<number> {
  const { catalogue, profile, families, store, clock } = options;
  const computing = createComputing(catalogue, profile, clock);
  const seeds = readSeeds(fixtures, options);
  deleteLines(seeds, families);
  for (const { model, given, id } of seeds) await store.put(model.name, computing.complete(model, id, given));
  const lines = createLines(families, store, profile['types.lines']);
  // Lines before their parents, whose totals follow from them.
  const isLine = ({ model }: Seed) => families.ofLine(model).length > 0;
  for (const seed of [...seeds.filter(isLine), ...seeds.filter((one) => !isLine(one))]) await fillIn(seed);
  if (profile['delete.effect'] === 'remove')
    for (const { model, given, id } of seeds) if (given.deleted === true) await store.remove(model.name, id);
  return seeds.filter(({ given }) => profile['delete.effect'] === 'mark' || given.deleted !== true).length;

  async function fillIn({ model, given, id }: Seed): Promise<void> {
    const record = await store.get(model.name, id);
    if (!record) return;
    const members = families.ofParent(model).map((family) => lines.members(family, record));
    const parents = families
      .ofLine(model)
      .map(({ parent, link }) => store.get(parent.name, Number(record[link])));
    const parent = (await Promise.all(parents)).find((found) => found !== undefined);
    const computed = computing.compute(model, { record, parent, lines: (await Promise.all(members)).flat() });
    if (computed !== record) await store.put(model.name, { ...computed, ...given });
  }
}

/** A delete takes the lines of a record along, and the record keeps their ids (writing.ts): so do fixtures. */
function deleteLines(seeds: readonly Seed[], families: Families): void {
  const byModel = Map.groupBy(seeds, ({ model }) => model.name);
  const byLink = new Map<string, Map<Value, Seed[]>>();
  const deleted = seeds.filter(({ given }) => given.deleted === true);
  for (const { model, id, given } of deleted)
    for (const { field, line, link } of families.ofParent(model)) {
      if (!line.fields.some(({ name }) => name === 'deleted')) continue;
      // Only who says so leaves a line behind.
      const own = linesOf(line, link, id, given[field.name]).filter((one) => one.given.deleted !== false);
      given[field.name] = own.map((one) => one.id);
      for (const one of own) {
        if (one.given.deleted === true) continue;
        one.given.deleted = true;
        deleted.push(one);
      }
    }

  function linesOf(line: Model, link: string | undefined, id: number, held: Value = []): readonly Seed[] {
    const all = byModel.get(line.name) ?? [];
    if (link === undefined) return all.filter((one) => Array.isArray(held) && held.includes(one.id));
    const key = `${line.name}.${link}`;
    const known = byLink.get(key) ?? Map.groupBy(all, (one) => one.given[link] ?? null);
    byLink.set(key, known);
    return known.get(id) ?? [];
  }
}
