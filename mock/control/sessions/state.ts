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

export type StateAccess = ReturnType<typeof createStateAccess>;

const EVERY = { liveOnly: false } as const;

/** Reads and replaces the records of a session as fixtures. */
export function createStateAccess(contract: Contract, semantics: RecordSemantics) {
  const { catalogue, profile, references } = contract;
  const names = [...catalogue.models.keys()];
  // Fixtures have the form of the default profile, whatever profile the mock has.
  const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  return {
    /** Returns the records of some models, or of all that have any. Throws UsageError for an unknown model. */
    read: async ({ records }: Pick<Session, 'records'>, models?: readonly string[]): Promise<State> => {
      for (const name of models ?? [])
        if (!names.includes(name)) throw new UsageError(unexpected('model', name, names));
      const state: Record<string, State[string]> = {};
      // One after the other, because all at once would use all connections to a database.
      for (const name of models ?? names) {
        const all = (await records.find(name, EVERY)).records;
        if (models !== undefined || all.length > 0) state[name] = all.map(show(name));
      }
      return state;
    },
    /** Replaces all records, or those of the named models. Throws FixtureMistakes. */
    write: async (session: Session, state: State, scope: 'all' | 'named') => {
      const fixtures = new Map(Object.entries(state));
      const { relations } = semantics;
      // Checks everything before it changes anything.
      const seeds = readSeeds(fixtures, { catalogue, profile, references, relations });
      const now = secondOf(session.clock.now());
      await session.records.transaction(async (records) => {
        for (const name of scope === 'all' ? names : fixtures.keys()) await records.clear(name);
        await storeSeeds(seeds, { semantics, records, now });
        if (scope === 'named') await refreshOthers({ ...semantics, records, now, user: NOBODY }, fixtures);
      });
    },
    /** Returns the length of each model's list. */
    counts: async ({ records }: Session): Promise<ReadonlyMap<string, number>> => {
      const shown = { liveOnly: !profile['delete.listed'], size: 0 };
      const counts = new Map<string, number>();
      for (const name of names) counts.set(name, (await records.find(name, shown)).total);
      return counts;
    },
    show,
  };

  /** Returns a function that shows the records of a model as fixtures. */
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

  /** Updates the totals of the parents of replaced lines, unless the parents were replaced, too. */
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
