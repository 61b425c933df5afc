import { METHODS } from '../../../spec/binding.ts';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { DEFAULT_PROFILE, profileAt } from '../../../spec/profile/profile.ts';
import type { References } from '../../../spec/references.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { stringifyForm } from '../../../spec/wire/form.ts';
import { createRecordCodec, type RecordValues } from '../../../spec/wire/record-codec.ts';
import { NOBODY, secondOf } from '../../engine/computed.ts';
import type { RecordSemantics } from '../../engine/relations.ts';
import { refreshParents } from '../../engine/relations.ts';
import { type Generated, prepareGeneration } from '../../generated/generated.ts';
import { isFields } from '../../operations/body.ts';
import { createSeedReader } from '../../seed/read-seeds.ts';
import { DEFAULT_ORIGIN } from '../../seed/read-values.ts';
import { storeSeeds } from '../../seed/seed.ts';
import type { FixtureRecord, Seed } from '../../seed/seed-record.ts';
import type { ReadableRecords } from '../../store/store.ts';
import type { Session } from '../sessions/session.ts';
import type { StateAccess } from '../sessions/state.ts';
import type { Sample } from './records-api.ts';

/** Maximum number of records of a model that generated records can refer to. */
const MOST_EXISTING = 1000;

/** The forms of a body, by `request.encoding`. */
const BODIES = {
  json: ['application/json', JSON.stringify],
  form: ['application/x-www-form-urlencoded', stringifyForm],
} as const;

