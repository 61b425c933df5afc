import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../spec/catalogue.ts';
import { type Api, createApi, isAccepted } from './api.ts';
import { NoAnswer } from './no-answer.ts';
import type { PlanContext } from './plan-context.ts';
import type { Target } from './target.ts';
import type { WireCheck } from './wire-check.ts';

/** A record of the target that the run made; its id is undefined where no answer shows it. */
export type Made = { readonly model: Model; readonly id: number | string | undefined };

/** Takes away what was made. */
export type Removal = {
  /** Empties the list, newest first; never throws. */
  removeAll(made: Made[]): Promise<void>;
  /** Looks again for what seemed to be still there, or not there yet: some services take their time. Never throws. */
  settle(): Promise<void>;
  /** What could not be removed, as `model/id`; final once all is settled. */
  readonly leftovers: readonly string[];
};

/** Stands for the ids of records that were made and not shown. */
export const UNSEEN = '(an id that was not shown)';

/** Milliseconds before each look at what is in doubt. */
const LOOKS: readonly number[] = [0, 300, 1000];

type Known = { readonly model: Model; readonly id: number | string };

export function createRemoval(
  { catalogue, profile }: PlanContext,
  target: Target,
  check: WireCheck,
  looks = LOOKS,
): Removal {
  const api: Api = createApi(target, catalogue, profile, () => {});
  const leftovers: string[] = [];
  const removable = new Map<string, boolean>();
  let doubtful: Known[] = [];
  let gone = false;
  return { leftovers, removeAll, settle };

  async function removeAll(made: Made[]): Promise<void> {
    for (const { model, id } of made.splice(0).reverse()) {
      const state = id === undefined || gone ? 'left' : await remove({ model, id }).catch(giveUp);
      if (state === 'left') leave(model, id);
      else if (state === 'in doubt' && id !== undefined) doubtful.push({ model, id });
    }
  }

  async function settle(): Promise<void> {
    for (const wait of looks) {
      if (gone || doubtful.length === 0) break;
      if (wait > 0) await delay(wait);
      const before = doubtful;
      doubtful = [];
      for (const record of before)
        if (gone || (await isThere(record).catch(giveUp))) {
          doubtful.push(record);
          // What was not there yet when it was to go can go now.
          if (!gone) await api.delete(record.model.name, record.id).catch(giveUp);
        }
    }
    for (const { id, model } of doubtful.splice(0)) leave(model, id);
  }

  function leave(model: Model, id: Made['id']): void {
    const name = `${model.name}/${id ?? UNSEEN}`;
    if (!leftovers.includes(name)) leftovers.push(name);
  }

  /** Nothing is asked of a target that is gone: each request would wait in vain. */
  function giveUp(error: unknown): 'left' {
    gone ||= error instanceof NoAnswer && error.gone;
    return 'left';
  }

  /** A model's first delete is looked after: some say yes and do nothing. */
  async function remove({ model, id }: Known): Promise<'gone' | 'in doubt' | 'left'> {
    const answer = await api.delete(model.name, id);
    if (isAccepted(answer)) {
      if (!removable.has(model.name)) removable.set(model.name, !(await isThere({ model, id })));
      return removable.get(model.name) ? 'gone' : 'in doubt';
    }
    const isUnknown = [404, 410, profile['status.unknownRecord']].includes(answer.status);
    return isUnknown || answer.saysNo ? 'in doubt' : 'left';
  }

  async function isThere({ id, model }: Known): Promise<boolean> {
    const after = await api.retrieve(model.name, id);
    const record = isAccepted(after) ? api.recordIn(after) : undefined;
    return record !== undefined && check.read(model, record).deleted !== true;
  }
}
