import type { Field } from '../../../spec/catalogue/field.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { show } from '../../assert/wire-check.ts';
import { type Fact, type KnownRecord, nameOf } from '../known-record.ts';
import type { Seen } from '../seen.ts';
import type { LoggedWrite, WriteLog } from '../write-log.ts';
import type { Alteration } from './alteration.ts';
import type { Contradiction, Contradictions } from './contradiction.ts';
import { deletionSince, likeliestWrite, wentWithParent } from './culprits.ts';
import { aOf, type Description, hidden, tell, valuesOf } from './description.ts';
import { kindsOf, ruleOfRefused, ruleOfWrite } from './rule-of-write.ts';

/** A value that is not what it should be. */
export type WrongValue = {
  readonly field: Field;
  readonly expected: Value;
  readonly shown: Value | undefined;
  readonly alteration: Alteration;
};

/** Finds the rule that a contradiction belongs to, and the case that answers for it. */
export type Blame = {
  /** The answer to a write does not show what was sent with it, or what it should have left alone. */
  answer(rule: string, record: KnownRecord, wrong: WrongValue, seen: Seen): void;
  /** A retrieve does not show what is known. */
  retrieve(record: KnownRecord, wrong: WrongValue, fact: Fact, seen: Seen): void;
  /** A retrieve shows another author or time of creation than one before it. */
  origin(record: KnownRecord, wrong: WrongValue, fact: Fact, seen: Seen): void;
  /** A list does not show what is known. */
  list(record: KnownRecord, wrong: WrongValue, seen: Seen): void;
  /** A record that is there is not found any more, or is marked as deleted. */
  vanished(record: KnownRecord, seen: Seen, found: string): void;
  /** Anything else. */
  rule(rule: string, record: KnownRecord, seen: Seen, description: Description): void;
};

/** What became of a record that the run did not make: others may have done it. */
export type Suspicion = {
  readonly record: KnownRecord;
  /** Undefined where no request of the run can have done it. */
  readonly contradiction: Contradiction | undefined;
  /** The write that is the likeliest to have done it. */
  readonly by?: LoggedWrite;
  /** All that may have, the last one first; one of each kind. */
  readonly writes?: readonly LoggedWrite[];
  /** No other write ended meanwhile, or is under way. */
  readonly isAlone?: boolean;
};

