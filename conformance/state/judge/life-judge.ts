import type { Model } from '../../../spec/catalogue/catalogue.ts';
import { fieldOf, isDeleted, readRole } from '../../../spec/catalogue/roles.ts';
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
      if (isDeleted(record.model, values)) record.life = 'deleted';
      return record.life === 'live';
    }
    if (isUnclear(record.model, values)) return record.life === 'live';
    if (isDeleted(record.model, values)) {
      if (record.life === 'live' && record.judged && seen.meaning.operation === 'retrieve')
        blame.vanished(record, seen, `${fieldOf(record.model, 'deleted')?.name} true`);
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
    if (isDeleted(record.model, shown) || isUnclear(record.model, shown)) return undefined;
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
    const created = values.get(fieldOf(model, 'created')?.name ?? '')?.value;
    const found = readRole(model, 'created', shown);
    if (created !== undefined && found !== undefined && !isRounder(created, found)) return false;
    return facts.length > 0 && facts.every(({ fact, field }) => agrees(field, fact.value, shown[field.name]));
  }
}

/** A mark in a form of another option, such as 1 for true, does not tell whether the record is deleted. */
function isUnclear(model: Model, record: RecordValues): boolean {
  const mark = readRole(model, 'deleted', record) ?? false;
  return typeof mark !== 'boolean';
}
