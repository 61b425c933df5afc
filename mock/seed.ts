import type { Catalogue, Model } from '../spec/catalogue.ts';
import { DEFAULT_PROFILE, type Profile } from '../spec/profile.ts';
import type { RecordValues } from '../spec/record-codec.ts';
import { WIRE_TYPES } from '../spec/types/types.ts';
import type { Value } from '../spec/types/wire-type.ts';
import { UsageError, unexpected } from '../spec/usage-error.ts';
import { createComputing } from './computed.ts';
import type { Families } from './families.ts';
import { createLines } from './lines.ts';
import type { Store } from './store/store.ts';
import { createValueValidators } from './validators.ts';

export type Fixtures = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

export type SeedOptions = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly families: Families;
  readonly store: Store;
  readonly clock: () => Date;
};

type Seed = { readonly model: Model; readonly given: RecordValues; readonly id: number };

/**
 * Puts fixtures into a store, in canonical form whatever the profile: ids are kept, and what the service fills in
 * is added where it is missing. Gives the number of records. Throws UsageError with model, id and field.
 */
export async function seedStore(fixtures: Fixtures, options: SeedOptions): Promise<number> {
  const { catalogue, profile, families, store, clock } = options;
  const computing = createComputing(catalogue, clock);
  const seeds = readSeeds(fixtures, catalogue, families);
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

function readSeeds(fixtures: Fixtures, catalogue: Catalogue, families: Families): Seed[] {
  const validate = createValueValidators(DEFAULT_PROFILE);
  return [...fixtures].flatMap(([name, records]) => {
    const model = catalogue.models.get(name);
    if (!model) throw new UsageError(unexpected('fixtures: the model', name, [...catalogue.models.keys()]));
    const seeds = records.map((record) => readSeed(model, record)).sort((one, other) => one.id - other.id);
    for (const [index, { id }] of seeds.entries())
      if (seeds[index - 1]?.id === id)
        throw new UsageError(`fixtures: ${name} ${id} stands twice; expected it once`);
    return seeds;
  });

  function readSeed(model: Model, record: Readonly<Record<string, unknown>>): Seed {
    const { id } = record;
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 1)
      throw new UsageError(
        `fixtures: a ${model.name} has the id ${JSON.stringify(id)}; expected a whole number from 1`,
      );
    const at = `fixtures: ${model.name} ${id}`;
    const names = model.fields.map((field) => field.name);
    for (const name of Object.keys(record))
      if (!names.includes(name)) throw new UsageError(`${at}: ${unexpected('the field', name, names)}`);
    const given = model.fields.flatMap((field): (readonly [string, Value])[] => {
      const value = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
      // Without a link the parent's own field is the only place that says which lines it has.
      const linked = families
        .ofParent(model)
        .some((family) => family.field === field && family.link !== undefined);
      if (field.lines !== undefined && value !== undefined && !linked && isIds(value))
        return [[field.name, value]];
      if (field.lines !== undefined && value !== undefined)
        throw new UsageError(
          `${at}: ${field.name} is given; expected records of ${field.lines} that name their parent`,
        );
      if (value === undefined || value === null) {
        if (field.required && !field.readonly && field.lines === undefined)
          throw new UsageError(`${at}: ${field.name} is required; expected a ${field.type}`);
        return [];
      }
      const [wrong] = validate(field, value);
      if (wrong) throw new UsageError(`${at}: ${field.name}${wrong.pointer} ${wrong.message}`);
      return [[field.name, canonical(field, value as Value)] as const];
    });
    const values: Record<string, Value> = Object.fromEntries(given);
    // A record that was never changed was last changed when it was made.
    const { created } = values;
    if (created !== undefined && names.includes('updated')) values.updated ??= created;
    return { model, id, given: values };
  }
}

/** A fixture may be written in any form the default profile takes, such as a time with an offset. */
function canonical(field: Model['fields'][number], value: Value): Value {
  return WIRE_TYPES[field.type].decode(value, { field, profile: DEFAULT_PROFILE });
}

function isIds(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((id) => Number.isSafeInteger(id));
}
