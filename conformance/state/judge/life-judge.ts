import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees, isRounder } from '../../assert/agreement.ts';
import { show } from '../../assert/wire-check.ts';
import { type KnownRecord, nameOf } from '../known-record.ts';
import type { Seen } from '../seen.ts';
import type { Blame } from './blame.ts';
import type { Doubt } from './list-judge.ts';

/** Whether a record that is shown is there or deleted, and whether it is the one that was known by its id. */
export function createLifeJudge(blame: Blame) {
  return { settle, reappeared };

  /** Whether the record is one that is there, and the one that was known by its id. */
  function settle(record: KnownRecord, shown: () => RecordValues, seen: Seen): boolean {
    const values = shown();
    // One that was deleted before anything was known of it.
    if (record.life === 'live' && record.values.size === 0) {
      if (values.deleted === true) record.life = 'deleted';
      return values.deleted !== true;
    }
    if (isUnclear(values)) return record.life === 'live';
    if (values.deleted === true) {
      if (record.life === 'live' && record.judged && seen.meaning.operation === 'retrieve')
        blame.vanished(record, seen, 'deleted true');
      record.life = 'deleted';
      return false;
    }
    if (record.life === 'live') return true;
    if (record.life === 'deleted') {
      const doubt = reappeared(record, values, seen);
      if (doubt) doubt.hold();
      return false;
    }
    if (!isSame(record, values)) startAgain(record, seen);
    record.life = 'live';
    return true;
  }

  /** A deleted record is shown as one that is there; with other values it is another one under the same id. */
  function reappeared(record: KnownRecord, shown: RecordValues, seen: Seen): Doubt | undefined {
    if (shown.deleted === true || isUnclear(shown)) return undefined;
    if (!isSame(record, shown)) {
      startAgain(record, seen);
      return undefined;
    }
    const inList = seen.meaning.operation === 'list';
    const hold = () =>
      blame.rule('operations.delete', record, seen, {
        message: `the deleted ${nameOf(record)} ${inList ? 'is in the list' : 'still exists'}`,
        expected: inList ? 'no such record, or deleted set' : 'a 4xx status, or deleted set',
        found: show(shown),
      });
    return { record, hold };
  }

  function startAgain(record: KnownRecord, seen: Seen): void {
    record.values.clear();
    record.isOwn = false;
    record.life = 'live';
    record.quietSince = seen.asked - 1;
    delete record.judged;
    delete record.lastWrite;
  }

  /** Whether what is shown is the record that was known by its id. */
  function isSame({ model, values }: KnownRecord, shown: RecordValues): boolean {
    const facts = model.fields.flatMap((field) => {
      const fact = values.get(field.name);
      return fact && fact.not === undefined && !field.readonly ? [{ field, fact }] : [];
    });
    const created = values.get('created')?.value;
    if (created !== undefined && shown.created !== undefined && !isRounder(created, shown.created))
      return false;
    return facts.length > 0 && facts.every(({ fact, field }) => agrees(field, fact.value, shown[field.name]));
  }
}

/** A `deleted` in a form of another option, such as 1 for true, does not tell whether the record is deleted. */
function isUnclear({ deleted = false }: RecordValues): boolean {
  return deleted !== null && typeof deleted !== 'boolean';
}
