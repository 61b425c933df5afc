import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Meaning, Seen } from '../api/meaning.ts';
import {
  agrees,
  type Compare,
  isCopy,
  isOrigin,
  isRounder,
  isTelling,
  surelyShows,
} from '../assert/agreement.ts';
import { show } from '../assert/wire-check.ts';
import { nameOf } from '../book/identity.ts';
import { idsIn, type KnownRecord } from '../book/known-record.ts';
import type { JudgeParts } from './contradiction.ts';
import type { Copies } from './copies.ts';
import type { Blame } from './culprits.ts';
import { isReadable } from './read-judge.ts';

const IGNORED = { name: 'a value that was taken away', level: 'stated' } as const;

const STORED = { name: 'a readonly value that a client sent', level: 'stated' } as const;

export type { EndedWrite };

/** Judges answers to accepted writes: sent values are shown, readonly ones ignored, common ones kept. */
export function createWriteJudge(parts: WriteJudgeParts): {
  apply(write: EndedWrite): void;
} {
  const created = createCreateJudge(parts);
  const { openUp, updated } = createUpdateJudge(parts);
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
}

/** Judges the answer to an accepted create: a new id, sent values shown, readonly ones ignored. */
function createCreateJudge(parts: WriteJudgeParts): (write: EndedWrite, seen: Seen) => void {
  const { blame, check, known } = parts;
  const expect = createWriteExpectations(parts);
  return ({ at, meaning: { model }, sent }: EndedWrite, seen: Seen): void => {
    const wire = seen.records?.[0];
    const id = wire?.id;
    if (!wire || typeof id !== 'number' || !Number.isSafeInteger(id)) return;
    const before = known.get(model, id);
    if (before?.isOwn && before.life === 'live' && before.since < seen.asked) blame.replaced(before, seen);
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
  };
}

/** Judges answers to updates: sent values are shown, readonly ones ignored, all others kept. */
function createUpdateJudge(parts: WriteJudgeParts): {
  updated(write: EndedWrite, seen: Seen): void;
  openUp(record: KnownRecord, sent: EndedWrite['sent']): void;
} {
  const { blame, catalogue, check, known, profile } = parts;
  // If the setting is unknown, fields that were not sent may have been unset.
  const unsetsOthers = ({ name }: Model) => {
    const own = profileAt(profile, name);
    return own['request.update'] === 'full' || own.unknown['request.update'] !== undefined;
  };
  const expect = createWriteExpectations(parts);
  return { updated, openUp };

  function updated({ at, meaning: { id = 0, model }, own, sent }: EndedWrite, seen: Seen): void {
    const record = own ?? known.meet(model, id, seen.asked);
    const wire = seen.records?.[0];
    record.lastWrite = { at, operation: 'update', names: new Set(sent.keys()), exchange: seen.exchange };
    delete record.lastRefused;
    // Otherwise the judge would skip a retrieve that shows the same as before the update.
    if (record.judged) record.judged = { ...record.judged, digest: '' };
    // The source does not say whether a deleted record can be updated.
    if (record.life === 'deleted') record.life = 'unsure';
    if (wire && typeof wire.id === 'number' && wire.id !== id) {
      const description = {
        message: 'an update returns another record',
        expected: `id ${id}`,
        found: `id ${wire.id}`,
      };
      blame.rule('operations.update', record, seen, description);
      // A service may take the record that the body names.
      if (!sent.has('id')) blame.rule('update.keeps-origin', record, seen, description);
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
        const mark = (field.role === 'deleted' && shown?.[field.name]) || false;
        // A mark of another form, such as 1, counts where it was false before.
        const isMarked = mark === true || (mark !== false && fact?.value === false);
        if (isMarked && own?.isOwn && own.life === 'live' && value === undefined)
          blame.rule('update.keeps-origin', record, seen, {
            message: `the response to an update shows ${nameOf(record)} as deleted`,
            expected: `${field.name} false`,
            found: `${field.name} ${show(mark)}`,
          });
      } else if (!sent.has(field.name)) {
        const isRead = fact?.by === 'retrieve' || fact?.by === 'list';
        if (unsetsOthers(model) || wasReset || (isRead && isCopy(field, catalogue)))
          record.values.delete(field.name);
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
      const keeps = !field.readonly && !sent.has(field.name) && !unsetsOthers(record.model);
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

/** The answer to an accepted create or update of a record. */
type AcceptedWrite = {
  readonly by: 'create' | 'update';
  readonly record: KnownRecord;
  /** The record in wire form and in canonical form; undefined if the response has none. */
  readonly wire: RecordValues;
  readonly shown: RecordValues | undefined;
  readonly seen: Seen;
  readonly at: number;
};

/** Judges the fields in the response to an accepted write, and notes their new values. */
function createWriteExpectations(parts: WriteJudgeParts) {
  const { blame, catalogue, check, compare, copies, profile } = parts;
  return { taken, kept, unset, ignored, origin };

  /** A writable field was sent: from now on the record holds the value. */
  function taken(write: AcceptedWrite, field: Field, value: Value): void {
    const { at, by, record, shown } = write;
    record.values.delete(field.name);
    // Other rules judge lines that are given by IDs, because another record may have them.
    const areById = field.lines !== undefined && profileAt(profile, field.key)['types.lines'] === 'ids';
    if (areById) return;
    const lineIds = field.lines ? { lineIds: idsIn(shown?.[field.name]) } : {};
    record.values.set(field.name, { value, by, at, ...lineIds });
    kept(by === 'create' ? 'create.keeps-field' : 'update.changes-field', write, field, value);
  }

  function kept(rule: string, write: AcceptedWrite, field: Field, expected: Value): void {
    const { record, seen, shown, wire } = write;
    const alteration = shown && compare(field, expected, shown[field.name]);
    if (!alteration) return;
    // A later retrieve tells of a copy whether the service computes it.
    if (isCopy(field, catalogue)) copies.note(field, { by: write.by, value: expected }, shown[field.name]);
    else record.values.delete(field.name);
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

/** A write that ended. */
type EndedWrite = {
  readonly meaning: Meaning;
  /** Canonical values; undefined for an invalid one. */
  readonly sent: ReadonlyMap<string, Value | undefined>;
  readonly own: KnownRecord | undefined;
  readonly at: number;
  /** Undefined where no answer came. */
  readonly seen: Seen | undefined;
};

type WriteJudgeParts = JudgeParts & {
  readonly blame: Blame;
  readonly compare: Compare;
  readonly copies: Copies;
};
