import { Readable } from 'node:stream';
import type { Contract } from '../../../spec/contract.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../../spec/wire/record-codec.ts';
import { NOBODY, secondOf } from '../../engine/computed.ts';
import { type RecordSemantics, settle, type UnitOfWork } from '../../engine/relations.ts';
import { readSeeds } from '../../seed/read-seeds.ts';
import { storeSeeds } from '../../seed/seed.ts';
import type { Session } from './session.ts';

/** A record in the form of a fixture. */
type Fixture = Readonly<Record<string, unknown>>;

/** Records by model in the form of fixtures. */
export type State = Readonly<Record<string, readonly Fixture[]>>;

/** Some records of a model. The parts of a model follow each other. */
export type StatePart = { readonly model: string; readonly records: readonly Fixture[] };

export type StateAccess = ReturnType<typeof createStateAccess>;

/** Reads and replaces the records of a session as fixtures. */
export function createStateAccess(contract: Contract, semantics: RecordSemantics, lenient = false) {
  const { catalogue, profile, references } = contract;
  const names = [...catalogue.models.keys()];
  // Fixtures always have the form of the default profile.
  const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  return {
    readParts,
    /** Returns the records of some models, or of all that have any. Throws UsageError for an unknown model. */
    read: async (session: Pick<Session, 'records'>, models?: readonly string[]): Promise<State> => {
      const state: Record<string, Fixture[]> = {};
      for await (const { model, records } of readParts(session, models)) {
        const all = state[model] ?? [];
        all.push(...records);
        state[model] = all;
      }
      return state;
    },
    /** Returns the same as JSON, in parts. Rejects if the first part can't be read. */
    stream: async (session: Session, models?: readonly string[]): Promise<Readable> => {
      const parts = writeJson(readParts(session, models));
      const first = await parts.next();
      return Readable.from(
        (async function* () {
          if (first.done !== true) yield first.value;
          yield* parts;
        })(),
        { objectMode: false },
      );
    },
    /** Replaces all records, or those of the named models. Throws FixtureMistakes. */
    write: async (session: Session, state: State, scope: 'all' | 'named') => {
      const fixtures = new Map(Object.entries(state));
      const { relations } = semantics;
      // Checks everything before it changes anything.
      const seeds = readSeeds(fixtures, { catalogue, lenient, profile, references, relations });
      const now = secondOf(session.clock.now());
      await session.records.transaction(async (records) => {
        for (const name of scope === 'all' ? names : fixtures.keys()) await records.clear(name);
        await storeSeeds(seeds, { semantics, records, now });
        if (scope === 'named') await refreshOthers({ ...semantics, records, now, user: NOBODY }, fixtures);
      });
    },
    show,
  };

  /** Returns the records of some models, or of all that have any, in parts. Throws UsageError for an unknown model. */
  async function* readParts(
    { records }: Pick<Session, 'records'>,
    models?: readonly string[],
  ): AsyncGenerator<StatePart> {
    for (const name of models ?? [])
      if (!names.includes(name)) throw new UsageError(unexpected('model', name, names));
    for await (const part of records.readAll([...new Set(models ?? names)]))
      if (models !== undefined || part.records.length > 0)
        yield { model: part.model, records: part.records.map(show(part.model)) };
  }

  /** Returns a function that shows the records of a model as fixtures. */
  function show(name: string): (record: RecordValues) => Fixture {
    const model = catalogue.models.get(name);
    const derived = (model ? semantics.relations.ofParent(model) : [])
      .filter(({ link }) => link !== undefined)
      .map(({ field }) => field.name);
    return (record) => {
      const set = Object.entries(record).filter(
        ([field, value]: [string, Value]) => value !== null && !derived.includes(field),
      );
      return codec.encodeNamed(name, Object.fromEntries(set));
    };
  }

  /** Updates the totals of the parents of replaced lines, unless the parents were replaced, too. */
  async function refreshOthers(work: UnitOfWork, fixtures: ReadonlyMap<string, unknown>): Promise<void> {
    for (const model of catalogue.models.values())
      for (const { parent } of fixtures.has(model.name) ? semantics.relations.ofLine(model) : []) {
        if (fixtures.has(parent.name)) continue;
        const { records } = await work.records.find(parent.name, { liveOnly: true });
        for (const record of records) await settle(work, parent, record, record);
      }
  }
}

/** Length of a text that is sent at once. A record can be longer. */
const PART_LENGTH = 65_536;

/** Writes the parts of a state as one JSON object, with an indent as `JSON.stringify` does. */
export async function* writeJson(parts: AsyncIterable<StatePart>, indent = 0): AsyncGenerator<string> {
  const line = (depth: number) => (indent > 0 ? `\n${' '.repeat(indent * depth)}` : '');
  const textOf = (record: Fixture) => JSON.stringify(record, null, indent).replaceAll('\n', line(2));
  let before: string | undefined;
  let isEmpty = true;
  const end = () => `${isEmpty ? '' : line(1)}]`;
  for await (const { model, records } of parts) {
    let text = '';
    if (model !== before) {
      text = `${before === undefined ? '{' : `${end()},`}${line(1)}${JSON.stringify(model)}:${indent > 0 ? ' ' : ''}[`;
      isEmpty = true;
    }
    before = model;
    for (const record of records) {
      text += `${isEmpty ? '' : ','}${line(2)}${textOf(record)}`;
      isEmpty = false;
      if (text.length < PART_LENGTH) continue;
      yield text;
      text = '';
    }
    if (text !== '') yield text;
  }
  yield before === undefined ? '{}' : `${end()}${line(0)}}`;
}
