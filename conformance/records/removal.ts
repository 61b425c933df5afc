import { setTimeout as delay } from 'node:timers/promises';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { isAccepted, isGone } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { fetchList } from '../api/listing.ts';
import type { Id } from '../api/places.ts';
import { Skip, Withheld } from '../assert/failure.ts';
import type { Book } from '../book/book.ts';
import { isMarked, type Made, nameOf } from '../book/identity.ts';
import { holdsLines } from '../book/lines.ts';
import { NoAnswer } from '../target/no-answer.ts';
import { atOnce } from '../target/side-by-side.ts';

/** Takes away what was made. */
export type Removal = {
  /** Empties the list, newest first, lines before the record they stand in; never throws. */
  removeAll(made: Made[]): Promise<void>;
  /** Empties the lists, many records at once, and each after the newer ones that might link to it; never throws. */
  removeTogether(lists: readonly Made[][]): Promise<void>;
  /** Removes the lines that stand in a record, so that they don't keep it from being deleted; whether there were any. */
  removeLines(made: Made): Promise<boolean>;
  /**
   * Looks again for what seemed to be still there, or not there yet: some services take their time. `deleted` is what
   * others deleted, which counts where deletes turned out to do nothing. Never throws.
   */
  settle(deleted: readonly Made[]): Promise<void>;
  /** Names what is not removed. */
  leave(model: Model, id: Id | undefined): void;
  /** What could not be removed, as `model/id`; final once all is settled. */
  readonly leftovers: readonly string[];
  /** What there is to remove still, as `model/id`: all of `made`, and what is in doubt. */
  unremoved(made: readonly Made[]): string[];
};

/** Milliseconds before each look at what is in doubt. */
const LOOKS: readonly number[] = [0, 300, 1000];

type Doubtful = {
  readonly made: Made;
  /** It was not there when it was to go, and may still come. */
  readonly unseen: boolean;
};

export type RemovalOptions = LineRemovalOptions & {
  /** Whether the list of a model may hold records that the run made and was not told of. */
  mayHoldUnexpected(model: Model): Promise<boolean>;
  readonly looks?: readonly number[] | undefined;
  /** Whether records of one model might link to records of another. Everything links where nothing is said. */
  readonly mayLink?: (from: Model, to: Model) => boolean;
  /** Deletes that may be under way at once. Default 1. */
  readonly concurrency?: number | undefined;
};

