import type { Model } from '../spec/catalogue.ts';
import { type Api, createApi, isAccepted } from './api.ts';
import { NoAnswer } from './no-answer.ts';
import type { PlanContext } from './plan-context.ts';
import type { Target } from './target.ts';
import type { WireCheck } from './wire-check.ts';

/** A record of the target that the run made. */
export type Made = { readonly model: Model; readonly id: number };

/** Takes away what was made. */
export type Removal = {
  /** Empties the list, newest first; never throws. */
  removeAll(made: Made[]): Promise<void>;
  /** What could not be removed, as `model/id`. */
  readonly leftovers: readonly string[];
};

export function createRemoval(
  { catalogue, profile }: PlanContext,
  target: Target,
  check: WireCheck,
): Removal {
  const api: Api = createApi(target, catalogue, profile, () => {});
  const leftovers: string[] = [];
  const removable = new Map<string, boolean>();
  let gone = false;
  return {
    leftovers,
    async removeAll(made) {
      for (const { model, id } of made.splice(0).reverse())
        if (gone || !(await remove(model, id).catch(giveUp))) leftovers.push(`${model.name}/${id}`);
    },
  };

  /** Nothing is asked of a target that is gone: each request would wait in vain. */
  function giveUp(error: unknown): false {
    gone = error instanceof NoAnswer && error.gone;
    return false;
  }

  /** Whether the record is gone. A model's first delete is looked after: some say yes and do nothing. */
  async function remove(model: Model, id: number): Promise<boolean> {
    const answer = await api.delete(model.name, id);
    if (!isAccepted(answer)) return [404, 410, profile['status.unknownRecord']].includes(answer.status);
    if (!removable.has(model.name)) {
      const after = await api.retrieve(model.name, id);
      const record = isAccepted(after) ? api.recordIn(after) : undefined;
      removable.set(model.name, !record || check.read(model, record).deleted === true);
    }
    return removable.get(model.name) === true;
  }
}