export function createBlame(
  { add }: Pick<Contradictions, 'add'>,
  log: WriteLog,
  suspect: (suspicion: Suspicion) => void,
): Blame {
  return { answer, retrieve, origin, list, vanished, rule };

  function rule(name: string, record: KnownRecord, seen: Seen, description: Description): void {
    put(`${name}:${record.model.name}`, record, seen, description);
  }

  function put(id: string, { lastWrite }: KnownRecord, { exchange }: Seen, description: Description): void {
    const before = lastWrite?.exchange === exchange ? undefined : lastWrite?.exchange;
    add({ case: id, ...description, exchanges: [before, exchange].filter((one) => one !== undefined) });
  }

  function answer(name: string, record: KnownRecord, wrong: WrongValue, seen: Seen): void {
    value(name, record, wrong, seen, `the answer to ${aOf(seen.meaning.operation)}`);
  }

  function value(name: string, record: KnownRecord, wrong: WrongValue, seen: Seen, where: string): void {
    const { alteration, expected, field, shown } = wrong;
    const advice = isText(field) ? 'advice.text-kept' : 'advice.edge-kept';
    const description = {
      message: `${where} shows ${alteration.name}: ${field.name} of ${nameOf(record)}`,
      ...valuesOf(record, expected, shown),
    };
    put(`${alteration.level === 'advice' ? advice : name}:${field.key}`, record, seen, description);
  }

  function retrieve(record: KnownRecord, wrong: WrongValue, fact: Fact, seen: Seen): void {
    const { judged, lastRefused, lastWrite } = record;
    const confirmed = judged?.at ?? 0;
    const where = `a retrieve after ${aOf(lastWrite?.operation ?? 'list')}`;
    if (lastWrite && lastWrite.at > confirmed) {
      const isSent = fact.at === lastWrite.at;
      const kept = lastWrite.operation === 'create' ? 'create.keeps-field' : 'update.changes-field';
      value(isSent ? kept : 'update.keeps-other-fields', record, wrong, seen, where);
      return;
    }
    if (lastRefused && lastRefused.at > confirmed) {
      const broken = ruleOfRefused(wrong.field, lastRefused.sent);
      value(broken, record, wrong, seen, 'a retrieve after a refused update');
      return;
    }
    const other = likeliestWrite(log, record, confirmed);
    if (!other) unexplained(record, () => value('create.keeps-field', record, wrong, seen, where));
    else
      neighbour(record, other, seen, {
        message: `${wrong.field.name} of ${nameOf(record)} changed, which no request was about; before, ${tell(other)}`,
        expected: show(wrong.expected),
        found: show(wrong.shown ?? null),
      });
  }

  function origin(record: KnownRecord, wrong: WrongValue, fact: Fact, seen: Seen): void {
    const { lastWrite } = record;
    if (lastWrite?.operation !== 'update' || lastWrite.at < fact.at) retrieve(record, wrong, fact, seen);
    else
      rule('update.keeps-origin', record, seen, {
        message: `an update changes ${wrong.field.name} of ${nameOf(record)}`,
        expected: show(wrong.expected),
        found: show(wrong.shown),
      });
  }

  function list(record: KnownRecord, { expected, field, shown }: WrongValue, seen: Seen): void {
    const words = {
      message: `${field.name} of ${nameOf(record)} in the list is not what a retrieve shows`,
      ...valuesOf(record, expected, shown),
    };
    // Others may have written to theirs since the list; the next one tells.
    if (record.isOwn || seen.meaning.operation === 'list') rule(listRule(record), record, seen, words);
  }

  function vanished(record: KnownRecord, seen: Seen, found: string): void {
    const { judged, lastWrite } = record;
    const description = { message: `${nameOf(record)} is not there any more`, expected: 'the record', found };
    const known = Math.max(judged?.at ?? 0, lastWrite?.at ?? 0);
    if (wentWithParent(log, record, known)) return;
    const deletion = deletionSince(log, record, known);
    if (lastWrite?.operation === 'update' && lastWrite.at === known && !deletion) {
      const { model } = record;
      const isNamed = lastWrite.names.has('deleted');
      const id = isNamed ? `readonly.on-update:${model.name}.deleted` : `update.keeps-origin:${model.name}`;
      put(id, record, seen, description);
      return;
    }
    const isLast = lastWrite?.at === known;
    const other = deletion ?? (isLast ? undefined : likeliestWrite(log, record, known, 'delete'));
    if (!other) unexplained(record, () => rule('operations.retrieve', record, seen, description));
    else
      neighbour(record, other, seen, {
        ...description,
        message: `${description.message} after ${tell(other)}`,
      });
  }

  /** No write of the run can have done it: of a record that others hold, they may have. */
  function unexplained(record: KnownRecord, blameCase: () => void): void {
    if (record.isOwn) blameCase();
    else suspect({ record, contradiction: undefined });
  }

  function neighbour(record: KnownRecord, write: LoggedWrite, seen: Seen, description: Description): void {
    const id = ruleOfWrite(write, record);
    if (record.isOwn) put(id, record, seen, description);
    // Of what others hold, a report shows no values.
    else {
      const exchanges = write.exchange ? [write.exchange] : [];
      const writes = kindsOf(log.since(record.judged?.at ?? 0, () => true));
      const isAlone = writes.length === 1 && !log.isBusy(Number.POSITIVE_INFINITY, () => true);
      const contradiction = { case: id, ...hidden(description), exchanges };
      suspect({ record, by: write, writes, isAlone, contradiction });
    }
  }
}

/** The rule of a list that does not agree. */
export function listRule({ isOwn, lastWrite }: KnownRecord): string {
  if (!isOwn || !lastWrite) return 'list.agrees';
  return lastWrite.operation === 'create' ? 'list.shows-record' : 'list.shows-update';
}
