import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { profileAt, showOption, typeSetting } from '../../spec/profile/profile.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ApiResponse } from '../api/answer.ts';
import type { Meaning } from '../api/api.ts';
import {
  type Alteration,
  agrees,
  alterationOf,
  isCopy,
  isUnset,
  OTHER,
  show,
  type WireCheck,
} from '../assert/agreement.ts';
import { differing } from '../assert/ending.ts';
import { nameOf } from '../records/identity.ts';
import type { Finding } from '../results/results.ts';
import type { Target } from '../target/target.ts';
import type { Fact, Timeline } from './timeline.ts';

/** A response that breaks a rule, by what the run sent and saw before. */
export type Contradiction = Finding & {
  /** The case that sent the request. */
  readonly during: string;
  /** Only a list shows it. The list might be late. */
  readonly inList?: true;
  /** The number of records that show it. */
  readonly records: number;
};

/** A record that changed, although no request was about it. */
export type Change = {
  readonly model: Model;
  readonly id: number;
  /** Whether the run created the record. */
  readonly isOwn: boolean;
  /** Whether an old record of another client is gone after one write, so that no other write can show it again. */
  readonly isGone: boolean;
  /** The case that sent the request that shows it. */
  readonly during?: string;
  /** The cases whose requests might have changed it, the likeliest one first; all if empty. */
  readonly suspects: readonly string[];
  /** The case that the same response fails. If it fails by itself, no other write is the cause. */
  readonly rival?: string;
  /** The words of a report, without values of records that the run did not create. */
  readonly words: Omit<Finding, 'case'>;
};

/** A response to a request about records. */
export type RecordResponse = {
  readonly meaning: Meaning;
  readonly answer: ApiResponse;
  readonly asked: number;
  readonly at: number;
  readonly during: string;
};

/** A record of the run in a response, in wire form and canonical. */
export type RecordView = {
  readonly line: Timeline;
  readonly wire: RecordValues;
  readonly shown: RecordValues;
  readonly seen: RecordResponse;
};

export type Words = Pick<Finding, 'message' | 'expected' | 'found'>;

/** The contradictions of a run. The first one of each case counts. */
export type Notes = ReturnType<typeof createNotes>;

/** A service that stores nothing contradicts every response. */
const MOST = 2000;

const TIMES: ReadonlySet<TypeName> = new Set(['time', 'datetime']);
/** Of a canonical time, other than 0. */
const SECONDS = /:(?!00)\d\d(\.\d+)?Z?$/;

