import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees } from '../../assert/agreement.ts';
import { isCopy } from '../../assert/copies.ts';
import { type KnownRecord, nameOf } from '../known-record.ts';
import type { Meaning } from '../request-meaning.ts';
import type { Seen } from '../seen.ts';
import type { Blame } from './blame.ts';
import { type Compare, isOrigin } from './comparison.ts';
import type { JudgeParts } from './judge-parts.ts';
import { createWriteExpectations } from './write-expectations.ts';

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

/** Judges answers to accepted writes: sent values are shown, readonly ones ignored, common ones kept. */
export function createWriteJudge(parts: JudgeParts & { readonly blame: Blame; readonly compare: Compare }): {
  apply(write: EndedWrite): void;
} {
  const { blame, catalogue, check, known, profile } = parts;
  // If the setting is unknown, fields that were not sent may have been unset.
  const isFull = profile['request.update'] === 'full' || profile.unknown['request.update'] !== undefined;
  const expect = createWriteExpectations(parts);
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
    if (!wire || typeof id !== 'number' || !Number.isSafeInteger(id)) return;
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
    const answer = { by: 'create' as const, record, wire, shown: check.read(model, wire), seen, at };
    for (const field of model.fields) {
      const value = sent.get(field.name);
      if (value === undefined || value === null) continue;
      if (field.readonly) expect.ignored(answer, field, value);
      else expect.taken(answer, field, value);
    }
  }

  function updated({ at, meaning: { id = 0, model }, own, sent }: EndedWrite, seen: Seen): void {
    const record = own ?? known.meet(model, id, seen.asked);
    const wire = seen.records?.[0];
    record.lastWrite = { at, operation: 'update', names: new Set(sent.keys()), exchange: seen.exchange };
    delete record.lastRefused;
    // The source does not say whether a deleted record can be updated.
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
    const answer = { by: 'update' as const, record, wire: wire ?? {}, shown, seen, at };
    const wasReset = shown !== undefined && isReset(record, sent, shown);
    for (const field of model.fields) {
      const fact = record.values.get(field.name);
      const value = sent.get(field.name);
      if (field.readonly) {
        if (value !== undefined && value !== null && !(fact && agrees(field, fact.value, value)))
          expect.ignored(answer, field, value);
        if (isOrigin(field)) expect.origin(answer, field);
        else record.values.delete(field.name);
      } else if (!sent.has(field.name)) {
        if (isFull || wasReset || isCopy(field, model, catalogue)) record.values.delete(field.name);
        else if (fact && fact.not === undefined)
          expect.kept('update.keeps-other-fields', answer, field, fact.value);
      } else if (value === null) {
        expect.unset(answer, field);
      } else if (value === undefined) {
        record.values.delete(field.name);
      } else {
        expect.taken(answer, field, value);
      }
    }
  }

  /** Whether all fields that were not sent are unset: a full update, another option of `request.update`. */
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

  /** The write was not answered: old and new value may both hold until a read shows which. */
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
