import type { FixtureRecord } from '../../fixtures/fixtures.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted } from '../../spec/catalogue/roles.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { References } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { NOBODY } from '../engine/computed.ts';
import { type LineRelations, linesOf, type RecordSemantics } from '../engine/relations.ts';
import type { Records } from '../store/store.ts';

/** A fixture as read: canonical values as the profile shows them. */
export type Seed = {
  readonly model: Model;
  readonly given: Record<string, Value>;
  readonly id: number;
  /** How messages call it, or a field of it: `club.yaml:4: warehouse 7`. Looking for the line takes time. */
  at(field?: string): string;
};

export type SeedSource = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
  readonly relations: LineRelations;
  /** Whether required fields that are missing are filled. */
  readonly lenient?: boolean | undefined;
  /** Whether there will be generated records of a model. */
  readonly isGenerated?: ((model: string) => boolean) | undefined;
  /** Where the images of the demo are; by default at DEFAULT_ORIGIN. */
  readonly origin?: string | undefined;
  /** Mistakes that were found before the records were read. */
  readonly mistakes?: readonly string[];
};

/** Returns the IDs of records, in their order: the given ones, and the next free ones for records without. */
export function numberRecords(records: readonly FixtureRecord[]): readonly unknown[] {
  let last = 0;
  for (const { id } of records) if (Number.isSafeInteger(id)) last = Math.max(last, Number(id));
  return records.map(({ id }) => {
    if (id !== undefined) return id;
    last += 1;
    return last;
  });
}

/** Stores seeds with computed fields. Returns the number of records. */
export async function storeSeeds(
  seeds: readonly Seed[],
  options: {
    readonly semantics: RecordSemantics;
    readonly records: Pick<Records, 'find' | 'get' | 'put' | 'remove'>;
    /** The time of creation of a record without `created`, as a canonical datetime. */
    readonly now: string;
  },
): Promise<number> {
  const { semantics, records, now } = options;
  const { computed, profile, relations } = semantics;
  deleteLines(seeds, relations);
  for (const { model, given, id } of seeds)
    await records.put(model.name, computed.complete(model, id, given, { now, user: NOBODY }));
  // Lines before their parents, whose totals follow from them.
  const turnOf = ({ model }: Seed) => (relations.isLine(model) ? 0 : 1);
  for (const { model, given, id } of seeds.toSorted((one, other) => turnOf(one) - turnOf(other))) {
    const record = await records.get(model.name, id);
    if (!record) continue;
    const reader = { ...semantics, records };
    const lines = relations.ofParent(model).map((relation) => linesOf(reader, relation, record));
    const parents = relations
      .ofLine(model)
      .map(({ parent, link }) => records.get(parent.name, Number(record[link])));
    const parent = (await Promise.all(parents)).find((found) => found !== undefined);
    const filled = computed.compute(model, { record, parent, lines: (await Promise.all(lines)).flat() });
    // The values of the fixture win.
    const set = Object.entries(given).filter(([, value]) => value !== null);
    if (filled !== record) await records.put(model.name, { ...filled, ...Object.fromEntries(set) });
  }
  const isGone = ({ given, model }: Seed) => profile['delete.effect'] === 'remove' && isDeleted(model, given);
  const gone = seeds.filter(isGone);
  for (const { id, model } of gone) await records.remove(model.name, id);
  return seeds.length - gone.length;
}

/** A delete takes the lines of a record along, and the record keeps their ids (mutations.ts): so do fixtures. */
export function deleteLines(seeds: readonly Seed[], relations: LineRelations): void {
  const byModel = Map.groupBy(seeds, ({ model }) => model.name);
  const byLink = new Map<string, Map<Value, Seed[]>>();
  const deleted = seeds.filter(({ given, model }) => isDeleted(model, given));
  for (const { model, id, given } of deleted)
    for (const { field, line, link } of relations.ofParent(model)) {
      const mark = fieldOf(line, 'deleted')?.name;
      if (mark === undefined) continue;
      // Only who says so leaves a line behind.
      const own = seedLines(line, link, id, given[field.name]).filter((one) => one.given[mark] !== false);
      given[field.name] = own.map((one) => one.id);
      for (const one of own) {
        if (one.given[mark] === true) continue;
        one.given[mark] = true;
        deleted.push(one);
      }
    }

  function seedLines(line: Model, link: string | undefined, id: number, held: Value = []): readonly Seed[] {
    const all = byModel.get(line.name) ?? [];
    if (link === undefined) return all.filter((one) => Array.isArray(held) && held.includes(one.id));
    const key = `${line.name}.${link}`;
    const known = byLink.get(key) ?? Map.groupBy(all, (one) => one.given[link] ?? null);
    byLink.set(key, known);
    return known.get(id) ?? [];
  }
}