export function createRemoval(options: RemovalOptions): Removal {
  const { api, book, concurrency = 1, looks = LOOKS, mayHoldUnexpected, mayLink = () => true } = options;
  const lines = createLineRemoval(options);
  const leftovers: string[] = [];
  const effective = new Map<string, boolean>();
  let doubtful: Doubtful[] = [];
  let gone = false;
  const unremoved = (made: readonly Made[]) => [
    ...new Set([
      ...leftovers,
      ...[...made, ...doubtful.map((one) => one.made)]
        .flatMap((one) => [one, ...book.linesLeft(one)])
        .map(nameOf),
    ]),
  ];
  return { leftovers, leave, removeAll, removeTogether, removeLines: lines.remove, settle, unremoved };

  async function removeAll(made: Made[]): Promise<void> {
    // Each stays in the list until it is gone.
    for (let one = made.at(-1); one; one = made.at(-1)) {
      await removeOne(one);
      made.pop();
    }
  }

  async function removeTogether(lists: readonly Made[][]): Promise<void> {
    const isLeft = () => lists.some(({ length }) => length > 0);
    while (isLeft()) {
      const newer = new Set<Model>();
      const ready = new Set<Made>();
      for (const one of lists.flat().reverse()) {
        if (![...newer].some((model) => mayLink(model, one.model))) ready.add(one);
        newer.add(one.model);
      }
      await atOnce(
        ready,
        async (one) => {
          await removeOne(one);
          for (const list of lists) if (list.includes(one)) list.splice(list.indexOf(one), 1);
        },
        concurrency,
      );
    }
  }

  async function removeOne(made: Made): Promise<void> {
    const state = made.id === undefined || gone ? 'left' : await remove(made).catch(giveUp);
    if (state === 'left') leave(made.model, made.id);
    else if (state !== 'gone') doubtful.push({ made, unseen: state === 'unseen' });
  }

  async function settle(deleted: readonly Made[]): Promise<void> {
    const orphans = gone
      ? []
      : await lines.findOrphans().catch((error) => {
          giveUp(error);
          return [];
        });
    await removeTogether([orphans]);
    for (const made of deleted)
      if (made.id !== undefined && effective.get(made.model.name) === false)
        doubtful.push({ made, unseen: false });
    for (const made of book.oddlyDeleted()) doubtful.push({ made, unseen: false });
    let there = doubtful;
    for (const wait of looks) {
      if (gone || doubtful.length === 0) break;
      if (wait > 0) await delay(wait);
      there = [];
      for (const one of doubtful)
        if (gone || (await isThere(one.made).catch(giveUp))) {
          there.push(one);
          if (!gone) await api.delete(one.made.model.name, one.made.id).catch(giveUp);
        }
      doubtful = doubtful.filter((one) => one.unseen || there.includes(one));
    }
    for (const { made } of there) leave(made.model, made.id);
    // What a create answered with and no request finds may be there under another id.
    const missing = doubtful.filter((one) => !there.includes(one));
    for (const model of new Set(missing.map(({ made }) => made.model)))
      if (gone || (await mayHoldUnexpected(model).catch(giveUp))) leave(model, undefined);
    doubtful = [];
  }

  function leave(model: Model, id: Id | undefined): void {
    const name = nameOf({ model, id });
    if (!leftovers.includes(name)) leftovers.push(name);
  }

  /** Nothing is asked of a target that is gone: each request would wait in vain. */
  function giveUp(error: unknown): 'left' | 'there' {
    gone ||= error instanceof NoAnswer && error.gone;
    // Another record seems to have the id now. A second look tells whether the answer was about another record.
    return error instanceof Skip && !(error instanceof Withheld) ? 'there' : 'left';
  }

  /** A model's first delete is looked after: some say yes and do nothing. */
  async function remove(made: Made): Promise<'gone' | 'there' | 'unseen' | 'left'> {
    await lines.remove(made);
    const { id, model } = made;
    const answer = await api.delete(model.name, id);
    if (isAccepted(answer)) {
      if (!effective.has(model.name)) effective.set(model.name, !(await isThere(made)));
      return effective.get(model.name) ? 'gone' : 'there';
    }
    return isGone(answer) ? 'unseen' : 'left';
  }

  async function isThere(made: Made): Promise<boolean> {
    const record = await book.isThere(made);
    return record !== undefined && !isMarked(made.model, record);
  }
}

type LineRemovalOptions = {
  readonly catalogue: Catalogue;
  readonly api: Api;
  readonly book: Book;
};

/** Takes away the lines of records, which have ids of their own. */
type LineRemoval = {
  /** Removes those that stand in a record now; whether there were any. */
  remove(made: Made): Promise<boolean>;
  /** Returns those that any record of the run has shown and that are still there, oldest first. */
  findOrphans(): Promise<Made[]>;
};

function createLineRemoval({ api, book, catalogue }: LineRemovalOptions): LineRemoval {
  return {
    async remove(made) {
      const { id, model } = made;
      if (id === undefined || !holdsLines(catalogue, model)) return false;
      // As they are now: an update may have made them anew.
      const answer = await api.retrieve(model.name, id);
      const record = isAccepted(answer) ? api.recordIn(answer) : undefined;
      if (record) book.needSame(made, record);
      const lines = record ? await book.linesOf(made, record) : [];
      for (const line of lines) {
        // It stands in a record of the run, also where a line that was deleted had its id.
        book.add(line);
        // Where they can't be deleted alone, the delete of the record they stand in tells.
        await api.delete(line.model.name, line.id);
      }
      return lines.length > 0;
    },
    async findOrphans() {
      const orphans: Made[] = [];
      for (const [model, lines] of book.lines()) {
        const listing = model.operations.includes('list') ? await fetchList(api, model.name) : undefined;
        const listed = listing?.complete ? new Set(listing.records.map(({ id }) => String(id))) : undefined;
        for (const line of lines) {
          if (listed && !listed.has(String(line.id))) continue;
          const left = await book.isThere(line).catch(toUnclear);
          // Without a list, one tells for all.
          if (!listed && !left) break;
          if (left === 'unclear' || (left && !isMarked(line.model, left))) orphans.push(line);
        }
      }
      return orphans;
    },
  };
}

function toUnclear(error: unknown): 'unclear' {
  if (error instanceof Skip) return 'unclear';
  throw error;
}
