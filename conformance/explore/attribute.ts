import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted } from '../api/answer.ts';
import type { Id } from '../api/places.ts';
import { Blocked, Skip } from '../assert/failure.ts';
import type { ExpectedState } from '../judge/state.ts';
import type { CaseSetup } from '../plan/case-setup.ts';
import type { CaseContext } from '../plan/rule.ts';
import { NoAnswer } from '../target/no-answer.ts';

export type AttributeOptions = {
  readonly setup: CaseSetup;
  readonly state: Pick<ExpectedState, 'suspects' | 'prove' | 'tryAgain'>;
  readonly isStopped: () => boolean;
};

type Suspect = ReturnType<ExpectedState['suspects']>[number];
type Write = NonNullable<Suspect['writes']>[number];

const MOST_SUSPECTS = 3;
/** Maximum number of writes to send again: the last ones before the change. */
const MOST_WRITES = 12;
/** Milliseconds without requests, in which the record must not change. */
const CALM = 100;

/**
 * Finds the write of the run that changed an unexpected record. It sends the last writes again, to its own records, and
 * halves them while the unexpected record, or a neighbor, still changes. The neighbor is a record of the run that was
 * created just before, because a service can change the record before the written one. Deletes aren't repeated, because
 * they might delete another record.
 */
export async function attribute({ isStopped, setup, state }: AttributeOptions): Promise<void> {
  for (const suspect of state.suspects().slice(0, MOST_SUSPECTS)) {
    if (isStopped()) return;
    const writes = (suspect.writes ?? [])
      .filter(({ operation }) => operation === 'create' || operation === 'update')
      .slice(0, MOST_WRITES);
    const contexts = new Map<Model, CaseContext>();
    const open = (model: Model) => {
      const context = contexts.get(model) ?? setup.open(model, 'attribution', () => {});
      contexts.set(model, context);
      return context;
    };
    try {
      const found = await state.tryAgain(() => halve(suspect, writes, open));
      if (found) state.prove(suspect, found);
    } catch (error) {
      const isOpen = error instanceof Blocked || error instanceof Skip;
      if (!isOpen && !(error instanceof NoAnswer && !error.gone)) throw error;
    } finally {
      for (const context of contexts.values()) await state.tryAgain(() => setup.close(context));
    }
  }
}

async function halve(
  { record: { id, model } }: Suspect,
  writes: readonly Write[],
  open: (model: Model) => CaseContext,
): Promise<Write | undefined> {
  let found = writes;
  if (found.length === 0 || !(await isCalm()) || !(await changesAfter(found))) return undefined;
  while (found.length > 1) {
    const half = found.slice(0, found.length >> 1);
    found = (await changesAfter(half)) ? half : found.slice(half.length);
  }
  // Check again, because another client might have written at that moment.
  return (await isCalm()) && (await changesAfter(found)) && (await isCalm()) ? found[0] : undefined;

  async function look(ids: readonly Id[] = [id]): Promise<RecordValues[]> {
    const { api, check } = open(model);
    const shown: RecordValues[] = [];
    for (const one of ids) {
      const answer = await api.retrieve(model.name, one);
      const record = (isAccepted(answer) && api.recordIn(answer)) || {};
      const values = Object.entries(check.read(model, record));
      const restless = [fieldOf(model, 'updated')?.name, fieldOf(model, 'updatedBy')?.name];
      shown.push(Object.fromEntries(values.filter(([name]) => !restless.includes(name))));
    }
    return shown;
  }

  async function isCalm(): Promise<boolean> {
    const before = await look();
    await delay(CALM);
    return isDeepStrictEqual(await look(), before);
  }

  async function changesAfter(some: readonly Write[]): Promise<boolean> {
    const ready: (() => Promise<unknown>)[] = [];
    for (const write of some) ready.push(await prepare(write));
    const ids = [id, ...(await makeNeighbor())];
    const before = await look(ids);
    for (const send of ready) await send();
    return !isDeepStrictEqual(await look(ids), before);
  }

  /** Creates a record; returns none if the suite can't. */
  async function makeNeighbor(): Promise<Id[]> {
    if (!model.operations.includes('create')) return [];
    const { records, samples } = open(model);
    try {
      return [(await records.make(samples.values('all'))).id];
    } catch (error) {
      if (error instanceof Blocked || error instanceof Skip) return [];
      throw error;
    }
  }

  /** Returns a function that sends a write of this kind, to its own record. */
  async function prepare({ model: of, operation }: Write): Promise<() => Promise<unknown>> {
    const { records, samples } = open(of);
    if (operation === 'create') return () => records.make(samples.values('all'));
    const { id: own, sent } = await records.make(samples.values('all'));
    return () => records.update(own, samples.valuesAfter(sent), sent);
  }
}
