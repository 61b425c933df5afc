import { hash } from 'node:crypto';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { fieldOf, isDeleted, isIdField, readRole } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Seen } from '../api/meaning.ts';
import {
  type Compare,
  isCopy,
  isOrigin,
  isRounder,
  isStored,
  isUnset,
  surelyShows,
} from '../assert/agreement.ts';
import { show, type WireCheck } from '../assert/wire-check.ts';
import { holdsFacts, isStillThere, nameOf } from '../book/identity.ts';
import { type Fact, idsIn, type KnownRecord, type WriteLog } from '../book/known-record.ts';
import type { JudgeParts } from './contradiction.ts';
import type { Copies } from './copies.ts';
import type { Blame } from './culprits.ts';
import type { Doubt, ListJudge } from './list-judge.ts';

/** Gives what a list shows otherwise than expected. */
type ReadJudge = { read(seen: Seen): readonly Doubt[] };

/** Further back in a list, only known records are judged. */
const MOST_LISTED = 1000;
/** Characters of a record that are kept to tell it from another; of a longer one, a digest is. */
const LONGEST_KEPT = 1000;

const TIMES: ReadonlySet<TypeName> = new Set(['time', 'datetime']);
/** Of a canonical time, other than 0. */
const SECONDS = /:(?!00)\d\d(\.\d+)?Z?$/;

/** A retrieve and a list show what is known. */
export function createReadJudge(
  parts: JudgeParts & {
    readonly blame: Blame;
    readonly compare: Compare;
    readonly copies: Copies;
    /** The types of which a response showed seconds. */
    readonly secondsIn: Set<TypeName>;
  },
  log: WriteLog,
  lists: ListJudge,
): ReadJudge {
  const { blame, catalogue, check, known, profile, secondsIn } = parts;
  const life = createLifeJudge(blame);
  const values = createShownValues(parts, log);
  return { read };

  function read(seen: Seen): readonly Doubt[] {
    const { id, model, operation } = seen.meaning;
    if (operation === 'retrieve') retrieved(model, id ?? 0, seen);
    if (operation === 'retrieve' || seen.outcome !== 'accepted' || !seen.records) return [];
    const doubts = seen.records
      .filter(({ id: one }, index) => index < MOST_LISTED || known.get(model, Number(one)))
      .map((wire) => listed(model, wire, seen))
      .filter((doubt) => doubt !== undefined);
    return [...doubts, ...lists.missing(seen)];
  }

  function retrieved(model: Model, id: number, seen: Seen): void {
    const { outcome, records, status } = seen;
    const wire = outcome === 'accepted' ? records?.[0] : undefined;
    const record = known.get(model, id);
    if (wire && Number.isSafeInteger(wire.id) && wire.id !== id) {
      blame.rule('operations.retrieve', record ?? known.meet(model, id, seen.answered), seen, {
        message: 'a retrieve returns another record',
        expected: `id ${id}`,
        found: `id ${show(wire.id)}`,
      });
    } else if (wire) {
      const { digest, shown } = look(model, wire);
      const one = record ?? known.meet(model, id, seen.answered);
      if (!isQuiet(one, seen)) return;
      const isKnown = one.judged?.digest === digest;
      if (!(isKnown && one.life === 'live') && !life.settle(one, shown, seen)) return;
      if (!isKnown) judge({ record: one, wire, values: shown(), by: 'retrieve', seen });
      one.judged = { digest, at: seen.answered };
    } else if (outcome === 'refused' && [404, 410, profile['status.unknownRecord']].includes(status)) {
      if (!record || !isQuiet(record, seen) || record.life !== 'live') return;
      blame.vanished(record, seen, `status ${status}`);
      record.life = 'unsure';
    }
  }

  function listed(model: Model, wire: RecordValues, seen: Seen): Doubt | undefined {
    const { id } = wire;
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined;
    const { digest, shown } = look(model, wire);
    const record = known.meet(model, id, seen.answered);
    if (!isQuiet(record, seen)) return undefined;
    if (record.life === 'live' && record.judged?.digest === digest) return undefined;
    if (record.life === 'deleted') return life.reappeared(record, shown(), seen);
    if (!life.settle(record, shown, seen)) return undefined;
    const one = { record, wire, values: shown(), by: 'list' as const, seen };
    const [first] = [...values.differences(one)];
    // Only a retrieve tells what became of a copy that the run sent.
    if (first && isSent(first.fact) && isCopy(first.field, catalogue)) return undefined;
    if (first) return { record, hold: () => blame.list(record, first.wrong, seen) };
    values.take(one);
    record.judged = { digest, at: seen.answered };
    return undefined;
  }

  /** Decodes a record only if its text differs from the one that was read before. */
  function look(model: Model, wire: RecordValues) {
    let canonical: RecordValues | undefined;
    const shown = () => {
      if (canonical) return canonical;
      canonical = check.read(model, wire);
      for (const { name, type } of model.fields)
        if (TIMES.has(type) && SECONDS.test(String(canonical[name]))) secondsIn.add(type);
      return canonical;
    };
    const text = JSON.stringify(wire);
    return { digest: text.length > LONGEST_KEPT ? hash('sha1', text, 'base64') : text, shown };
  }

  function judge(shown: Shown): void {
    const { record, seen } = shown;
    for (const { fact, field, wrong } of values.differences(shown)) {
      if (isOrigin(field) && fact.by === 'retrieve') blame.origin(record, wrong, fact, seen);
      // The next list tells whether the service changed it meanwhile.
      else if (!isOrigin(field) && !field.readonly && !(isCopy(field, catalogue) && fact.by === 'list'))
        blame.retrieve(record, wrong, fact, seen);
      record.values.delete(field.name);
    }
    values.take(shown);
  }

  /** Nothing that may change the record was under way between question and answer. */
  function isQuiet({ quietSince, pendingWrites }: KnownRecord, { asked }: Seen): boolean {
    return pendingWrites === 0 && quietSince < asked;
  }
}

