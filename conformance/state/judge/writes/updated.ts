import type { Value } from '../../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import { agrees } from '../../../assert/agreement.ts';
import { isCopy } from '../../../assert/copies.ts';
import type { KnownRecord } from '../../known-record.ts';
import type { Seen } from '../../seen.ts';
import { isOrigin } from '../comparison.ts';
import type { EndedWrite, WriteJudgeParts } from './ended-write.ts';
import { createWriteExpectations } from './expectations.ts';

/** Judges answers to updates: sent values are shown, readonly ones ignored, all others kept. */
export function createUpdateJudge(parts: WriteJudgeParts): {
  updated(write: EndedWrite, seen: Seen): void;
  openUp(record: KnownRecord, sent: EndedWrite['sent']): void;
} {
  const { blame, catalogue, check, known, profile } = parts;
  // If the setting is unknown, fields that were not sent may have been unset.
  const isFull = profile['request.update'] === 'full' || profile.unknown['request.update'] !== undefined;
  const expect = createWriteExpectations(parts);
  return { updated, openUp };

  function updated({ at, meaning: { id = 0, model }, own, sent }: EndedWrite, seen: Seen): void {
    const record = own ?? known.meet(model, id, seen.asked);
    const wire = seen.records?.[0];
    record.lastWrite = { at, operation: 'update', names: new Set(sent.keys()), exchange: seen.exchange };
    delete record.lastRefused;
    // The source does not say whether a deleted record can be updated.
    if (record.life === 'deleted') record.life = 'unsure';
    if (wire && typeof wire.id === 'number' && wire.id !== id) {
      blame.rule('operations.update', record, seen, {
        message: 'an update returns another record',
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
        if (isFull || wasReset || isCopy(field, catalogue)) record.values.delete(field.name);
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