export function createNotes({
  catalogue,
  check,
  profile,
  target,
}: Contract & { readonly check: WireCheck; readonly target: Pick<Target, 'redact'> }) {
  const byCase: ByCase = new Map();
  /** The whole run decides whether these count. */
  const open: (() => Noted | undefined)[] = [];
  /** By record, with the field that changed, if it might be a copy. */
  const drifts = new Map<string, { readonly change: Change; readonly copy: Field | undefined }>();
  /** The fields that might be copies or totals and that were returned as sent, or otherwise. */
  const kept = new Set<Field>();
  const altered = new Set<Field>();
  /** The types of which a response showed seconds. */
  const secondsIn = new Set<TypeName>();
  const isComputed = (field: Field) => altered.has(field) && !kept.has(field);
  const redact = (text: string) => target.redact?.(text) ?? text;
  return {
    add,
    value,
    valuesOf,
    copy,
    drift,
    judgeForm,
    read,
    contradictions,
    drifts: () =>
      [...drifts.values()].filter(({ copy }) => !copy || !isComputed(copy)).map(({ change }) => change),
    unjudged,
  };

  function add(rule: string, line: Timeline, seen: RecordResponse, words: Words, field?: Field): void {
    put(byCase, contradictionOf(`${rule}:${field?.key ?? line.model.name}`, line, seen, words));
  }

  /** A response shows another value of a field than it must. */
  function value(
    { line, seen }: Pick<RecordView, 'line' | 'seen'>,
    rule: string,
    field: Field,
    wrong: { readonly expected: Value; readonly found: Value | undefined; readonly how: Alteration },
    where: string,
  ): void {
    const { expected, found, how } = wrong;
    const message = `${where} shows ${how.name}: ${field.name} of ${nameOf(line)}`;
    const words = { message, ...valuesOf(expected, found) };
    const [stated, advice] = [rule, isText(field) ? 'advice.text-kept' : 'advice.edge-kept'].map((name) =>
      contradictionOf(`${name}:${field.key}`, line, seen, words),
    );
    const judged = how.level === 'advice' ? advice : stated;
    if (!isCopy(field, catalogue) && how.level !== 'open') put(byCase, judged);
    else if (open.length < MOST)
      open.push(() => {
        if (isCopy(field, catalogue)) return isComputed(field) ? undefined : judged;
        // Until a response shows seconds, times might have a form without them.
        return secondsIn.has(field.type) ? stated : advice;
      });
  }

  /** Notes whether a field that might be a copy or a total shows the value that was sent. */
  function copy(
    field: Field,
    { by, value: sent }: Pick<Fact, 'by' | 'value'>,
    shown: Value | undefined,
  ): void {
    // Of 0, a total can be 0, too.
    if (!isCopy(field, catalogue) || by === 'retrieve' || !sent || (shown ?? null) === null) return;
    const isKept = shown && (agrees(field, sent, shown) || alterationOf(field, sent, shown) !== OTHER);
    (isKept ? kept : altered).add(field);
  }

  /** A value of the target can repeat the credentials. It is redacted before it is cut. */
  function valuesOf(expected: Value, found: Value | undefined): Pick<Words, 'expected' | 'found'> {
    const text = (value: Value) => redact(show(typeof value === 'string' ? redact(value) : value));
    const [wanted, shown] = differing(expected, found ?? null);
    return { expected: text(wanted), found: text(shown) };
  }

  function drift(
    line: Timeline,
    seen: RecordResponse,
    words: Words,
    suspects: readonly string[],
    field?: Field,
    rival?: string,
  ): void {
    const { id, model } = line;
    if (drifts.size >= MOST || drifts.has(nameOf(line))) return;
    const { during, exchanges } = contradictionOf('', line, seen, words);
    const about = { model, id, isOwn: true, isGone: false, during, suspects, ...(rival && { rival }) };
    const copy = field && isCopy(field, catalogue) ? field : undefined;
    drifts.set(nameOf(line), { change: { ...about, words: { ...words, exchanges } }, copy });
  }

  function read(model: Model, wire: RecordValues): RecordValues {
    const shown = check.read(model, wire);
    for (const { name, type } of model.fields)
      if (TIMES.has(type) && SECONDS.test(String(shown[name]))) secondsIn.add(type);
    return shown;
  }

  /**
   * Judges the form of a shown value. Returns whether it can be compared: one in the form of another option can't. A
   * readonly value is compared with no other one.
   */
  function judgeForm({ line, seen, wire }: RecordView, field: Field): boolean {
    const found = Object.hasOwn(wire, field.name) ? wire[field.name] : undefined;
    const wrong = found === undefined || isUnset(field, found) ? undefined : check.complaint(field, found);
    if (wrong === undefined) return true;
    const [what, text] = [`${field.name} of ${nameOf(line)}`, valuesOf(null, found).found];
    const option = check.otherOption(field, found);
    const setting = typeSetting(field);
    if (option === undefined || setting === undefined) {
      const words = { message: `${what}: ${wrong}`, expected: `a value of type ${field.type}`, found: text };
      if (field.readonly) add('fields.type', line, seen, words, field);
      return true;
    }
    const message = `the response to ${withArticle(seen.meaning.operation)} shows ${what} in another form`;
    const expected = showOption(profileAt(profile, field.key)[setting]);
    const words = { message, expected, found: `${option} (${text})` };
    if (field.lines === undefined) add(`profile.${setting}`, line, seen, words, field);
    return false;
  }

  function contradictions(): readonly Contradiction[] {
    const all: ByCase = new Map(
      [...byCase].map(([id, { first, records }]) => [id, { first, records: new Set(records) }]),
    );
    for (const judge of open) put(all, judge());
    return [...all.values()].map(({ first: { of: _, ...first }, records }) => ({
      ...first,
      records: records.size,
    }));
  }

  function unjudged(): readonly Pick<Finding, 'case' | 'message'>[] {
    return [...altered].filter(isComputed).flatMap(({ key }) =>
      ['create.keeps-field', 'update.changes-field'].map((rule) => ({
        case: `${rule}:${key}`,
        message: `the target never returns ${key} as sent; it might compute the field, which the source leaves open`,
      })),
    );
  }
}

type Noted = Omit<Contradiction, 'records'> & { readonly of: Timeline };

/** The first contradiction of each case, with the records that show it. */
type ByCase = Map<string, { readonly first: Noted; readonly records: Set<Timeline> }>;

function put(byCase: ByCase, one: Noted | undefined): void {
  const known = one && byCase.get(one.case);
  if (known) known.records.add(one.of);
  else if (one && byCase.size < MOST) byCase.set(one.case, { first: one, records: new Set([one.of]) });
}

/** The contradiction with the last write to the record, and the response that shows it. */
function contradictionOf(id: string, line: Timeline, seen: RecordResponse, words: Words): Noted {
  const { answer, during, meaning } = seen;
  const exchanges = [...new Set([line.write.exchange, answer.exchange])];
  const inList = meaning.operation === 'list' ? { inList: true as const } : {};
  return { case: id, ...words, exchanges, during, ...inList, of: line };
}
