import { firstPage } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Seen } from '../api/meaning.ts';
import { nameOf } from '../book/identity.ts';
import type { KnownRecord } from '../book/known-record.ts';
import { type JudgeParts, listRule } from './contradiction.ts';
import type { Blame } from './culprits.ts';

/** A record that a list shows otherwise than expected, until it is looked at again. */
export type Doubt = {
  readonly record: KnownRecord;
  /** Reports the doubt as a failure of the target. */
  hold(): void;
};

/** Checks that a list shows each record once. */
export type ListJudge = {
  /** Returns the records that a list lacks or repeats. */
  missing(seen: Seen): Doubt[];
  /** Lists that never showed a record that was made. */
  finish(): void;
};

/** Fewer records than any service puts on a page. */
const NO_PAGE = 10;
/** If this many created records are never listed, the list is wrong. */
const ENOUGH = 3;

type OfModel = {
  /** The largest number of records in a list with each query. A shorter list could have contained another record. */
  readonly longest: Map<string, number>;
  hasShownOwn: boolean;
  readonly unseen: Map<number, { readonly record: KnownRecord; readonly seen: Seen }>;
};

export function createListJudge({
  blame,
  known,
  profile,
}: JudgeParts & { readonly blame: Blame }): ListJudge {
  const ofModel = new Map<Model, OfModel>();
  return { missing, finish };

  function missing(seen: Seen): Doubt[] {
    const { meaning, records = [] } = seen;
    const ids = new Set<unknown>();
    const doubts: Doubt[] = [];
    for (const { id } of records) {
      if (ids.has(id) && typeof id === 'number')
        doubts.push(twice(known.meet(meaning.model, id, seen.answered), seen));
      ids.add(id);
    }
    if (!isStart(meaning.query)) return doubts;
    const state = ofModel.get(meaning.model) ?? { longest: new Map(), hasShownOwn: false, unseen: new Map() };
    ofModel.set(meaning.model, state);
    const key = JSON.stringify(meaning.query);
    const longest = Math.max(state.longest.get(key) ?? 0, records.length);
    state.longest.set(key, longest);
    const lacking: KnownRecord[] = [];
    for (const record of known.of(meaning.model)) {
      if (!record.isOwn || record.life !== 'live' || record.pendingWrites > 0) continue;
      // Made, or written, while the list was asked for.
      if (record.quietSince >= seen.asked || (record.lastWrite?.at ?? seen.asked) >= seen.asked) continue;
      if (ids.has(record.id)) state.hasShownOwn = true;
      else lacking.push(record);
    }
    const span = spanOf([...ids]);
    for (const record of lacking) {
      state.unseen.set(record.id, { record, seen });
      // An update moves a record in a list that is in the order of changes, whose ids may rise by chance.
      const isPlaced = record.lastWrite?.operation === 'create';
      const isBetween = span !== undefined && record.id > span[0] && record.id < span[1];
      if (records.length < longest || (isPlaced && isBetween)) doubts.push(absent(record, seen));
    }
    return doubts;
  }

  function absent(record: KnownRecord, seen: Seen, rule = listRule(record)): Doubt {
    const hold = () =>
      blame.rule(rule, record, seen, {
        message: `${nameOf(record)} is missing in the list, although the list is not full`,
        expected: `id ${record.id} once`,
        found: `${seen.records?.length ?? 0} other records`,
      });
    return { record, hold };
  }

  function twice(record: KnownRecord, seen: Seen): Doubt {
    const hold = () =>
      blame.rule('list.shows-record', record, seen, {
        message: `${nameOf(record)} is in a list more than once`,
        expected: `id ${record.id} once`,
        found: 'it is in the list again',
      });
    return { record, hold };
  }

  /** The first records of a list, and all kinds of them. */
  function isStart(query: Readonly<Record<string, string>>): boolean {
    return Object.entries(query).every(([name, value]) => {
      if ([profile['list.sizeParameter'], profile['version.name']].includes(name)) return true;
      if (name === profile['list.offsetParameter']) return value === '0';
      return name === profile['list.pageParameter'] && value === String(firstPage(profile));
    });
  }

  function finish(): void {
    // Of a list in parts only the start was looked at here.
    if (profile['list.paging'] !== 'none' || profile.unknown['list.paging'] !== undefined) return;
    for (const { hasShownOwn, longest, unseen } of ofModel.values()) {
      const [one] = unseen.values();
      if (hasShownOwn || unseen.size < ENOUGH || Math.max(...longest.values()) >= NO_PAGE || !one) continue;
      absent(one.record, one.seen, 'list.shows-record').hold();
    }
  }
}

/** The first and the last of ids that rise or fall all the way; one between them has no other place. */
function spanOf(ids: readonly unknown[]): readonly [number, number] | undefined {
  const numbers = ids.filter((id) => typeof id === 'number');
  if (numbers.length < 2 || numbers.length < ids.length) return undefined;
  const rises = numbers.every((id, index) => index === 0 || id > (numbers[index - 1] ?? id));
  const falls = numbers.every((id, index) => index === 0 || id < (numbers[index - 1] ?? id));
  const [first = 0, last = 0] = [numbers[0], numbers.at(-1)];
  return rises || falls ? [Math.min(first, last), Math.max(first, last)] : undefined;
}
