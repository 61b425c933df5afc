import { readFileSync } from 'node:fs';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import { createProfile, type Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { findRecordIn, isGone } from '../api/answer.ts';
import { type Api, createApi } from '../api/api.ts';
import { fetchList } from '../api/listing.ts';
import { isId } from '../api/places.ts';
import { createBook } from '../book/book.ts';
import { findSent, type Intent, isMarked, isProven, isTagged, type Made, nameOf } from '../book/identity.ts';
import { createRemoval } from '../records/removal.ts';
import type { Target } from '../target/target.ts';
import type { JournalLine } from './journal.ts';

/** What a run that did not end made, as its journal says. */
export type Unfinished = {
  readonly target: string;
  readonly tag: string;
  readonly profile: Profile;
  /** Oldest first. */
  readonly made: readonly Made[];
  /** Names of the records in `made` whose delete was sent, without an accepted response. */
  readonly maybeDeleted: ReadonlySet<string>;
  /** Creates that nobody knows the end of, with what was sent, in wire form. */
  readonly open: readonly Intent[];
};

/** What cleaning comes to, in lines as `model/id`. */
export type Cleaned = {
  /** Removed, or to be removed. */
  readonly removed: readonly string[];
  /** Another record has the id now, or what it names can't be told from one. */
  readonly spared: readonly string[];
  readonly left: readonly string[];
};

/** Reads a journal. Throws UsageError for a file that is none; a last line that was cut off says nothing. */
export function readJournal(path: string, catalogue: Catalogue): Unfinished {
  const [head, ...lines] = readLines(path);
  if (!head || !('journal' in head))
    throw new UsageError(`${path} is not a journal. Name the file that check or learn left.`);
  const intents = new Map<number, Intent>();
  const made = new Map<string, Made>();
  const removed = new Map<string, Made>();
  const maybeDeleted = new Set<string>();
  let { profile } = head;
  for (const line of lines) {
    if ('profile' in line) profile = line.profile;
    else if ('create' in line) {
      const model = catalogue.models.get(line.create);
      if (model) intents.set(line.n, { model, sent: line.sent });
    } else if ('refused' in line) intents.delete(line.refused);
    else if ('made' in line) {
      const intent = intents.get(line.made);
      if (!intent || !isId(line.id)) continue;
      intents.delete(line.made);
      const { model, sent } = intent;
      const shown = line.shown ? { shown: line.shown } : {};
      const name = nameOf({ model, id: line.id });
      made.set(name, { model, id: line.id, ...shown, changes: [sent] });
      maybeDeleted.delete(name);
    } else if ('changed' in line) {
      made.get(line.changed)?.changes?.push(line.values);
    } else if ('deleting' in line) {
      maybeDeleted.add(line.deleting);
    } else if ('removed' in line) {
      const one = made.get(line.removed);
      if (one) removed.set(line.removed, one);
      made.delete(line.removed);
    } else if ('left' in line) {
      const one = removed.get(line.left);
      if (one) made.set(line.left, one);
    }
  }
  const { tag, target } = head;
  return {
    target,
    tag,
    profile: createProfile(profile, catalogue, path),
    made: [...made.values()],
    maybeDeleted,
    open: [...intents.values()],
  };
}

function readLines(path: string): JournalLine[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError(
      `${path} can't be read because ${whyFailed(error)}. Name the journal that check or learn left.`,
    );
  }
  return text.split('\n').flatMap((line) => {
    try {
      const value: unknown = JSON.parse(line);
      return value !== null && typeof value === 'object' ? [value as JournalLine] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Removes what an unfinished run made, newest first, lines before the record they stand in. Nothing is deleted that is
 * not proven to be what the run made: it holds the tag of the run, or it was created at the time that the run saw, and no
 * value contradicts what the run sent. After a delete without a response, another record might have the ID, so the
 * record must also show a value that the run wrote.
 */
export async function clean(
  { made, maybeDeleted, open, profile, tag }: Unfinished,
  contract: Pick<Contract, 'catalogue' | 'references'>,
  target: Target,
  dryRun: boolean,
): Promise<Cleaned> {
  const { catalogue } = contract;
  const api = createApi({ target, catalogue, profile: () => profile });
  const spared: string[] = [];
  const ours: Made[] = [];
  for (const one of made) {
    const answer = await api.retrieve(one.model.name, one.id);
    const shown = findRecordIn(one.model, answer);
    if (shown && isMarked(one.model, shown)) continue;
    const needsValue = maybeDeleted.has(nameOf(one));
    if (shown && (isProven(one, shown, needsValue) || isTagged(shown, tag))) ours.push({ ...one, shown });
    else if (!isGone(answer)) spared.push(nameOf(one));
  }
  // Others may have sent the same: only the tag tells.
  for (const intent of open) {
    const records = await listOf(api, intent.model);
    const found = records ? findSent(intent, records) : [{ model: intent.model, id: undefined, shown: {} }];
    for (const one of found) {
      const name = nameOf(one);
      if (ours.some((other) => nameOf(other) === name) || spared.includes(name)) continue;
      if (isTagged(one.shown, tag)) ours.push(one);
      else spared.push(name);
    }
  }
  const names = ours.map(nameOf);
  if (dryRun) return { removed: names, spared, left: [] };
  const book = createBook(contract, api);
  for (const one of ours) book.add(one);
  const watched = createApi({ target, catalogue, profile: () => profile, watchers: [book] });
  const removal = createRemoval({ catalogue, api: watched, book, mayHoldUnexpected: async () => false });
  await removal.removeAll([...ours]);
  await removal.settle([]);
  const { leftovers } = removal;
  return { removed: names.filter((name) => !leftovers.includes(name)), spared, left: leftovers };
}

/** Undefined where the list can't be read. */
async function listOf(api: Api, model: Model): Promise<readonly RecordValues[] | undefined> {
  return model.operations.includes('list') ? (await fetchList(api, model.name))?.records : undefined;
}
