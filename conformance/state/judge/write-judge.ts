import type { Field } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees, surelyShows } from '../../assert/agreement.ts';
import { show } from '../../assert/wire-check.ts';
import type { KnownRecord } from '../known-record.ts';
import type { Meaning } from '../request-meaning.ts';
import type { Seen } from '../seen.ts';
import { type Blame, nameOf } from './blame.ts';
import { type Compare, isCopy, isOrigin, isTelling } from './comparison.ts';
import type { JudgeParts } from './judge-parts.ts';
import { isReadable } from './readable.ts';

/** A write that ended. */
export type EndedWrite = {
  readonly meaning: Meaning;
  /** Canonical values; undefined for what was not valid. */
  readonly sent: ReadonlyMap<string, Value | undefined>;
  readonly own: KnownRecord | undefined;
  readonly at: number;
  /** Undefined where no answer came. */
  readonly seen: Seen | undefined;
};

/** An accepted create or update shows what it was sent; nothing readonly follows the client; common fields keep. */
export function createWriteJudge(parts: JudgeParts & { readonly blame: Blame; readonly compare: Compare }): {
  apply(write: EndedWrite): void;
} {
  const { blame, catalogue, check, compare, known, profile } = parts;
  // Where it is not known, what was not sent may have been unset.
  const isFull = profile['request.update'] === 'full' || profile.unknown['request.update'] !== undefined;
  return { apply };

  function apply(write: EndedWrite): void {
    const { at, meaning, own, seen, sent } = write;
    if (seen?.outcome === 'refused') {
      if (own && meaning.operation === 'update') own.lastRefused = { at, sent };
      return;
    }
    if (seen?.outcome === 'accepted') {
      if (meaning.operation === 'create') created(write, seen);
      if (meaning.operation === 'update') updated(write, seen);
      if (meaning.operation === 'create' || meaning.operation === 'update') return;
    }
    if (!own) return;
    if (meaning.operation === 'delete') own.life = seen?.outcome === 'accepted' ? 'deleted' : 'unsure';
    else if (meaning.operation === 'update') openUp(own, sent);
    else own.values.clear();
    delete own.judged;
  }

  function created({ at, meaning: { model }, sent }: EndedWrite, seen: Seen): void {
    const wire = seen.records?.[0];
    const id = wire?.id;
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) return;
    const before = known.get(model, id);
    if (before?.isOwn && before.life === 'live' && before.since < seen.asked)
      blame.rule('create.distinct', before, seen, {
        message: `a create answers with the id of ${nameOf(before)}, which is there`,
        expected: 'a new id',
        found: String(id),
      });
    const record = known.meet(model, id, seen.asked);
    record.isOwn = true;
    record.life = 'live';
    record.values.clear();
    delete record.judged;
    delete record.lastRefused;
    record.lastWrite = { at, operation: 'create', names: new Set(sent.keys()), exchange: seen.exchange };
    const shown = check.read(model, wire ?? {});
    for (const field of model.fields) {
      const value = sent.get(field.name);
      if (value === undefined || value === null) continue;
      if (field.readonly) expectIgnored('readonly.on-create', record, field, value, shown, seen);
      else expectTaken('create', record, field, value, wire ?? {}, shown, seen, at);
    }
  }

  function updated({ at, meaning: { id = 0, model }, own, sent }: EndedWrite, seen: Seen): void {
    const record = own ?? known.meet(model, id, seen.asked);
    const wire = seen.records?.[0];
    record.lastWrite = { at, operation: 'update', names: new Set(sent.keys()), exchange: seen.exchange };
    delete record.lastRefused;
    // Whether what is deleted can be written to, the source does not say.
    if (record.life === 'deleted') record.life = 'unsure';
    if (wire && typeof wire.id === 'number' && wire.id !== id) {
      blame.rule('operations.update', record, seen, {
        message: 'an update answers with another record',
        expected: `id ${id}`,
        found: `id ${wire.id}`,
      });
      openUp(record, sent);
      return;
    }
    const shown = wire && check.read(model, wire);
    const wasReset = shown !== undefined && isReset(record, sent, shown);
    for (const field of model.fields) {
      const fact = record.values.get(field.name);
      const value = sent.get(field.name);
      if (field.readonly) {
        if (shown && value !== undefined && value !== null && !(fact && agrees(field, fact.value, value)))
          expectIgnored('readonly.on-update', record, field, value, shown, seen);
        if (!isOrigin(field)) record.values.delete(field.name);
        else if (shown) expectOrigin(record, field, wire, shown, seen);
      } else if (!sent.has(field.name)) {
        if (isFull || wasReset || isCopy(field, model, catalogue)) record.values.delete(field.name);
        else if (fact && shown && fact.not === undefined)
          expectKept('update.keeps-other-fields', record, field, fact.value, wire, shown, seen);
      } else if (value === null) {
        takeNull(record, field, shown, seen, at);
      } else if (value === undefined) {
        record.values.delete(field.name);
      } else {
        expectTaken('update', record, field, value, wire ?? {}, shown, seen, at);
      }
    }
  }

  /** Sent and accepted: from now on this is what the record holds. */
  function expectTaken(
    by: 'create' | 'update',
    record: KnownRecord,
    field: Field,
    value: Value,
    wire: RecordValues,
    shown: RecordValues | undefined,
    seen: Seen,
    at: number,
  ): void {
    record.values.delete(field.name);
    if (isCopy(field, record.model, catalogue)) return;
    const rule = by === 'create' ? 'create.keeps-field' : 'update.changes-field';
    record.values.set(field.name, { value, by, at });
    if (shown) expectKept(rule, record, field, value, wire, shown, seen);
  }

  function expectKept(
    rule: string,
    record: KnownRecord,
    field: Field,
    expected: Value,
    wire: RecordValues,
    shown: RecordValues,
    seen: Seen,
  ): void {
    const alteration = compare(field, expected, shown[field.name]);
    if (!alteration) return;
    record.values.delete(field.name);
    if (isReadable(check, field, wire))
      blame.answer(rule, record, { field, expected, shown: shown[field.name], alteration }, seen);
  }

  /** An optional field without a value may be shown as some value of nothing, and not as it was. */
  function takeNull(
    record: KnownRecord,
    field: Field,
    shown: RecordValues | undefined,
    seen: Seen,
    at: number,
  ): void {
    const before = record.values.get(field.name)?.value;
    record.values.delete(field.name);
    if (before === undefined || !isTelling(before) || field.required) return;
    if (profile['request.encoding'] === 'form') return;
    if (shown && surelyShows(field, before, shown[field.name]))
      blame.answer(
        'update.changes-field',
        record,
        { field, expected: null, shown: before, alteration: IGNORED },
        seen,
      );
    else record.values.set(field.name, { value: null, not: before, by: 'update', at });
  }

  /** Ignoring a readonly field is as good as refusing it, storing is not. */
  function expectIgnored(
    rule: string,
    record: KnownRecord,
    field: Field,
    value: Value,
    shown: RecordValues,
    seen: Seen,
  ): void {
    const isDeleted = field.common && field.name === 'deleted' && value === true;
    if (!(isDeleted || isTelling(value)) || !surelyShows(field, value, shown[field.name])) return;
    blame.answer(rule, record, { field, expected: null, shown: value, alteration: STORED }, seen);
  }

  function expectOrigin(
    record: KnownRecord,
    field: Field,
    wire: RecordValues,
    shown: RecordValues,
    seen: Seen,
  ): void {
    const fact = record.values.get(field.name);
    if (!fact || !Object.hasOwn(wire, field.name) || agrees(field, fact.value, shown[field.name])) return;
    if (!isReadable(check, field, wire) || isRounder(fact.value, shown[field.name])) return;
    blame.rule('update.keeps-origin', record, seen, {
      message: `an update changes ${field.name} of ${nameOf(record)}`,
      expected: show(fact.value),
      found: show(shown[field.name]),
    });
  }

  /** All that was set and not sent is unset: that is an update of another setting (request.update). */
  function isReset(
    { model, values }: KnownRecord,
    sent: ReadonlyMap<string, unknown>,
    shown: RecordValues,
  ): boolean {
    const others = model.fields.filter(
      ({ name, readonly, required }) =>
        !readonly && !required && !sent.has(name) && (values.get(name)?.value ?? null) !== null,
    );
    return others.length > 0 && others.every(({ name }) => (shown[name] ?? null) === null);
  }

  /** The write was not answered: either value is right, until a read says which. */
  function openUp(record: KnownRecord, sent: ReadonlyMap<string, Value | undefined>): void {
    for (const field of record.model.fields) {
      const fact = record.values.get(field.name);
      if (!fact || isOrigin(field)) continue;
      const value = sent.get(field.name);
      const keeps = !field.readonly && !sent.has(field.name) && !isFull;
      if (keeps) continue;
      if (value === undefined || fact.not !== undefined) record.values.delete(field.name);
      else record.values.set(field.name, { ...fact, or: value });
    }
  }
}

const IGNORED = { name: 'a value that was taken away', level: 'stated' } as const;
const STORED = { name: 'a readonly value that a client sent', level: 'stated' } as const;

/** The same moment, one of them without its fraction of a second. */
export function isRounder(one: Value | undefined, other: Value | undefined): boolean {
  const [first, second] = [Date.parse(String(one)), Date.parse(String(other))];
  return Math.abs(first - second) < 1000;
}
