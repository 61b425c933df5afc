import type { Field } from '../../../spec/catalogue/field.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isRounder, isStored, surelyShows } from '../../assert/agreement.ts';
import { isCopy } from '../../assert/copies.ts';
import { type Fact, idsIn, type KnownRecord } from '../known-record.ts';
import type { Seen } from '../seen.ts';
import type { WriteLog } from '../write-log.ts';
import { type Compare, isOrigin } from './comparison.ts';
import type { JudgeParts } from './judge-parts.ts';
import { isReadable } from './readable.ts';

/** Whether any write may change a common field, and none need. */
function isRestless(field: Field): boolean {
  const { role = 'created' } = field;
  return isIdField(field) || ['updated', 'updatedBy', 'deleted'].includes(role);
}

/** What a retrieve or a list shows of a record. */
export type Shown = {
  readonly record: KnownRecord;
  /** In wire form, and canonical. */
  readonly wire: RecordValues;
  readonly values: RecordValues;
  readonly by: 'retrieve' | 'list';
  readonly seen: Seen;
};

/** Compares what is shown of a record with what is known of it. */
export function createShownValues(
  { catalogue, check, compare, ties }: JudgeParts & { readonly compare: Compare },
  log: WriteLog,
) {
  return { differences, take };

  /** The values that contradict what is known. Other changed values are forgotten. */
  function* differences(shown: Shown) {
    const { record, values, wire } = shown;
    for (const field of record.model.fields) {
      const fact = record.values.get(field.name);
      if (!fact || isRestless(field)) continue;
      const found = values[field.name];
      if (!isWrong(shown, field, fact)) continue;
      if (!isBinding(shown, field, fact) || !isReadable(check, field, wire)) {
        record.values.delete(field.name);
        continue;
      }
      const alteration = compare(field, fact.value, found) ?? {
        name: 'what was taken away',
        level: 'stated' as const,
      };
      yield { field, fact, wrong: { field, expected: fact.value, shown: found, alteration } };
    }
  }

  function isWrong({ by, values }: Shown, field: Field, fact: Fact): boolean {
    const found = values[field.name];
    if (fact.not !== undefined) return surelyShows(field, fact.not, found);
    // The answer to a write may show a time before it was stored.
    const isSameTime = fact.by === 'retrieve' && by === 'retrieve' ? isStored : isRounder;
    if (isOrigin(field) && isSameTime(fact.value, found)) return false;
    if (fact.or !== undefined && compare(field, fact.or, found) === undefined) return false;
    return compare(field, fact.value, found) !== undefined;
  }

  /** Readonly values and copies have to agree between retrieve and list unless a related write lies between. */
  function isBinding({ by, record: { model }, seen }: Shown, field: Field, fact: Fact): boolean {
    if (!field.readonly && !isCopy(field, catalogue)) return true;
    if (isOrigin(field) && by === 'retrieve') return true;
    if (fact.by === by) return false;
    if (isOrigin(field)) return true;
    return !log.isBusy(fact.at, (other) => ties.areNear(model, other)) && seen.asked > fact.at;
  }

  /** Remembers the shown values, except where a sent value is known. */
  function take({ by, record, seen, values, wire }: Shown): void {
    for (const field of record.model.fields) {
      if (isRestless(field) || (isOrigin(field) && !Object.hasOwn(wire, field.name))) continue;
      const fact = record.values.get(field.name);
      const isCertain = fact && !field.readonly && fact.or === undefined && fact.not === undefined;
      // A retrieve is better evidence for a record of others than a list.
      if (isCertain && (record.isOwn || by === 'list')) {
        if (field.lines) record.values.set(field.name, { ...fact, lineIds: idsIn(values[field.name]) });
        continue;
      }
      record.values.set(field.name, { value: values[field.name] ?? null, by, at: seen.answered });
    }
  }
}
