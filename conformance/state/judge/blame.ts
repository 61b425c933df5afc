import { withArticle } from '../../../spec/article.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { show } from '../../assert/wire-check.ts';
import { type Fact, type KnownRecord, nameOf } from '../known-record.ts';
import type { Seen } from '../request-meaning.ts';
import type { WriteLog } from '../write-log.ts';
import type { Alteration } from './alteration.ts';
import {
  type Contradictions,
  contradictionOf,
  type Description,
  listRule,
  ruleOfRefused,
  valuesOf,
} from './contradiction.ts';
import { createCulprits, likeliestWrite, type Suspicion } from './culprits.ts';

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
  /** A create was given the id of a record that is there, or that a delete took before. */
  replaced(record: KnownRecord, seen: Seen): void;
  /** Anything else. */
  rule(rule: string, record: KnownRecord, seen: Seen, description: Description): void;
};

export function createBlame(
  { add, addOpen, guess }: Pick<Contradictions, 'add' | 'addOpen' | 'guess'>,
  log: WriteLog,
  suspect: (suspicion: Suspicion) => void,
  showsSeconds: (field: Field) => boolean,
): Blame {
  const { neighbor, replaced, unexplained, vanished } = createCulprits({ guess }, log, suspect);
  return { answer, retrieve, origin, list, vanished, replaced, rule };

  function rule(name: string, record: KnownRecord, seen: Seen, description: Description): void {
    add(contradictionOf(`${name}:${record.model.name}`, record, seen, description));
  }

  function answer(name: string, record: KnownRecord, wrong: WrongValue, seen: Seen): void {
    value(name, record, wrong, seen, `the response to ${withArticle(seen.meaning.operation)}`);
  }

  function value(name: string, record: KnownRecord, wrong: WrongValue, seen: Seen, where: string): void {
    const { alteration, expected, field, shown } = wrong;
    const advice = isText(field) ? 'advice.text-kept' : 'advice.edge-kept';
    const description = {
      message: `${where} shows ${alteration.name}: ${field.name} of ${nameOf(record)}`,
      ...valuesOf(record, expected, shown),
    };
    const told = (rule: string) => contradictionOf(`${rule}:${field.key}`, record, seen, description);
    const [stated, other] = [told(name), told(advice)];
    if (alteration.level === 'open') addOpen(() => (showsSeconds(field) ? stated : other));
    else add(alteration.level === 'advice' ? other : stated);
  }

  function retrieve(record: KnownRecord, wrong: WrongValue, fact: Fact, seen: Seen): void {
    const { judged, lastRefused, lastWrite } = record;
    const confirmed = judged?.at ?? 0;
    const where = `a retrieve after ${withArticle(lastWrite?.operation ?? 'list')}`;
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
      neighbor(
        record,
        other,
        seen,
        {
          message: `${wrong.field.name} of ${nameOf(record)} changed`,
          expected: show(wrong.expected),
          found: show(wrong.shown ?? null),
        },
        fact.by,
      );
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
      message: `the list shows another ${field.name} of ${nameOf(record)} than a retrieve`,
      ...valuesOf(record, expected, shown),
    };
    // Others may have written to theirs since the list; the next one tells.
    if (record.isOwn || seen.meaning.operation === 'list') rule(listRule(record), record, seen, words);
  }
}
