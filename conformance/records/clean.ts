import { readFileSync } from 'node:fs';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import { createProfile, type Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, findRecordIn, isGone } from '../api/answer.ts';
import { type Api, createApi } from '../api/api.ts';
import { fetchList } from '../api/listing.ts';
import { isId } from '../api/places.ts';
import { isDenied } from '../target/exchange.ts';
import { NoAnswer } from '../target/no-answer.ts';
import type { Target } from '../target/target.ts';
import { createBook } from './book.ts';
import { findSent, type Intent, isMarked, isProven, isTagged, type Made, nameOf } from './identity.ts';
import type { JournalLine } from './journal.ts';
import { createRemoval } from './removal.ts';

/** The journal of a run that didn't end. */
export type Unfinished = {
  readonly target: string;
  readonly tag: string;
  readonly profile: Profile;
  /** Oldest first. */
  readonly made: readonly Made[];
  /** Names of the records in `made` whose delete was sent, without an accepted response. */
  readonly maybeDeleted: ReadonlySet<string>;
  /** The creates without a known outcome, with their bodies in wire form. */
  readonly open: readonly Intent[];
};

/** Returns the base URL of the run that left a journal. Throws UsageError if the file is no journal. */
export function targetOf(path: string): string {
  return String(readRun(path).head.target);
}

function readRun(path: string) {
  const [head, ...lines] = readLines(path);
  if (!head || !('journal' in head))
    throw new UsageError(`${path} is not a journal. Name the file that check or learn left.`);
  return { head, lines };
}

/** Reads a journal and ignores a truncated last line. Throws UsageError if the file is no journal. */
export function readJournal(path: string, catalogue: Catalogue): Unfinished {
  const { head, lines } = readRun(path);
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
 * Returns the error for a service that answers nothing about the records: a usage error for refused credentials, else a
 * target that can't be reached.
 */
function saysNothing({ asked, status }: Answer): UsageError | NoAnswer {
  if (status >= 500)
    return new NoAnswer(`${asked} returned ${status}. No record was removed; try again later`, '', true);
  return new UsageError(
    `The service refuses the credentials: ${asked} returned ${status}. No record was removed. Pass other credentials, with --bearer, --basic, or --api-key.`,
  );
}

/**
 * Removes the records of an unfinished run, newest first, lines before their parent. A record must be proven to be the
 * run's: it shows the tag of the run, or the creation time that the run saw and no value that contradicts the sent ones.
 * After a delete without a response, another record might have the ID, so the record must also show a value that the run
 * wrote.
 */
export async function clean(
  { made, maybeDeleted, open, profile, tag }: Unfinished,
  contract: Pick<Contract, 'catalogue' | 'references'>,
  target: Target,
  dryRun: boolean,
) {
  const { catalogue } = contract;
  const api = createApi({ target, catalogue, profile: () => profile });
  /** Not removed, because the ID might belong to another record now. */
  const spared: string[] = [];
  /** Not removed, because the service refused to show them, with the response. */
  const unseen = new Map<string, Answer>();
  const ours: Made[] = [];
  let seen = 0;
  const isSeen = (one: Pick<Made, 'id' | 'model'>, answer: Answer) => {
    if (isDenied(answer.status) || answer.status >= 500) unseen.set(nameOf(one), answer);
    else seen++;
    return !unseen.has(nameOf(one));
  };
  for (const one of made) {
    const answer = await api.retrieve(one.model.name, one.id);
    if (!isSeen(one, answer)) continue;
    const shown = findRecordIn(one.model, answer);
    if (shown && isMarked(one.model, shown)) continue;
    const needsValue = maybeDeleted.has(nameOf(one));
    if (shown && (isProven(one, shown, needsValue) || isTagged(shown, tag))) ours.push({ ...one, shown });
    else if (!isGone(answer)) spared.push(nameOf(one));
  }
  // Another client might have sent the same values, so only the tag proves a record.
  for (const intent of open) {
    const { model } = intent;
    if (model.operations.includes('list') && !isSeen({ model, id: undefined }, await api.list(model.name)))
      continue;
    const records = await listOf(api, model);
    const found = records ? findSent(intent, records) : [{ model, id: undefined, shown: {} }];
    for (const one of found) {
      const name = nameOf(one);
      if (ours.some((other) => nameOf(other) === name) || spared.includes(name)) continue;
      if (isTagged(one.shown, tag)) ours.push(one);
      else spared.push(name);
    }
  }
  const [refusal] = unseen.values();
  if (refusal && seen === 0) throw saysNothing(refusal);
  const names = ours.map(nameOf);
  if (dryRun) return { removed: names, spared, unseen, left: [] as readonly string[] };
  const book = createBook(contract, api);
  for (const one of ours) book.add(one);
  const watched = createApi({ target, catalogue, profile: () => profile, watchers: [book] });
  const removal = createRemoval({ catalogue, api: watched, book, mayHoldUnexpected: async () => false });
  await removal.removeAll([...ours]);
  await removal.confirm([]);
  const { leftovers } = removal;
  return { removed: names.filter((name) => !leftovers.includes(name)), spared, unseen, left: leftovers };
}

/** Returns the records of a list; undefined if the list can't be read. */
async function listOf(api: Api, model: Model): Promise<readonly RecordValues[] | undefined> {
  return model.operations.includes('list') ? (await fetchList(api, model.name))?.records : undefined;
}
