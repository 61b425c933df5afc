import { withArticle } from '../../spec/article.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { Seen } from '../api/meaning.ts';
import { hideInText } from '../api/others-values.ts';
import { show, type WireCheck } from '../assert/wire-check.ts';
import type { KnownRecord, KnownRecords, LoggedWrite } from '../book/known-record.ts';
import type { Ties } from '../book/ties.ts';
import type { Finding } from '../results/results.ts';

/** An answer that contradicts what the run knows. */
export type Contradiction = Finding;

/** A case of which the whole run shows that its answers do not tell. */
export type Unjudged = Pick<Contradiction, 'case' | 'message'>;

/** A change of a record of the run, which one of several writes caused. */
export type Guess = {
  readonly record: KnownRecord;
  /** Names the likeliest write, judging by this record only. */
  readonly contradiction: Contradiction;
  /** The change, without the name of the write. */
  readonly what: string;
  /** The others that ended since the record was as it should, or were under way; one of each kind. */
  readonly writes: readonly LoggedWrite[];
};

export type Contradictions = {
  add(contradiction: Contradiction): void;
  /** One whose rule only the whole run tells. */
  addOpen(judge: () => Contradiction | undefined): void;
  /** One that several writes may have brought about. */
  guess(guess: Guess): void;
  readonly all: () => readonly Contradiction[];
};

/** A service that stores nothing would break a rule in every answer. */
const MOST = 2000;

/** The first of each case. */
export function createContradictions(): Contradictions {
  const byCase = new Map<string, Contradiction>();
  const guesses: Guess[] = [];
  const open: (() => Contradiction | undefined)[] = [];
  return {
    add: (contradiction) => put(byCase, contradiction),
    addOpen(judge) {
      if (open.length < MOST) open.push(judge);
    },
    guess(one) {
      if (guesses.length < MOST) guesses.push(one);
    },
    all() {
      const all = new Map(byCase);
      for (const judge of open) put(all, judge());
      for (const some of Map.groupBy(guesses, ({ record }) => record.model).values()) {
        const blamed = blame(some);
        for (const one of some) put(all, told(one, blamed));
      }
      return [...all.values()];
    },
  };
}

function put(byCase: Map<string, Contradiction>, contradiction: Contradiction | undefined): void {
  if (contradiction && byCase.size < MOST && !byCase.has(contradiction.case))
    byCase.set(contradiction.case, withoutOthers(contradiction));
}

/** A message about records of others shows no values of theirs. */
function withoutOthers({ expected, found, message, ...rest }: Contradiction): Contradiction {
  const hide = (text: string) => hideInText(text, rest.exchanges);
  return { ...rest, message: hide(message), expected: hide(expected), found: hide(found) };
}

/** The contradiction with the last write to the record, and the answer that shows it. */
export function contradictionOf(
  id: string,
  { lastWrite }: KnownRecord,
  { exchange }: Seen,
  description: Description,
): Contradiction {
  const before = lastWrite?.exchange === exchange ? undefined : lastWrite?.exchange;
  return { case: id, ...description, exchanges: [before, exchange].filter((one) => one !== undefined) };
}

/**
 * The cases that answer for what became of all records of a model, as few as explain it: those of which there is no
 * doubt, then whichever explains the most of what is left.
 */
function blame(guesses: readonly Guess[]): ReadonlySet<string> {
  const blamed = new Set(guesses.filter(({ writes }) => writes.length === 0).map(caseOf));
  for (;;) {
    const left = guesses.filter((guess) => !casesOf(guess).some((id) => blamed.has(id)));
    if (left.length === 0) return blamed;
    const best = likeliest(mostFrequent(left.flatMap(casesOf)), mostFrequent(left.map(caseOf)));
    // If several cases explain the same, each record names its own.
    for (const id of best === undefined ? left.map(caseOf) : [best]) blamed.add(id);
  }
}

