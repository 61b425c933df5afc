import { setTimeout as delay } from 'node:timers/promises';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { isAccepted, isGone } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { fetchList } from '../api/listing.ts';
import type { Id } from '../api/places.ts';
import { Skip, Withheld } from '../assert/failure.ts';
import { Lost, NoAnswer, unlessUnanswered } from '../target/no-answer.ts';
import { atOnce } from '../target/side-by-side.ts';
import type { Book } from './book.ts';
import { isMarked, type Made, nameOf } from './identity.ts';
import { holdsLines } from './lines.ts';

/** Removes created records. */
export type Removal = {
  /** Removes the records of the list, newest first, lines before their parent. Never throws. */
  removeAll(made: Made[]): Promise<void>;
  /** Removes the records of all lists in parallel, each after newer ones that might link to it. Never throws. */
  removeTogether(lists: readonly Made[][]): Promise<void>;
  /** Removes the lines in a record, so that they don't prevent its deletion. Returns whether there were any. */
  removeLines(made: Made): Promise<boolean>;
  /**
   * Checks again the records that seemed to be there or to be missing, because some services are slow. `deleted` are
   * records that cases deleted; they count if deletes had no effect. Never throws.
   */
  confirm(deleted: readonly Made[]): Promise<void>;
  /** Adds a record to the leftovers. */
  leave(model: Model, id: Id | undefined): void;
  /** The records that could not be removed, as `model/id`; final after `confirm`. */
  readonly leftovers: readonly string[];
  /** Returns the names of the records still to be removed: all of `made`, and those that are unclear. */
  unremoved(made: readonly Made[]): string[];
};

/** A record that might still be there. */
type Unclear = { readonly made: Made; readonly unseen: boolean };

/** If so many records of a model are there after a delete, its other records aren't checked. */
const MOST_TRIED = 10;

/** Milliseconds before each check of unclear records. */
const LOOKS: readonly number[] = [0, 300, 1000];

export type RemovalOptions = {
  readonly catalogue: Catalogue;
  readonly api: Api;
  readonly book: Book;
  /** Whether the list of a model might contain records that the run created without knowing it. */
  mayHoldUnexpected(model: Model): Promise<boolean>;
  readonly looks?: readonly number[] | undefined;
  /** Whether records of one model might link to records of another. Default: all might. */
  readonly mayLink?: (from: Model, to: Model) => boolean;
  /** Maximum number of parallel deletes. Default 1. */
  readonly concurrency?: number | undefined;
};