/** Whether a record that is shown is there or deleted, and whether it is the one that was known by its id. */
function createLifeJudge(blame: Blame) {
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
    if (!isStillThere(record, values)) startAgain(record, seen);
    record.life = 'live';
    return true;
  }

  /** A deleted record is shown as one that is there; with other values it is another one under the same id. */
  function reappeared(record: KnownRecord, shown: RecordValues, seen: Seen): Doubt | undefined {
    if (isDeleted(record.model, shown) || isUnclear(record.model, shown)) return undefined;
    if (!holdsFacts(record, shown)) {
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
}

/** A mark in a form of another option, such as 1 for true, does not tell whether the record is deleted. */
function isUnclear(model: Model, record: RecordValues): boolean {
  const mark = readRole(model, 'deleted', record) ?? false;
  return typeof mark !== 'boolean';
}

/** Whether any write may change a common field, and none need. */
function isRestless(field: Field): boolean {
  const { role = 'created' } = field;
  return isIdField(field) || ['updated', 'updatedBy', 'deleted'].includes(role);
}

/** A record in the response to a retrieve or a list. */
type Shown = {
  readonly record: KnownRecord;
  /** In wire form, and canonical. */
  readonly wire: RecordValues;
  readonly values: RecordValues;
  readonly by: 'retrieve' | 'list';
  readonly seen: Seen;
};

/** Compares shown values of a record with the known ones. */
function createShownValues(
  {
    catalogue,
    check,
    compare,
    copies,
    ties,
  }: JudgeParts & { readonly compare: Compare; readonly copies: Copies },
  log: WriteLog,
) {
  return { differences, take };

  /** The values that contradict what is known. Other changed values are forgotten. */
  function* differences(shown: Shown) {
    const { by, record, values, wire } = shown;
    for (const field of record.model.fields) {
      const fact = record.values.get(field.name);
      if (!fact || isRestless(field)) continue;
      const found = values[field.name];
      const isRight = !isWrong(shown, field, fact);
      if ((isRight || by === 'retrieve') && isCopy(field, catalogue)) copies.note(field, fact, found);
      if (isRight) continue;
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

  /** Readonly values and copies have to agree between reads unless a related write lies between. */
  function isBinding({ by, record, seen }: Shown, field: Field, fact: Fact): boolean {
    const { isOwn, judged, model } = record;
    const isOurs = !field.readonly;
    if (isOurs && !isCopy(field, catalogue)) return true;
    if (isOrigin(field)) return by === 'retrieve' || fact.by !== by;
    const isNear = (other: Model) => (!isOurs || other !== model) && ties.areNear(model, other);
    if (isSent(fact)) return (judged?.at ?? 0) < fact.at || !log.isBusy(judged?.at ?? 0, isNear);
    if (fact.by === by)
      return by === 'retrieve' && isOurs && isOwn && !log.isBusy(Math.max(fact.at, judged?.at ?? 0), isNear);
    return !log.isBusy(fact.at, (other) => ties.areNear(model, other)) && seen.asked > fact.at;
  }

  /** Remembers the shown values, except where a sent value is known. */
  function take({ by, record, seen, values, wire }: Shown): void {
    for (const field of record.model.fields) {
      const isKept = !isRestless(field) || field.role === 'deleted';
      if (!isKept || (isOrigin(field) && !Object.hasOwn(wire, field.name))) continue;
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

/** Whether the run sent the value itself. */
function isSent({ by }: Fact): boolean {
  return by === 'create' || by === 'update';
}

/** Whether a shown value can be judged: one in a form of another option can't. */
export function isReadable(check: WireCheck, field: Field, wire: RecordValues): boolean {
  const value = Object.hasOwn(wire, field.name) ? wire[field.name] : undefined;
  if (value === undefined || isUnset(field, value) || check.complaint(field, value) === undefined)
    return true;
  return check.otherOption(field, value) === undefined;
}
