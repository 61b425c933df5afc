import type { Field } from '../../../../spec/catalogue/field.ts';
import type { Value } from '../../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import { agrees, isRounder, surelyShows } from '../../../assert/agreement.ts';
import { isCopy } from '../../../assert/copies.ts';
import { show } from '../../../assert/wire-check.ts';
import { idsIn, type KnownRecord, nameOf } from '../../known-record.ts';
import type { Seen } from '../../seen.ts';
import { isTelling } from '../comparison.ts';
import { isReadable } from '../readable.ts';
import type { WriteJudgeParts } from './ended-write.ts';

/** The answer to an accepted create or update of a record. */
export type AcceptedWrite = {
  readonly by: 'create' | 'update';
  readonly record: KnownRecord;
  /** What it shows of the record, in wire form, and canonical; undefined where it shows no record. */
  readonly wire: RecordValues;
  readonly shown: RecordValues | undefined;
  readonly seen: Seen;
  readonly at: number;
};

const IGNORED = { name: 'a value that was taken away', level: 'stated' } as const;
const STORED = { name: 'a readonly value that a client sent', level: 'stated' } as const;

/** What the answer to an accepted write has to show of a field, and what is known of the field after it. */
export function createWriteExpectations(parts: WriteJudgeParts) {
  const { blame, catalogue, check, compare, profile } = parts;
  return { taken, kept, unset, ignored, origin };

  /** A writable field was sent: from now on the record holds the value. */
  function taken(write: AcceptedWrite, field: Field, value: Value): void {
    const { at, by, record, shown } = write;
    record.values.delete(field.name);
    // Lines that are given by ids may be another record's to keep: a rule of their own judges them.
    const areById = field.lines !== undefined && profile['types.lines'] === 'ids';
    if (areById || isCopy(field, catalogue)) return;
    const lineIds = field.lines ? { lineIds: idsIn(shown?.[field.name]) } : {};
    record.values.set(field.name, { value, by, at, ...lineIds });
    kept(by === 'create' ? 'create.keeps-field' : 'update.changes-field', write, field, value);
  }

  function kept(rule: string, write: AcceptedWrite, field: Field, expected: Value): void {
    const { record, seen, shown, wire } = write;
    const alteration = shown && compare(field, expected, shown[field.name]);
    if (!alteration) return;
    record.values.delete(field.name);
    if (isReadable(check, field, wire))
      blame.answer(rule, record, { field, expected, shown: shown[field.name], alteration }, seen);
  }

  /** Null was sent: an optional field may be shown with any empty value, but not with the old one. */
  function unset({ at, record, seen, shown }: AcceptedWrite, field: Field): void {
    const before = record.values.get(field.name)?.value;
    record.values.delete(field.name);
    if (before === undefined || !isTelling(before) || field.required) return;
    if (profile['request.encoding'] === 'form') return;
    if (shown && surelyShows(field, before, shown[field.name])) {
      const wrong = { field, expected: null, shown: before, alteration: IGNORED };
      blame.answer('update.changes-field', record, wrong, seen);
    } else {
      record.values.set(field.name, { value: null, not: before, by: 'update', at });
    }
  }

  /** A readonly field was sent: a service may ignore it or refuse the request, and may not store it. */
  function ignored({ by, record, seen, shown }: AcceptedWrite, field: Field, value: Value): void {
    const isDeleted = field.role === 'deleted' && value === true;
    if (!shown || !(isDeleted || isTelling(value)) || !surelyShows(field, value, shown[field.name])) return;
    const wrong = { field, expected: null, shown: value, alteration: STORED };
    blame.answer(`readonly.on-${by}`, record, wrong, seen);
  }

  /** Who created a record and when stays the same in every update. */
  function origin({ record, seen, shown, wire }: AcceptedWrite, field: Field): void {
    const fact = record.values.get(field.name);
    if (!shown || !fact || !Object.hasOwn(wire, field.name)) return;
    const found = shown[field.name];
    if (agrees(field, fact.value, found) || isRounder(fact.value, found)) return;
    if (!isReadable(check, field, wire)) return;
    blame.rule('update.keeps-origin', record, seen, {
      message: `an update changes ${field.name} of ${nameOf(record)}`,
      expected: show(fact.value),
      found: show(found),
    });
  }
}