export function createRemoval(options: RemovalOptions): Removal {
  const { api, book, concurrency = 1, looks = LOOKS, mayHoldUnexpected, mayLink = () => true } = options;
  const lines = createLineRemoval(options);
  const leftovers: string[] = [];
  const effective = new Map<string, boolean>();
  /** An unseen record was missing when it should be deleted, and might appear later. */
  let unclear: Unclear[] = [];
  let gone = false;
  const unremoved = (made: readonly Made[]) => [
    ...new Set([
      ...leftovers,
      ...[...made, ...unclear.map((one) => one.made)]
        .flatMap((one) => [one, ...book.linesLeft(one)])
        .map(nameOf),
    ]),
  ];
  return { leftovers, leave, removeAll, removeTogether, removeLines: lines.remove, confirm, unremoved };

  async function removeAll(made: Made[]): Promise<void> {
    // Each record stays in the list until it is gone.
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
    else if (state !== 'gone') unclear.push({ made, unseen: state === 'unseen' });
  }

  async function confirm(deleted: readonly Made[]): Promise<void> {
    const orphans = gone
      ? []
      : await lines.findOrphans().catch((error) => {
          giveUp(error);
          return [];
        });
    await removeTogether([orphans]);
    for (const made of deleted)
      if (made.id !== undefined && effective.get(made.model.name) === false)
        unclear.push({ made, unseen: false });
    for (const made of book.oddlyDeleted()) unclear.push({ made, unseen: false });
    let there = unclear;
    for (const wait of looks) {
      if (gone || unclear.length === 0) break;
      if (wait > 0) await delay(wait);
      const found = new Set<Unclear>();
      for (const ofModel of Map.groupBy(unclear, ({ made }) => made.model).values())
        for (const one of await stillThere(ofModel)) found.add(one);
      there = unclear.filter((one) => found.has(one));
      unclear = unclear.filter((one) => one.unseen || found.has(one));
    }
    for (const { made } of there) leave(made.model, made.id);
    // A created record that no request finds might be there under another ID.
    const missing = unclear.filter((one) => !there.includes(one));
    for (const model of new Set(missing.map(({ made }) => made.model)))
      if (gone || (await mayHoldUnexpected(model).catch(giveUp))) leave(model, undefined);
    unclear = [];
  }

  /**
   * Deletes the records of a model that are there again, and returns them. If deletes have no effect on the first few,
   * the others stay, because they would cost two requests each.
   */
  async function stillThere(ofModel: readonly Unclear[]): Promise<Unclear[]> {
    const there: Unclear[] = [];
    for (const [index, one] of ofModel.entries()) {
      if (index === MOST_TRIED && there.length === index) return [...ofModel];
      if (!gone && !(await isThere(one.made).catch(giveUp))) continue;
      there.push(one);
      if (!gone) await api.delete(one.made.model.name, one.made.id).catch(giveUp);
    }
    return there;
  }

  function leave(model: Model, id: Id | undefined): void {
    const name = nameOf({ model, id });
    if (!leftovers.includes(name)) leftovers.push(name);
  }

  /** Sends no more requests to a target that is gone, because each would time out. */
  function giveUp(error: unknown): 'left' | 'there' {
    gone ||= error instanceof NoAnswer && error.gone;
    // Another record seems to have the ID now. A second check shows whether the response was about another record.
    return error instanceof Skip && !(error instanceof Withheld) ? 'there' : 'left';
  }

  /** Deletes a record, and checks the first deletion of each model, because some services accept it without effect. */
  async function remove(made: Made): Promise<'gone' | 'there' | 'unseen' | 'left'> {
    await lines.remove(made);
    const { id, model } = made;
    const answer = await api.delete(model.name, id).catch(toDone);
    if (!answer) return 'gone';
    if (isAccepted(answer)) {
      // Where no retrieve has a response, the response to the delete is all there is.
      if (!effective.has(model.name))
        effective.set(model.name, !(await unlessUnanswered(() => isThere(made))));
      return effective.get(model.name) ? 'gone' : 'there';
    }
    return isGone(answer) ? 'unseen' : 'left';
  }

  async function isThere(made: Made): Promise<boolean> {
    const record = await book.isThere(made);
    return record !== undefined && !isMarked(made.model, record);
  }
}

/** Removes the lines of records. Each line has its own ID. */
function createLineRemoval({ api, book, catalogue }: RemovalOptions) {
  return {
    /** Removes the current lines of a record. Returns whether there were any. */
    async remove(made: Made): Promise<boolean> {
      const { id, model } = made;
      if (id === undefined || !holdsLines(catalogue, model)) return false;
      // Reads the current lines, because an update can have replaced them.
      const answer = await api.retrieve(model.name, id);
      const record = isAccepted(answer) ? api.recordIn(answer) : undefined;
      if (record) book.needSame(made, record);
      const lines = record ? await book.linesOf(made, record) : [];
      for (const line of lines) {
        // It is in a record of the run, so it is the run's, even if a deleted line had its ID.
        book.add(line);
        // If lines can't be deleted separately, the deletion of their parent shows it.
        await api.delete(line.model.name, line.id).catch(toDone);
      }
      return lines.length > 0;
    },
    /** Returns the lines that any record of the run has shown and that still exist, oldest first. */
    async findOrphans(): Promise<Made[]> {
      const orphans: Made[] = [];
      for (const [model, lines] of book.lines()) {
        const listing = model.operations.includes('list') ? await fetchList(api, model.name) : undefined;
        const listed = listing?.complete ? new Set(listing.records.map(({ id }) => String(id))) : undefined;
        for (const line of lines) {
          if (listed && !listed.has(String(line.id))) continue;
          const left = await book.isThere(line).catch(toUnclear);
          // Without a list, one missing line stands for all.
          if (!listed && !left) break;
          if (left === 'unclear' || (left && !isMarked(line.model, left))) orphans.push(line);
        }
      }
      return orphans;
    },
  };
}

/** Returns undefined for a delete that had its effect, though the response was lost. */
function toDone(error: unknown): undefined {
  if (!(error instanceof Lost)) throw error;
}

function toUnclear(error: unknown): 'unclear' {
  if (error instanceof Skip) return 'unclear';
  throw error;
}
