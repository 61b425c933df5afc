import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted, isRefused } from '../api/answer.ts';
import { type Api, createApi, type Watcher } from '../api/api.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import { NoAnswer } from '../target/no-answer.ts';
import type { Target } from '../target/target.ts';

/** A record of the target that the run made; its id is undefined where no answer shows it. */
export type Made = { readonly model: Model; readonly id: number | string | undefined };

/** Takes away what was made. */
export type Removal = {
  /** Empties the list, newest first; never throws. */
  removeAll(made: Made[]): Promise<void>;
  /**
   * Looks again for what seemed to be still there, or not there yet: some services take their time. `deleted` is what
   * others deleted, which counts where deletes turned out to do nothing. Never throws.
   */
  settle(deleted: readonly Made[]): Promise<void>;
  /** What could not be removed, as `model/id`; final once all is settled. */
  readonly leftovers: readonly string[];
  /** What there is to remove still, as `model/id`: all of `made`, and what is in doubt. */
  unremoved(made: readonly Made[]): string[];
};

/** How people are told of a record, as `model/id`. */
export function nameOfMade({ id = '(an id that was not shown)', model }: Made): string {
  return `${model.name}/${id}`;
}

/** Milliseconds before each look at what is in doubt. */
const LOOKS: readonly number[] = [0, 300, 1000];
/** Refusals that speak of who asks or of the method, and not of the record. */
const FOR_GOOD = [401, 403, 405];

type Known = { readonly model: Model; readonly id: number | string };
type Doubtful = Known & {
  /** It was not there when it was to go, and may still come. */
  readonly unseen: boolean;
};

export type RemovalOptions = {
  /** Whether a record that is shown says that it is deleted. */
  isMarked(model: Model, record: RecordValues): boolean;
  /** Whether the list of a model may hold records that the run made and was not told of. */
  mayHoldStrays(model: Model): Promise<boolean>;
  readonly looks?: readonly number[] | undefined;
  /** See every request of the run. */
  readonly watchers?: readonly Watcher[];
};

export function createRemoval(
  { catalogue, profile }: Pick<PlanContext, 'catalogue' | 'profile'>,
  target: Target,
  { isMarked, looks = LOOKS, mayHoldStrays, watchers = [] }: RemovalOptions,
): Removal {
  const api: Api = createApi({ target, catalogue, profile: () => profile, watchers });
  const leftovers: string[] = [];
  const effective = new Map<string, boolean>();
  let doubtful: Doubtful[] = [];
  let gone = false;
  const unremoved = (made: readonly Made[]) => [
    ...new Set([...leftovers, ...[...made, ...doubtful].map(nameOfMade)]),
  ];
  return { leftovers, removeAll, settle, unremoved };

  async function removeAll(made: Made[]): Promise<void> {
    // Each stays in the list until it is gone.
    for (let one = made.at(-1); one; one = made.at(-1)) {
      const { id, model } = one;
      const state = id === undefined || gone ? 'left' : await remove({ model, id }).catch(giveUp);
      if (state === 'left') leave(model, id);
      else if (state !== 'gone' && id !== undefined) doubtful.push({ model, id, unseen: state === 'unseen' });
      made.pop();
    }
  }

  async function settle(deleted: readonly Made[]): Promise<void> {
    for (const { model, id } of deleted)
      if (id !== undefined && effective.get(model.name) === false)
        doubtful.push({ model, id, unseen: false });
    let there = doubtful;
    for (const wait of looks) {
      if (gone || doubtful.length === 0) break;
      if (wait > 0) await delay(wait);
      there = [];
      for (const record of doubtful)
        if (gone || (await isThere(record).catch(giveUp))) {
          there.push(record);
          if (!gone) await api.delete(record.model.name, record.id).catch(giveUp);
        }
      doubtful = doubtful.filter((record) => record.unseen || there.includes(record));
    }
    for (const { id, model } of there) leave(model, id);
    // What a create answered with and no request finds may be there under another id.
    for (const model of new Set(
      doubtful.filter((record) => !there.includes(record)).map(({ model }) => model),
    ))
      if (gone || (await mayHoldStrays(model).catch(giveUp))) leave(model, undefined);
    doubtful = [];
  }

  function leave(model: Model, id: Made['id']): void {
    const name = nameOfMade({ model, id });
    if (!leftovers.includes(name)) leftovers.push(name);
  }

  /** Nothing is asked of a target that is gone: each request would wait in vain. */
  function giveUp(error: unknown): 'left' {
    gone ||= error instanceof NoAnswer && error.gone;
    return 'left';
  }

  /** A model's first delete is looked after: some say yes and do nothing. */
  async function remove({ model, id }: Known): Promise<'gone' | 'there' | 'unseen' | 'left'> {
    const answer = await api.delete(model.name, id);
    if (isAccepted(answer)) {
      if (!effective.has(model.name)) effective.set(model.name, !(await isThere({ model, id })));
      return effective.get(model.name) ? 'gone' : 'there';
    }
    return isRefused(answer) && !FOR_GOOD.includes(answer.status) ? 'unseen' : 'left';
  }

  async function isThere({ id, model }: Known): Promise<boolean> {
    const after = await api.retrieve(model.name, id);
    const record = isAccepted(after) ? api.recordIn(after) : undefined;
    return record !== undefined && !isMarked(model, record);
  }
}
