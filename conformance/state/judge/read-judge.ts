import { hash } from 'node:crypto';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees, surelyShows } from '../../assert/agreement.ts';
import { show } from '../../assert/wire-check.ts';
import type { Fact, KnownRecord } from '../known-record.ts';
import type { Seen } from '../seen.ts';
import type { WriteLog } from '../write-log.ts';
import { type Blame, nameOf } from './blame.ts';
import { type Compare, isCopy, isOrigin } from './comparison.ts';
import type { JudgeParts } from './judge-parts.ts';
import type { ListJudge } from './list-judge.ts';
import { isReadable } from './readable.ts';
import { isRounder } from './write-judge.ts';

/** What a list shows otherwise than expected, until it is looked at again. */
export type Doubt = {
  readonly records: readonly KnownRecord[];
  /** It is held against the target. */
  hold(): void;
};

type ReadJudge = { read(seen: Seen): Doubt | undefined };

/** Common fields that any write may change, and none need. */
const RESTLESS = ['id', 'updated', 'updateUser', 'deleted'];

/** A retrieve and a list show what is known. */
export function createReadJudge(
  parts: JudgeParts & { readonly blame: Blame; readonly compare: Compare },
  log: WriteLog,
  lists: ListJudge,
): ReadJudge {
  const { blame, catalogue, check, compare, known, profile, ties } = parts;
  return { read };

  function read(seen: Seen): Doubt | undefined {
    const { id, model, operation } = seen.meaning;
    if (operation === 'retrieve') {
      retrieved(model, id ?? 0, seen);
      return undefined;
    }
    if (seen.outcome !== 'accepted' || !seen.records) return undefined;
    const doubts: { readonly record: KnownRecord; readonly hold: () => void }[] = [];
    for (const wire of seen.records) {
      const wrong = listed(model, wire, seen);
      if (wrong) doubts.push(wrong);
    }
    doubts.push(...lists.missing(seen));
    if (doubts.length === 0) return undefined;
    return {
      records: doubts.map(({ record }) => record),
      hold: () => {
        for (const { hold } of doubts) hold();
      },
    };
  }

  function retrieved(model: Model, id: number, seen: Seen): void {
    const { outcome, records, status } = seen;
    const wire = outcome === 'accepted' ? records?.[0] : undefined;
    const record = known.get(model, id);
    if (wire && Number.isSafeInteger(wire.id) && wire.id !== id) {
      blame.rule('operations.retrieve', record ?? known.meet(model, id, seen.answered), seen, {
        message: 'a retrieve answers with another record',
        expected: `id ${id}`,
        found: `id ${show(wire.id)}`,
      });
    } else if (wire) {
      const { digest, shown } = look(model, wire);
      const one = record ?? known.meet(model, id, seen.answered);
      if (!isQuiet(one, seen) || !settleLife(one, shown, seen)) return;
      if (one.judged?.digest !== digest) judge(one, wire, shown(), 'retrieve', seen);
      one.judged = { digest, at: seen.answered };
    } else if (outcome === 'refused' && [404, 410, profile['status.unknownRecord']].includes(status)) {
      if (!record || !isQuiet(record, seen) || record.life !== 'live') return;
      blame.vanished(record, seen, `status ${status}`);
      record.life = 'unsure';
    }
  }

  function listed(
    model: Model,
    wire: RecordValues,
    seen: Seen,
  ): { record: KnownRecord; hold: () => void } | undefined {
    const { id } = wire;
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined;
    const { digest, shown } = look(model, wire);
    const record = known.meet(model, id, seen.answered);
    if (!isQuiet(record, seen)) return undefined;
    if (record.life === 'live' && record.judged?.digest === digest) return undefined;
    if (record.life === 'deleted') return reappeared(record, shown(), seen);
    if (!settleLife(record, shown, seen)) return undefined;
    const wrong = [...differences(record, wire, shown(), 'list', seen)];
    const [first] = wrong;
    if (first) return { record, hold: () => blame.list(record, first.wrong, seen) };
    take(record, shown(), 'list', seen);
    record.judged = { digest, at: seen.answered };
    return undefined;
  }

  /** Read only where it is not the text that was read before. */
  function look(model: Model, wire: RecordValues) {
    let values: RecordValues | undefined;
    const shown = () => {
      values ??= check.read(model, wire);
      return values;
    };
    return { digest: hash('sha1', JSON.stringify(wire), 'base64'), shown };
  }

  /** Whether the record is one that is there, and the one that was known by its id. */
  function settleLife(record: KnownRecord, shown: () => RecordValues, seen: Seen): boolean {
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
  function reappeared(record: KnownRecord, shown: RecordValues, seen: Seen) {
    if (shown.deleted === true || isUnclear(shown)) return undefined;
    if (!isSame(record, shown)) {
      startAgain(record, seen);
      return undefined;
    }
    const inList = seen.meaning.operation === 'list';
    const hold = () =>
      blame.rule('operations.delete', record, seen, {
        message: `${nameOf(record)}, which was deleted, ${inList ? 'stands in the list' : 'is still there'}`,
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

  function judge(record: KnownRecord, wire: RecordValues, shown: RecordValues, from: 'retrieve', seen: Seen) {
    for (const { fact, field, wrong } of differences(record, wire, shown, from, seen)) {
      if (isOrigin(field)) blame.list(record, wrong, seen);
      else if (field.readonly || isCopy(field, record.model, catalogue)) blame.list(record, wrong, seen);
      else blame.retrieve(record, wrong, fact, seen);
      record.values.delete(field.name);
    }
    take(record, shown, from, seen);
  }

  function* differences(
    record: KnownRecord,
    wire: RecordValues,
    shown: RecordValues,
    from: 'retrieve' | 'list',
    seen: Seen,
  ) {
    for (const field of record.model.fields) {
      const fact = record.values.get(field.name);
      if (!fact || RESTLESS.includes(field.name)) continue;
      const found = shown[field.name];
      if (!isWrong(record, field, fact, found)) continue;
      if (!isBinding(record, field, fact, from) || !isReadable(check, field, wire)) {
        record.values.delete(field.name);
        continue;
      }
      const alteration = compare(field, fact.value, found) ?? {
        name: 'what was taken away',
        level: 'stated' as const,
      };
      yield { field, fact, wrong: { field, expected: fact.value, shown: found, alteration } };
    }

    function isWrong(_: KnownRecord, field: Field, fact: Fact, found: RecordValues[string] | undefined) {
      if (fact.not !== undefined) return surelyShows(field, fact.not, found);
      if (isOrigin(field) && isRounder(fact.value, found)) return false;
      if (fact.or !== undefined && compare(field, fact.or, found) === undefined) return false;
      return compare(field, fact.value, found) !== undefined;
    }

    /** Readonly values and copies bind a retrieve and a list to each other, with no write between that is near. */
    function isBinding(
      { model }: KnownRecord,
      field: Field,
      fact: Fact,
      shownBy: 'retrieve' | 'list',
    ): boolean {
      if (!field.readonly && !isCopy(field, model, catalogue)) return true;
      if (fact.by === shownBy) return false;
      if (isOrigin(field)) return true;
      return !log.isBusy(fact.at, (other) => ties.areNear(model, other)) && seen.asked > fact.at;
    }
  }

  /** What is shown is known from now on; what was sent stays known as that. */
  function take(record: KnownRecord, shown: RecordValues, by: 'retrieve' | 'list', { answered }: Seen): void {
    for (const field of record.model.fields) {
      if (RESTLESS.includes(field.name)) continue;
      const fact = record.values.get(field.name);
      if (fact && !field.readonly && fact.or === undefined && fact.not === undefined) continue;
      record.values.set(field.name, { value: shown[field.name] ?? null, by, at: answered });
    }
  }

  /** Nothing that may change the record was under way between question and answer. */
  function isQuiet({ quietSince, writing }: KnownRecord, { asked }: Seen): boolean {
    return writing === 0 && quietSince < asked;
  }
}

/** A mark in a form of another setting, such as 1 for true, says neither that a record is there nor that it is gone. */
function isUnclear({ deleted = false }: RecordValues): boolean {
  return deleted !== null && typeof deleted !== 'boolean';
}
