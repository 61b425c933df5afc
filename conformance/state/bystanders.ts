import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { isAccepted } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { sideBySide } from '../target/side-by-side.ts';
import type { Ties } from './ties.ts';

/**
 * Records that no case is about. They are read before the first write and after the last one; those of linked models
 * are also read when the cases of a model are done. The expected state judges them like any record.
 */
export type Bystanders = {
  /** Three records of each model from the first page of its list. */
  note(): Promise<void>;
  /** Looks again at those of models, of the models near them, and at some of the suite's own. */
  look(after: ReadonlySet<Model>): Promise<void>;
};

export type BystanderOptions = {
  readonly catalogue: Catalogue;
  /** The models that are written to. */
  readonly models: ReadonlySet<Model>;
  /** Its exchanges are judged. */
  readonly api: Api;
  readonly ties: Pick<Ties, 'areLinked'>;
  /** The ids of records of a model that the run made, and that are there. */
  readonly ownOf: (model: Model) => readonly number[];
  /** Told which records of a model were noted. */
  readonly onNoted?: (model: Model, ids: readonly number[]) => void;
  /** Whether the run is to end. */
  readonly isStopped: () => boolean;
  /** Requests that may be under way at once. */
  readonly concurrency?: number | undefined;
};

/** The oldest, the newest, and one between them. */
const NOTED = 3;
const OWN = 2;

export function createBystanders(options: BystanderOptions): Bystanders {
  const { api, concurrency, isStopped, models, ownOf, ties } = options;
  const noted = new Map<Model, readonly number[]>();
  return { note, look };

  async function note(): Promise<void> {
    await sideBySide(
      models,
      async (model) => {
        if (isStopped() || !has(model, 'list') || !has(model, 'retrieve')) return;
        const answer = await api.list(model.name);
        const records = (isAccepted(answer) && api.recordsIn(answer)) || [];
        const ids = someOf(records.map(({ id }) => id).filter((id) => typeof id === 'number'));
        noted.set(model, ids.filter(Number.isSafeInteger));
        options.onNoted?.(model, noted.get(model) ?? []);
        await retrieve(model, ids);
      },
      concurrency,
    );
  }

  async function look(after: ReadonlySet<Model>): Promise<void> {
    const near = [...models].filter((model) =>
      [...after].some((other) => model === other || ties.areLinked(model, other)),
    );
    await sideBySide(
      near,
      async (model) => {
        if (has(model, 'retrieve'))
          await retrieve(model, [...(noted.get(model) ?? []), ...ownOf(model).slice(0, OWN)]);
      },
      concurrency,
    );
  }

  async function retrieve(model: Model, ids: readonly number[]): Promise<void> {
    for (const id of ids) if (!isStopped()) await api.retrieve(model.name, id);
  }
}

function has({ operations }: Model, operation: 'list' | 'retrieve'): boolean {
  return operations.includes(operation);
}

function someOf<T>(items: readonly T[]): T[] {
  return [...new Set([items[0], items[items.length >> 1], items.at(-1)])]
    .filter((item) => item !== undefined)
    .slice(0, NOTED);
}
