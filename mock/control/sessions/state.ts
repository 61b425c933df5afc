import type { Contract } from '../../../spec/contract.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../../spec/wire/record-codec.ts';
import { NOBODY, secondOf } from '../../engine/computed.ts';
import { settle } from '../../engine/lines.ts';
import type { RecordSemantics, UnitOfWork } from '../../engine/unit-of-work.ts';
import { readSeeds } from '../../seed/read-seeds.ts';
import { storeSeeds } from '../../seed/seed.ts';
import type { Session } from './sessions.ts';

/** Records by model in the form of fixtures. */
export type State = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** The records of a session as fixtures: what is read can be put back. */
export type StateAccess = {
  /** The records of some models, or of all that have any. Throws UsageError for a model that there is not. */
  read(session: Pick<Session, 'records'>, models?: readonly string[]): Promise<State>;
  /** Puts records in the place of all, or of those of the models that are named. Throws FixtureMistakes. */
  write(session: Session, state: State, scope: 'all' | 'named'): Promise<void>;
  /** How many records the list of each model has. */
  counts(session: Session): Promise<ReadonlyMap<string, number>>;
};

const EVERY = { liveOnly: false } as const;

export function createStateAccess(contract: Contract, semantics: RecordSemantics): StateAccess {
  const { catalogue, profile, references } = contract;
  const names = [...catalogue.models.keys()];
  // Fixtures are written in the form of the default profile, whatever the mock speaks.
  const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  return {
    read: async ({ records }, models) => {
      for (const name of models ?? [])
        if (!names.includes(name)) throw new UsageError(unexpected('model', name, names));
      const state: Record<string, State[string]> = {};
      // One after the other: all at once would leave nobody else a connection to a database.
      for (const name of models ?? names) {
        const all = (await records.find(name, EVERY)).records;
        if (models !== undefined || all.length > 0) state[name] = all.map(show(name));
      }
      return state;
    },
    write: async (session, state, scope) => {
      const fixtures = new Map(Object.entries(state));
      const { relations } = semantics;
      // All is checked before anything is changed.
      const seeds = readSeeds(fixtures, { catalogue, profile, references, relations });
      const now = secondOf(session.clock.now());
      await session.records.transaction(async (records) => {
        for (const name of scope === 'all' ? names : fixtures.keys()) await records.clear(name);
        await storeSeeds(seeds, { semantics, records, now });
        if (scope === 'named') await refreshOthers({ ...semantics, records, now, user: NOBODY }, fixtures);
      });
    },
    counts: async ({ records }) => {
      const shown = { liveOnly: !profile['delete.listed'], size: 0 };
      const counts = new Map<string, number>();
      for (const name of names) counts.set(name, (await records.find(name, shown)).total);
      return counts;
    },
  };

  function show(name: string): (record: RecordValues) => Readonly<Record<string, unknown>> {
    const model = catalogue.models.get(name);
    const derived = semantics.relations
      .ofParent(model ?? throwUnknown(name))
      .filter(({ link }) => link !== undefined)
      .map(({ field }) => field.name);
    return (record) => {
      const set = Object.entries(record).filter(
        ([field, value]: [string, Value]) => value !== null && !derived.includes(field),
      );
      return codec.encodeNamed(name, Object.fromEntries(set));
    };
  }

  /** The parents of lines that were replaced have other totals, unless they were replaced too. */
  async function refreshOthers(work: UnitOfWork, fixtures: ReadonlyMap<string, unknown>): Promise<void> {
    for (const name of fixtures.keys())
      for (const { parent } of semantics.relations.ofLine(catalogue.models.get(name) ?? throwUnknown(name))) {
        if (fixtures.has(parent.name)) continue;
        const { records } = await work.records.find(parent.name, { liveOnly: true });
        for (const record of records) await settle(work, parent, record, record);
      }
  }
}

function throwUnknown(name: string): never {
  throw new TypeError(`There is no model ${name}.`);
}
