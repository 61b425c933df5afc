import { withArticle } from '../../spec/article.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { Seen } from '../api/meaning.ts';
import { type Alteration, isCopy } from '../assert/agreement.ts';
import { show } from '../assert/wire-check.ts';
import { nameOf } from '../book/identity.ts';
import {
  type Fact,
  isOfKind,
  type KnownRecord,
  type LoggedWrite,
  type WriteLog,
} from '../book/known-record.ts';
import {
  type Contradiction,
  type Contradictions,
  contradictionOf,
  type Description,
  hidden,
  listRule,
  ruleOfRefused,
  ruleOfWrite,
  tell,
  valuesOf,
} from './contradiction.ts';
import type { Copies } from './copies.ts';

/** A change of a record that the run did not create. Another client may have caused it. */
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
  /** Only a list showed the record before, and a list may be wrong itself. */
  readonly wasOnlyListed?: boolean;
};

/** Finds the write that did to a record what no request was about. */
export function createCulprits(
  { guess }: Pick<Contradictions, 'guess'>,
  log: WriteLog,
  suspect: (suspicion: Suspicion) => void,
) {
  return { neighbor, replaced, unexplained, vanished };

  function vanished(record: KnownRecord, seen: Seen, found: string): void {
    const { lastTied, lastWrite } = record;
    const description = { message: `${nameOf(record)} no longer exists`, expected: 'the record', found };
    const known = knownAt(record);
    if (wentWithParent(log, record, known)) return;
    const deletion = deletionSince(log, record, known);
    // The cases of the update report it, at the retrieve after it.
    if (lastWrite?.operation === 'update' && lastWrite.at === known && !deletion) return;
    const isLast = lastWrite?.at === known;
    const tied = lastTied && lastTied.at > known ? lastTied : undefined;
    const other = deletion ?? tied ?? (isLast ? undefined : likeliestWrite(log, record, known, 'delete'));
    if (other) neighbor(record, other, seen, description);
    else
      unexplained(record, () => oneOf(`operations.retrieve:${record.model.name}`, record, seen, description));
  }

  /** No write of the run can have done it: of a record that others hold, they may have. */
  function unexplained(record: KnownRecord, blameCase: () => void): void {
    if (record.isOwn) blameCase();
    else suspect({ record, contradiction: undefined });
  }

  function replaced(record: KnownRecord, seen: Seen): void {
    const description = {
      message: `a create returns the ID of the existing ${nameOf(record)}`,
      expected: 'the record as before, and a new ID',
      found: `a new record with id ${record.id}`,
    };
    const what = `${nameOf(record)} no longer exists`;
    const mayHave = ({ operation }: LoggedWrite) => operation === 'delete';
    oneOf(`create.distinct:${record.model.name}`, record, seen, description, { what, mayHave });
  }

  /** Blames the likeliest write for a change that no request asked for. */
  function neighbor(
    record: KnownRecord,
    write: LoggedWrite,
    seen: Seen,
    description: Description,
    knownBy?: Fact['by'],
  ): void {
    const id = ruleOfWrite(write, record);
    const message = `${description.message} after ${tell(write)}`;
    if (record.isOwn) oneOf(id, record, seen, { ...description, message }, { what: description.message });
    else strange(id, record, write, { ...description, message }, knownBy === 'list');
  }

  function strange(
    id: string,
    record: KnownRecord,
    write: LoggedWrite,
    description: Description,
    wasOnlyListed: boolean,
  ): void {
    // Of what others hold, a report shows no values.
    const exchanges = write.exchange ? [write.exchange] : [];
    const contradiction = { case: id, ...hidden(description), exchanges };
    const at = record.judged?.at ?? 0;
    const isAlone =
      log.since(at, () => true).every((one) => isOfKind(one, write)) &&
      !log.isBusy(Number.POSITIVE_INFINITY, () => true);
    suspect({ record, by: write, writes: log.kinds(at), isAlone, wasOnlyListed, contradiction });
  }

  /** Blames the likeliest, as long as what became of other records does not tell otherwise. */
  function oneOf(
    id: string,
    record: KnownRecord,
    seen: Seen,
    description: Description,
    { mayHave = () => true, what = description.message }: Doubt = {},
  ): void {
    const writes = log.kinds(knownAt(record)).filter((write) => mayHave(write) && ruleOfWrite(write) !== id);
    guess({ record, what, writes, contradiction: contradictionOf(id, record, seen, description) });
  }
}

