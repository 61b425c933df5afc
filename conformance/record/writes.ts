import { withArticle } from '../../spec/article.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted, isRefused } from '../api/answer.ts';
import {
  type Alteration,
  agrees,
  type Compare,
  isCopy,
  isOrigin,
  isRounder,
  isTelling,
  surelyShows,
} from '../assert/agreement.ts';
import { show } from '../assert/wire-check.ts';
import { type Notes, nameOf, type Seen, type View } from './notes.ts';
import {
  applyWrite,
  areIds,
  clears,
  type EndedWrite,
  type Fact,
  type SentValues,
  type Settings,
  type Timeline,
  wasNotStored,
} from './timeline.ts';

export const IGNORED: Alteration = { name: 'a value that was taken away', level: 'stated' };
const STORED: Alteration = { name: 'a readonly value that a client sent', level: 'stated' };

type Parts = Settings & { readonly notes: Notes; readonly compare: Compare };

/** Checks responses to writes: they show the sent values, ignore readonly ones, and keep all others. */
export function createWriteChecks(parts: Parts) {
  const { catalogue, compare, notes, profile } = parts;
  return { created, written };

  /** The response to a create. */
  function created(view: View, sent: SentValues): void {
    const { facts, model } = view.line;
    for (const field of model.fields) {
      const value = sent.get(field.name);
      if (value === undefined || value === null) continue;
      if (field.readonly) expectIgnored(view, field, value);
      else if (facts.has(field.name) && !shows(view, 'create.keeps-field', field, value))
        facts.delete(field.name);
    }
  }

  /** A write to a record ended, with a response if `seen` is given. */
  function written(
    line: Timeline,
    write: Pick<EndedWrite, 'at' | 'operation' | 'sent'> & { readonly isAlone: boolean },
    seen: Seen | undefined,
    wire: RecordValues | undefined,
  ): void {
    const { isAlone, sent } = write;
    // No retrieve of the record as the lists showed it can follow.
    line.listed.length = 0;
    const isOther = seen !== undefined && typeof wire?.id === 'number' && wire.id !== line.id;
    const shown = wire && !isOther ? notes.read(line.model, wire) : undefined;
    if (isOther) returnsOther(line, sent, wire?.id, seen);
    const isKnown = isAlone && seen !== undefined && !isOther;
    const isJudged = isKnown && shown !== undefined && wire !== undefined && line.life === 'live';
    const wrong = isJudged ? updated({ line, seen, shown, wire }, sent) : [];
    const answer = isKnown ? seen.answer : undefined;
    const isDone = answer !== undefined && isAccepted(answer);
    const outcome = isDone ? 'accepted' : answer && isRefused(answer) ? 'refused' : 'unknown';
    applyWrite(line, { ...write, outcome, shown, exchange: seen?.answer.exchange }, parts);
    // They are reported once.
    for (const field of wrong) line.facts.delete(field);
  }

  function returnsOther(line: Timeline, sent: SentValues, id: unknown, seen: Seen): void {
    const message = 'an update returns another record';
    const words = { message, expected: `id ${line.id}`, found: `id ${show(id)}` };
    notes.add('operations.update', line, seen, words);
    // A service might use the record that the body names.
    if (!sent.has('id')) notes.add('update.keeps-origin', line, seen, words);
  }

  /** The response to an update. Returns the names of the fields with a wrong value. */
  function updated(view: View, sent: SentValues): string[] {
    const { line, shown } = view;
    const areCleared = clears(line, sent, shown, profileAt(profile, line.model.name));
    return line.model.fields.flatMap((field) => {
      const { name } = field;
      const fact = line.facts.get(name);
      const value = sent.get(name);
      if (field.readonly) {
        if (value !== undefined && value !== null && !(fact && agrees(field, fact.value, value)))
          expectIgnored(view, field, value);
        if (fact && isOrigin(field)) expectOrigin(view, field, fact.value);
        if (field.role === 'deleted' && value === undefined) expectUnmarked(view, field);
        return [];
      }
      if (!sent.has(name)) return areCleared || isKept(view, field, fact) ? [] : [name];
      if (value === null) expectUnset(view, field, fact);
      if (value === null || value === undefined || areIds(field, parts)) return [];
      return shows(view, 'update.changes-field', field, value) ? [] : [name];
    });
  }

  function isKept(view: View, field: Field, fact: Fact | undefined): boolean {
    if (!fact || fact.or !== undefined || fact.not !== undefined) return true;
    // The service can compute a copy again at any time.
    if (fact.by === 'retrieve' && isCopy(field, catalogue)) return true;
    const isOld = wasNotStored(view.line, field, fact, view.shown[field.name]);
    return shows(view, isOld ? 'update.changes-field' : 'update.keeps-other-fields', field, fact.value);
  }

  /** Whether a response shows a value of a writable field. */
  function shows(view: View, rule: string, field: Field, expected: Value): boolean {
    const found = view.shown[field.name];
    const how = compare(field, expected, found);
    if (!how) return true;
    // A response that repeats what was sent does not show that the service keeps it.
    notes.copy(field, { by: 'update', value: expected }, found);
    if (notes.isReadable(field, view.wire))
      notes.value(view, rule, field, { expected, found, how }, responseTo(view));
    return isCopy(field, catalogue);
  }

  /** Null was sent. An optional field can show any empty value, but not the old one. */
  function expectUnset(view: View, field: Field, fact: Fact | undefined): void {
    if (!fact || fact.not !== undefined || !isTelling(fact.value) || field.required) return;
    if (profileAt(profile, view.line.model.name)['request.encoding'] === 'form') return;
    if (!surelyShows(field, fact.value, view.shown[field.name])) return;
    const wrong = { expected: null, found: fact.value, how: IGNORED };
    notes.value(view, 'update.changes-field', field, wrong, responseTo(view));
  }

  /** A readonly field was sent. A service can ignore it or reject the request, but not store it. */
  function expectIgnored(view: View, field: Field, value: Value): void {
    const isMark = field.role === 'deleted' && value === true;
    if (!(isMark || isTelling(value)) || !surelyShows(field, value, view.shown[field.name])) return;
    const rule = `readonly.on-${view.seen.meaning.operation}`;
    notes.value(view, rule, field, { expected: null, found: value, how: STORED }, responseTo(view));
  }

  function expectOrigin({ line, seen, shown, wire }: View, field: Field, expected: Value): void {
    const found = shown[field.name];
    if (!Object.hasOwn(wire, field.name) || !notes.isReadable(field, wire)) return;
    if (agrees(field, expected, found) || isRounder(expected, found)) return;
    notes.add('update.keeps-origin', line, seen, {
      message: `an update changes ${field.name} of ${nameOf(line)}`,
      ...notes.valuesOf(expected, found),
    });
  }

  function expectUnmarked({ line, seen, wire }: View, { name }: Field): void {
    // Another setting of booleans shows 1.
    if (wire[name] !== true && wire[name] !== 1) return;
    notes.add('update.keeps-origin', line, seen, {
      message: `the response to an update shows ${nameOf(line)} as deleted`,
      expected: `${name} false`,
      found: `${name} true`,
    });
  }
}

function responseTo({ seen }: View): string {
  return `the response to ${withArticle(seen.meaning.operation)}`;
}
