import type { FixtureRecord } from '../../fixtures/fixtures.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE, profileAt } from '../../spec/profile/profile.ts';
import { linkedModel } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import { NOBODY, secondOf } from '../engine/computed.ts';
import { type LineRelation, type RecordSemantics, refreshParents } from '../engine/relations.ts';
import type { Generated } from '../generated/generated.ts';
import { isFields } from '../operations/body.ts';
import type { ReadableRecords, SessionRecords } from '../store/store.ts';
import { createSeedReader, DEFAULT_ORIGIN } from './read-seeds.ts';
import { type Seed, storeSeeds } from './seed.ts';

/** Maximum number of records of a model that generated records can refer to. */
const MOST_EXISTING = 1000;

type Generating = { readonly clock: { now(): Date }; readonly records: SessionRecords };

/** Generates records in sessions. */
export function createGenerator(
  contract: Contract,
  semantics: RecordSemantics,
  /** Returns a function that shows the records of a model as fixtures. */
  show: (model: string) => (record: RecordValues) => FixtureRecord,
  origin = DEFAULT_ORIGIN,
) {
  const { catalogue, profile, references } = contract;
  const { relations } = semantics;
  const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  return { generate, fill, sample };

  /** Stores generated records. Returns the IDs of those of the model. */
  async function generate({ clock, records: all }: Generating, model: Model, count: number, seed?: number) {
    const now = secondOf(clock.now());
    return all.transaction(async (records) => {
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
  }

  /** Returns a record to create. It stores nothing. */
  async function sample({ records }: Pick<Generating, 'records'>, model: Model) {
    const seeds = read((await prepare(records, model, 1)).units());
    const drawn = seeds.find((one) => one.model === model);
    return { values: codec.encodeNamed(model.name, drawn ? sendable(drawn, seeds) : {}) };
  }

  /** Generates missing values of required fields, also in lines, and the records that links need. */
  async function fill(session: Generating, model: Model, values: object, link?: string): Promise<object> {
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
    const { values: drawn } = await sample(session, model);
    for (const field of missing) {
      const linked = catalogue.models.get(linkedModel(references, field) ?? '');
      const isThere = !linked || (await session.records.get(linked.name, Number(drawn[field.name])));
      filled[field.name] = isThere ? drawn[field.name] : (await generate(session, linked, 1))[0];
    }
    return filled;
  }

  /** Prepares records, and those that they need. By default, other existing records give other ones. */
  async function prepare(records: ReadableRecords, model: Model, count: number, seed?: number) {
    const existing = new Map<string, readonly FixtureRecord[]>();
    await readConnected(records, model, existing);
    const last = existing.get(model.name)?.at(-1)?.id ?? 0;
    const given = { existing, origin, seed: seed ?? Number(last) + 1 };
    // Loaded on use, because most mocks generate nothing.
    const { prepareGeneration } = await import('../generated/generated.ts');
    return prepareGeneration({ [model.name]: count }, contract, given);
  }

  /** Reads the first records that those of a model can refer to, and the last one, which new IDs follow. */
  async function readConnected(
    records: ReadableRecords,
    { fields, name }: Model,
    existing: Map<string, readonly FixtureRecord[]>,
  ): Promise<void> {
    const found = await records.find(name, { liveOnly: false, size: MOST_EXISTING });
    const last = { liveOnly: false, offset: Math.max(found.total - 1, MOST_EXISTING), size: 1 };
    const more = found.total > MOST_EXISTING ? (await records.find(name, last)).records : [];
    existing.set(name, [...found.records, ...more].map(show(name)));
    for (const field of fields) {
      const next = catalogue.models.get(field.lines ?? linkedModel(references, field) ?? '');
      if (next && !existing.has(next.name)) await readConnected(records, next, existing);
    }
  }

  function read(units: Iterable<readonly Generated[]>): Seed[] {
    const reader = createSeedReader(new Map(), { catalogue, profile, references, relations });
    const seeds = [...units].flat().flatMap(({ model, record }) => reader.readGenerated(model, record) ?? []);
    reader.refuse();
    return seeds;
  }

  /** Returns the fields of a record that a client can send, with its lines. */
  function sendable({ given, id, model }: Seed, seeds: readonly Seed[]): RecordValues {
    const values: Record<string, Value> = {};
    for (const field of model.fields) {
      const relation = relations.ofParent(model).find((one) => one.field === field);
      const value = relation ? linesToSend(relation, id, seeds) : (given[field.name] ?? null);
      if (!field.readonly && value !== null) values[field.name] = value;
    }
    return values;
  }

  /** Returns the lines of a record. Lines by ID would be lines of another record. */
  function linesToSend({ field, line, link }: LineRelation, id: number, seeds: readonly Seed[]): Value {
    if (link === undefined || profileAt(profile, field.key)['types.lines'] === 'ids')
      return field.required ? [] : null;
    const own = seeds.filter((one) => one.model === line && one.given[link] === id);
    return own.map((one) => {
      const { [link]: _, ...rest } = sendable(one, seeds);
      return rest;
    });
  }
}
