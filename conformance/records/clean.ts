import { readFileSync } from 'node:fs';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError, whyFailed } from '../../spec/files/usage-error.ts';
import { createProfile, type Profile } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, findRecordIn, isGone, isId } from '../api/answer.ts';
import { createApi } from '../api/api.ts';
import { fetchList } from '../api/listing.ts';
import { isDenied, NoAnswer } from '../target/exchange.ts';
import type { Target } from '../target/target.ts';
import { identify, isMarked, isTagged, type Made, mightBeSent, nameOf } from './identity.ts';
import type { JournalLine } from './journal.ts';
import { createRegistry } from './registry.ts';
import { createRemoval } from './removal.ts';

/** A create without a known result, and the values that it sent, in wire form. */
export type Intent = { readonly model: Model; readonly sent: RecordValues };

/** The journal of a run that didn't end. */
export type Unfinished = {
  readonly target: string;
  readonly tag: string;
  readonly profile: Profile;
  /** Oldest first. */
  readonly made: readonly Made[];
  /** The creates without a known result, with their bodies in wire form. */
  readonly open: readonly Intent[];
};

/** Returns the base URL of the run that left a journal. Throws UsageError if the file is no journal. */
export function targetOf(path: string): string {
  return readRun(path).head.target;
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
      const one = { model: intent.model, id: line.id, shown: line.shown, changes: [intent.sent] };
      made.set(nameOf(one), one);
    } else if ('changed' in line) {
      made.get(line.changed)?.changes?.push(line.values);
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
 * Removes the records of an unfinished run, newest first. A record must be proven to be the run's: it shows the tag of
 * the run, or the creation time and all values that the run saw or sent.
 */
export async function clean(
  { made, open, profile, tag }: Unfinished,
  contract: Pick<Contract, 'catalogue' | 'references'>,
  target: Target,
  dryRun: boolean,
) {
  const { catalogue } = contract;
  const api = createApi({ target, catalogue, profile: () => profile });
  /** Not removed, because the ID might belong to another record now. */
  const spared: string[] = [];
  /** Not removed, because the service refused to show them, with the response. */
  const unseen = new Map<string, ApiResponse>();
  const ours: Made[] = [];
  let seen = 0;
  const isSeen = (one: Pick<Made, 'id' | 'model'>, answer: ApiResponse) => {
    if (isDenied(answer.status) || answer.status >= 500) unseen.set(nameOf(one), answer);
    else seen++;
    return !unseen.has(nameOf(one));
  };
  for (const one of made) {
    const answer = await api.retrieve(one.model.name, one.id);
    if (!isSeen(one, answer)) continue;
    const shown = findRecordIn(one.model, answer);
    if (shown && isMarked(one.model, shown)) continue;
    if (shown && (isTagged(shown, tag) || identify({ ...one, shown: one.shown ?? {} }, shown) === 'same'))
      ours.push({ ...one, shown });
    else if (!isGone(answer)) spared.push(nameOf(one));
  }
  // Another client might have sent the same values, so only the tag proves a record.
  for (const { model, sent } of open) {
    const hasList = model.operations.includes('list');
    if (hasList && !isSeen({ model, id: undefined }, await api.list(model.name))) continue;
    const listing = hasList ? await fetchList(api, model.name) : undefined;
    const found = listing?.records.filter((one) => isId(one.id) && mightBeSent(model, sent, one)) ?? [{}];
    for (const shown of found) {
      const one: Made = { model, id: isId(shown.id) ? shown.id : undefined, shown };
      if ([...ours.map(nameOf), ...spared].includes(nameOf(one))) continue;
      if (isTagged(shown, tag)) ours.push(one);
      else spared.push(nameOf(one));
    }
  }
  const [refusal] = unseen.values();
  if (refusal && seen === 0) {
    const why = `${refusal.asked} returned ${refusal.status}. No record was removed`;
    if (refusal.status >= 500) throw new NoAnswer(`${why}; try again later`, '', true);
    throw new UsageError(`${why}. Pass other credentials, with --bearer, --basic, or --api-key.`);
  }
  const names = ours.map(nameOf);
  if (dryRun) return { removed: names, spared, unseen, left: [] as readonly string[] };
  const registry = createRegistry(contract, api);
  const watched = createApi({ target, catalogue, profile: () => profile, watchers: [registry] });
  for (const one of ours) registry.add(one);
  const removal = createRemoval({ catalogue, api: watched, registry, list: async () => undefined });
  await removal.finish();
  const left = removal.leftovers();
  return { removed: names.filter((name) => !left.includes(name)), spared, unseen, left };
}