/** The one of several cases that most records name, or else the only one of the same rule. */
function likeliest(cases: readonly string[], named: readonly string[]): string | undefined {
  if (cases.length === 1) return cases[0];
  const both = named.find((id) => cases.includes(id));
  const ruleIn = (id: string) => id.split(':')[0];
  const alike = cases.filter((id) => named.some((other) => ruleIn(other) === ruleIn(id)));
  return both ?? (alike.length === 1 ? alike[0] : undefined);
}

function caseOf({ contradiction }: Guess): string {
  return contradiction.case;
}

function casesOf({ contradiction, writes }: Guess): string[] {
  return [...new Set([contradiction.case, ...writes.map((write) => ruleOfWrite(write))])];
}

function mostFrequent(ids: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].filter(([, count]) => count === most).map(([id]) => id);
}

function told({ contradiction, what, writes }: Guess, blamed: ReadonlySet<string>): Contradiction {
  if (blamed.has(contradiction.case)) return contradiction;
  const by = writes.find((write) => blamed.has(ruleOfWrite(write)));
  if (!by) return contradiction;
  return {
    ...contradiction,
    case: ruleOfWrite(by),
    message: `${what} after ${tell(by)}`,
    exchanges: [by.exchange, contradiction.exchanges?.at(-1)].filter((one) => one !== undefined),
  };
}

/** The words of a report for a contradiction. */
export type Description = { readonly message: string; readonly expected: string; readonly found: string };

/** Of records that the run did not make, a report shows no values. */
export function valuesOf(
  { isOwn }: KnownRecord,
  expected: Value,
  shown: Value | undefined,
): Pick<Description, 'expected' | 'found'> {
  return isOwn
    ? { expected: show(expected), found: show(shown ?? null) }
    : { expected: 'the value from the earlier response', found: 'another value' };
}

/** The same without values. */
export function hidden({ message }: Description): Description {
  return { message, expected: 'the record as before', found: 'another record, or none' };
}

/** A write, such as `an update of brand/7`. */
export function tell({ id, model, operation }: LoggedWrite): string {
  const what = operation === 'other' ? 'another request to' : `${withArticle(operation)} of`;
  return `${what} ${model.name}${id === undefined ? '' : `/${id}`}`;
}

/**
 * Returns the ID of the case that a write breaks if it changes another record, or one whose model lacks the operation.
 */
export function ruleOfWrite(write: LoggedWrite, record?: KnownRecord): string {
  const { exchange, id, model, operation } = write;
  const method = exchange?.request.method.toLowerCase() ?? 'put';
  if (operation === 'other') return `absent.${method === 'delete' ? 'delete-all' : method}:${model.name}`;
  const isAsked = record !== undefined && id === record.id && model === record.model;
  if (isAsked && !model.operations.includes(operation)) return `absent.operation:${model.name}=${operation}`;
  const isOnRecord = operation === 'update' || operation === 'delete';
  return `${isOnRecord ? `${operation}.keeps-other-records` : 'create.distinct'}:${model.name}`;
}

/** The rule that a change by a refused update breaks. */
export function ruleOfRefused(field: Field, all: ReadonlyMap<string, Value | undefined>): string {
  if (!all.has(field.name)) return 'update.keeps-other-fields';
  const sent = all.get(field.name);
  if (sent === null && field.required) return 'required.on-update';
  return sent === undefined ? 'fields.wrong-type-on-update' : 'update.changes-field';
}

/** The rule of a list that does not agree. */
export function listRule({ isOwn, lastWrite }: KnownRecord): string {
  if (!isOwn || !lastWrite) return 'list.agrees';
  return lastWrite.operation === 'create' ? 'list.shows-record' : 'list.shows-update';
}

/** The state that the parts of the judgment share. */
export type JudgeParts = Contract & {
  readonly check: WireCheck;
  readonly known: KnownRecords;
  readonly ties: Ties;
};