/** Generates records that refer to those of a session. */
export function createGenerator(
  contract: Contract,
  semantics: RecordSemantics,
  { origin = DEFAULT_ORIGIN, state }: { readonly state: StateAccess; readonly origin: string | undefined },
) {
  const { catalogue, profile, references } = contract;
  const { relations } = semantics;
  const fixtureCodec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  const wireCodec = createRecordCodec(catalogue, profile);
  const self = {
    /** Stores generated records. Returns the IDs of those of the model. */
    generate: async (session: Session, model: Model, count: number, seed?: number) => {
      const now = secondOf(session.clock.now());
      return session.records.transaction(async (records) => {
        const generation = await prepare(records, model, count, seed);
        // The next IDs after the existing ones can be used up.
        const ids = new Map<string, number[]>();
        for (const [name, total] of generation.counts) {
          const own: number[] = [];
          while (own.length < total) own.push(await records.nextId(name));
          ids.set(name, own);
        }
        const seeds = read(generation.units(ids));
        await storeSeeds(seeds, { semantics, records, now });
        const work = { ...semantics, records, now, user: NOBODY };
        const isMade = new Set(seeds.map((one) => `${one.model.name} ${one.id}`));
        for (const { given, model: line } of seeds)
          for (const { link, parent } of relations.ofLine(line))
            if (!isMade.has(`${parent.name} ${given[link]}`)) await refreshParents(work, line, given);
        return ids.get(model.name) ?? [];
      });
    },
    fill,
    /** Returns a record to create, and the request that creates it. It stores nothing. */
    sample: async ({ records }: Session, model: Model): Promise<Sample> => {
      const seeds = read((await prepare(records, model, 1)).units());
      const drawn = seeds.find((one) => one.model === model);
      const values = drawn ? sendable(drawn, seeds) : {};
      const shown = { values: fixtureCodec.encodeNamed(model.name, values) };
      if (!model.operations.includes('create')) return shown;
      const [contentType, write] = BODIES[profile['request.encoding']];
      return {
        ...shown,
        method: METHODS.create.toUpperCase(),
        path: `${catalogue.base}/${model.name}`,
        contentType,
        body: write(wireCodec.encodeNamed(model.name, values)),
      };
    },
  };
  return self;

  /**
   * Adds generated values for the required fields that are missing, in the record and in its lines. Creates the records
   * that links need, if there are none.
   */
  async function fill(session: Session, model: Model, values: object, link?: string): Promise<object> {
    if (!isFields(values)) return values;
    const filled: Record<string, unknown> = { ...values };
    for (const { field, line, link: parent } of relations.ofParent(model)) {
      const lines = filled[field.name];
      if (!Array.isArray(lines)) continue;
      const whole: unknown[] = [];
      for (const one of lines) whole.push(isFields(one) ? await fill(session, line, one, parent) : one);
      filled[field.name] = whole;
    }
    const missing = model.fields.filter(
      ({ name, readonly, required }) => required && !readonly && name !== link && filled[name] === undefined,
    );
    if (missing.length === 0) return filled;
    const { values: drawn } = await self.sample(session, model);
    for (const field of missing) {
      const target = targetOf(field, references);
      const linked = target === undefined ? undefined : catalogue.models.get(target);
      const isThere = !linked || (await session.records.get(linked.name, Number(drawn[field.name])));
      filled[field.name] = isThere ? drawn[field.name] : (await self.generate(session, linked, 1))[0];
    }
    return filled;
  }

  /** Prepares records, and those that they need. By default, other existing records give other ones. */
  async function prepare(records: ReadableRecords, model: Model, count: number, seed?: number) {
    const existing = new Map<string, readonly FixtureRecord[]>();
    for (const name of connected(model)) existing.set(name, await readSome(records, name));
    const last = existing.get(model.name)?.at(-1)?.id ?? 0;
    const given = { existing, origin, seed: seed ?? Number(last) + 1 };
    return prepareGeneration({ [model.name]: count }, contract, given);
  }

  /** Returns the first records of a model, and the last one, so that new IDs follow it. */
  async function readSome(records: ReadableRecords, name: string): Promise<FixtureRecord[]> {
    const first = await records.find(name, { liveOnly: false, size: MOST_EXISTING });
    const more =
      first.total > MOST_EXISTING
        ? (await records.find(name, { liveOnly: false, offset: first.total - 1, size: 1 })).records
        : [];
    return [...first.records, ...more].map(state.show(name));
  }

  /** Returns the models that records of a model can refer to, also through others. */
  function connected(model: Model, known = new Set<string>()): ReadonlySet<string> {
    if (known.has(model.name)) return known;
    known.add(model.name);
    const linked = model.fields.flatMap((field) => targetOf(field, references) ?? []);
    const lines = relations.ofParent(model).map(({ line }) => line.name);
    for (const name of [...linked, ...lines]) {
      const next = catalogue.models.get(name);
      if (next) connected(next, known);
    }
    return known;
  }

  function read(units: Iterable<readonly Generated[]>): Seed[] {
    const reader = createSeedReader(new Map(), { catalogue, profile, references, relations });
    const seeds = [...units].flat().flatMap(({ model, record }) => reader.readGenerated(model, record) ?? []);
    reader.refuse();
    return seeds;
  }

  /** Returns the fields of a record that a client can send, with its lines. */
  function sendable({ given, id, model }: Seed, seeds: readonly Seed[]): RecordValues {
    const writable = model.fields.filter(({ readonly }) => !readonly);
    const lines = new Map(relations.ofParent(model).map((relation) => [relation.field, relation]));
    const values = writable.flatMap((field): (readonly [string, Value])[] => {
      const relation = lines.get(field);
      if (!relation) {
        const value = given[field.name] ?? null;
        return value === null ? [] : [[field.name, value]];
      }
      const { line, link } = relation;
      // Lines by ID would be lines of another record.
      if (link === undefined || profileAt(profile, field.key)['types.lines'] === 'ids')
        return field.required ? [[field.name, []]] : [];
      const own = seeds.filter((one) => one.model === line && one.given[link] === id);
      return [
        [
          field.name,
          own.map((one) => {
            const { [link]: _, ...rest } = sendable(one, seeds);
            return rest;
          }),
        ],
      ];
    });
    return Object.fromEntries(values);
  }
}

/** Returns the model that a field links to. */
function targetOf({ key }: Field, references: References): string | undefined {
  const reference = references.get(key);
  return reference === undefined || 'outside' in reference ? undefined : reference.to;
}