type Doubt = { readonly what?: string; readonly mayHave?: (write: LoggedWrite) => boolean };

/** When a record of the run was last known to be as it should. */
function knownAt({ judged, lastWrite }: KnownRecord): number {
  return Math.max(judged?.at ?? 0, lastWrite?.at ?? 0);
}

/**
 * Returns the likeliest cause of a change: the last write of the kind, to the same model if possible. A create is last.
 */
export function likeliestWrite(
  log: WriteLog,
  { model }: KnownRecord,
  since: number,
  kind = 'update',
): LoggedWrite | undefined {
  const writes = log.since(since, () => true);
  const own = writes.filter((write) => write.model === model);
  const choose = (some: readonly LoggedWrite[]) =>
    some.find(({ operation }) => operation === kind) ??
    some.find(({ operation }) => ['update', 'delete'].includes(operation));
  return choose(own) ?? choose(writes) ?? own[0] ?? writes[0];
}

/** The last delete of the model of a record. */
function deletionSince(log: WriteLog, record: KnownRecord, since: number): LoggedWrite | undefined {
  return log.since(since, (model) => model === record.model).find(({ operation }) => operation === 'delete');
}

/** Whether a record may be a line that went with its parent, or when the parent got other lines. */
function wentWithParent(log: WriteLog, record: KnownRecord, since: number): boolean {
  const isParent = ({ fields }: Model) => fields.some(({ lines }) => lines === record.model.name);
  return log.since(since, isParent).some(({ operation }) => operation !== 'create');
}

/** A value that is not what it should be. */
type WrongValue = {
  readonly field: Field;
  readonly expected: Value;
  readonly shown: Value | undefined;
  readonly alteration: Alteration;
};

/** Finds the rule that a contradiction belongs to, and the case that answers for it. */
export type Blame = {
  /** The response to a write does not show a sent value, or one that the write must not change. */
  answer(rule: string, record: KnownRecord, wrong: WrongValue, seen: Seen): void;
  /** A retrieve does not show what is known. */
  retrieve(record: KnownRecord, wrong: WrongValue, fact: Fact, seen: Seen): void;
  /** A retrieve shows another author or time of creation than one before it. */
  origin(record: KnownRecord, wrong: WrongValue, fact: Fact, seen: Seen): void;
  /** A list does not show what is known. */
  list(record: KnownRecord, wrong: WrongValue, seen: Seen): void;
  /** An existing record is missing, or is marked as deleted. */
  vanished(record: KnownRecord, seen: Seen, found: string): void;
  /** A create was given the id of a record that is there, or that a delete took before. */
  replaced(record: KnownRecord, seen: Seen): void;
  /** Anything else. */
  rule(rule: string, record: KnownRecord, seen: Seen, description: Description): void;
};

export function createBlame(
  catalogue: Catalogue,
  { add, addOpen, guess }: Pick<Contradictions, 'add' | 'addOpen' | 'guess'>,
  copies: Copies,
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
    const judged = alteration.level === 'advice' ? other : stated;
    if (isCopy(field, catalogue)) addOpen(() => (copies.isComputed(field) ? undefined : judged));
    else if (alteration.level === 'open') addOpen(() => (showsSeconds(field) ? stated : other));
    else add(judged);
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
    const { lastTied } = record;
    const other = lastTied && lastTied.at > confirmed ? lastTied : likeliestWrite(log, record, confirmed);
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
    rule(listRule(record), record, seen, words);
  }
}
