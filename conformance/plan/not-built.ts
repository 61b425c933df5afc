import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { type ApiResponse, isAccepted } from '../api/answer.ts';
import { createApi, sendOperation } from '../api/api.ts';
import { idsIn, UNKNOWN_ID } from '../records/ids.ts';
import type { Journal } from '../records/journal.ts';
import { withLinked } from '../records/values/values.ts';
import { Interrupted, isUnanswered } from '../target/exchange.ts';
import { sideBySide } from '../target/side-by-side.ts';
import type { Target } from '../target/target.ts';

export type NotBuilt = {
  /** The names of the models that the service does not have yet. */
  readonly models: ReadonlySet<string>;
  /** Records that a request of this search created and that could not be deleted, as `model/id`. */
  readonly leftovers: readonly string[];
};

/** Reads come first: the list of a built model ends its search. A create is the last, because it could store something. */
const ORDER: readonly Operation[] = ['list', 'retrieve', 'update', 'delete', 'create'];

/** A 404 of these can mean that there is no such record, so it does not show whether the operation exists. */
const NEED_A_RECORD: readonly Operation[] = ['retrieve', 'update', 'delete'];

/**
 * Finds the selected models, and the models that they link to, of which each operation returns 404 or 501. Sends each
 * operation of such a model once, with an ID that no record has and an empty record, and one request to any other model.
 * A read-only run sends only the list and the retrieve.
 */
export async function findNotBuilt(
  options: Contract & {
    readonly target: Target;
    readonly journal?: Journal | undefined;
    readonly readOnly: boolean;
    readonly concurrency?: number | undefined;
    /** Ends the search early. The models that it did not reach count as built. */
    readonly signal?: AbortSignal | undefined;
  },
  selected: ReadonlySet<string>,
): Promise<NotBuilt> {
  const { catalogue, concurrency, journal, profile, readOnly, signal, target } = options;
  const watchers = journal ? [journal.watch(catalogue, () => false)] : [];
  const api = createApi({ target, catalogue, profile: () => profile, watchers });
  const models = new Set<string>();
  const leftovers: string[] = [];
  await sideBySide(
    withLinked(options, selected),
    async (model) => {
      if (await isNotBuilt(model)) models.add(model.name);
    },
    concurrency,
  );
  return { models, leftovers };

  async function isNotBuilt(model: Model): Promise<boolean> {
    const asked = readOnly ? ORDER.slice(0, 2) : ORDER;
    let isProven = false;
    for (const operation of asked) {
      if (!model.operations.includes(operation)) continue;
      if (signal?.aborted) return false;
      const answer = await ask(model, operation);
      if (answer?.status !== 404 && answer?.status !== 501) {
        if (operation === 'create' && answer) await remove(model, answer);
        return false;
      }
      isProven ||= answer.status === 501 || !NEED_A_RECORD.includes(operation);
    }
    return isProven;
  }

  /** Returns undefined after the signal, and if there is no complete response, because the cases report that. */
  async function ask({ name }: Model, operation: Operation): Promise<ApiResponse | undefined> {
    try {
      return await sendOperation(api, operation, name, UNKNOWN_ID);
    } catch (error) {
      if (error instanceof Interrupted || isUnanswered(error)) return undefined;
      throw error;
    }
  }

  async function remove(model: Model, created: ApiResponse): Promise<void> {
    for (const id of new Set(idsIn(api, model, created))) {
      const deleted = await api.delete(model.name, id).catch(() => undefined);
      if (!deleted || !isAccepted(deleted)) leftovers.push(`${model.name}/${id}`);
    }
  }
}
