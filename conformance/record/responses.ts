import { withArticle } from '../../spec/article.ts';
import { showsMarked } from '../../spec/binding.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, isDeleted, readRole } from '../../spec/catalogue/roles.ts';
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
  isStored,
  isTelling,
  OTHER,
  show,
  surelyShows,
} from '../assert/agreement.ts';
import { nameOf } from '../records/identity.ts';
import type { Notes, RecordResponse, RecordView, Words } from './notes.ts';
import {
  applyRead,
  applyWrite,
  areIds,
  type CodecContract,
  caseOfWrite,
  clears,
  type EndedWrite,
  type Fact,
  isRemoval,
  isSameRecord,
  type RecordWrite,
  type SentValues,
  type Ties,
  type Timeline,
  wasNotStored,
} from './timeline.ts';

const STORED: Alteration = { name: 'a readonly value that a client sent', level: 'stated' };

type Parts = CodecContract & { readonly notes: Notes; readonly ties: Ties; readonly compare: Compare };

/** Checks responses to writes: they show the sent values, ignore readonly ones, and keep all others. */
export function createWriteChecks(parts: Parts) {
  const { catalogue, compare, notes, profile, ties } = parts;
  return { created, written };

  /** The response to a create. */
  function created(view: RecordView, sent: SentValues): void {
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
    seen: RecordResponse | undefined,
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

  function returnsOther(line: Timeline, sent: SentValues, id: unknown, seen: RecordResponse): void {
    const message = 'an update returns another record';
    const words = { message, expected: `id ${line.id}`, found: `id ${show(id)}` };
    notes.add('operations.update', line, seen, words);
    // A service might use the record that the body names.
    if (!sent.has('id')) notes.add('update.keeps-origin', line, seen, words);
  }

  /** The response to an update. Returns the names of the fields with a wrong value. */
  function updated(view: RecordView, sent: SentValues): string[] {
    const { line, shown } = view;
    const areCleared = clears(line, sent, shown, profileAt(profile, line.model.name));
    return line.model.fields.flatMap((field) => {
      const { name } = field;
      const fact = line.facts.get(name);
      const value = sent.get(name);
      if (field.readonly) {
        notes.judgeForm(view, field);
        if (value !== undefined && value !== null && !(fact && agrees(field, fact.value, value)))
          expectIgnored(view, field, value);
        if (fact && isOrigin(field)) expectOrigin(view, field, fact.value);
        if (field.role === 'deleted' && value === undefined) expectUnmarked(view, field);
        return [];
      }
      if (!sent.has(name)) return areCleared || isKept(view, field, fact) ? [] : [name];
      if (value === null || value === undefined || areIds(field, parts)) return [];
      return shows(view, 'update.changes-field', field, value) ? [] : [name];
    });
  }

  function isKept(view: RecordView, field: Field, fact: Fact | undefined): boolean {
    if (!fact || fact.or !== undefined) return true;
    // Writes to other records can add lines, and make another record the default one.
    const mayFollowOthers = field.lines !== undefined || field.type === 'bool';
    if (mayFollowOthers && ties.mayChange(view.line, field, fact)) return true;
    // The service can compute a copy again at any time.
    if (fact.by === 'retrieve' && isCopy(field, catalogue)) return true;
    const isOld = wasNotStored(view.line, field, fact, view.shown[field.name]);
    return shows(view, isOld ? 'update.changes-field' : 'update.keeps-other-fields', field, fact.value);
  }

  /** Whether a response shows a value of a writable field. */
  function shows(view: RecordView, rule: string, field: Field, expected: Value): boolean {
    const found = view.shown[field.name];
    const how = compare(field, expected, found);
    if (!how || ties.hasRival(view.line, field, expected, view.seen)) return true;
    // A response that repeats what was sent does not show that the service keeps it.
    notes.copy(field, { by: 'update', value: expected }, found);
    if (notes.judgeForm(view, field))
      notes.value(view, rule, field, { expected, found, how }, responseTo(view));
    return false;
  }

  /** A readonly field was sent. A service can ignore it or reject the request, but not store it. */
  function expectIgnored(view: RecordView, field: Field, value: Value): void {
    const isMark = field.role === 'deleted' && value === true;
    if (!(isMark || isTelling(value)) || !surelyShows(field, value, view.shown[field.name])) return;
    const rule = `readonly.on-${view.seen.meaning.operation}`;
    notes.value(view, rule, field, { expected: null, found: value, how: STORED }, responseTo(view));
  }

  function expectOrigin(view: RecordView, field: Field, expected: Value): void {
    const { line, seen, shown, wire } = view;
    const found = shown[field.name];
    if (!Object.hasOwn(wire, field.name) || !notes.judgeForm(view, field)) return;
    if (agrees(field, expected, found) || isRounder(expected, found)) return;
    notes.add('update.keeps-origin', line, seen, {
      message: `an update changes ${field.name} of ${nameOf(line)}`,
      ...notes.valuesOf(expected, found),
    });
  }

  function expectUnmarked({ line, seen, wire }: RecordView, { name }: Field): void {
    // Another setting of booleans shows 1.
    if (wire[name] !== true && wire[name] !== 1) return;
    notes.add('update.keeps-origin', line, seen, {
      message: `the response to an update shows ${nameOf(line)} as deleted`,
      expected: `${name} false`,
      found: `${name} true`,
    });
  }
}

function responseTo({ seen }: RecordView): string {
  return `the response to ${withArticle(seen.meaning.operation)}`;
}

/** Writes that might have changed a record. */
const MOST_SUSPECTS = 8;

/** Checks what retrieves and lists show of the records of the run. No write to them is under way. */
export function createReadChecks(parts: Parts) {
  const { catalogue, compare, notes, profile, ties } = parts;
  return {
    listed,
    replaced: (line: Timeline, seen: RecordResponse) => replaced(parts, line, seen),
    retrieved,
  };

  /** A retrieve of a record. Returns `over` if the ID is no longer that of the record. */
  function retrieved(
    line: Timeline,
    seen: RecordResponse,
    wire: RecordValues | undefined,
  ): 'over' | undefined {
    const { answer } = seen;
    if (!wire) {
      const statusOfGone = profileAt(profile, line.model.name)['status.unknownRecord'];
      const isGone = isRefused(answer) && [404, 410, statusOfGone].includes(answer.status);
      return isGone && line.life === 'live'
        ? vanished(parts, line, seen, `status ${answer.status}`)
        : undefined;
    }
    if (Number.isSafeInteger(wire.id) && wire.id !== line.id) {
      const message = 'a retrieve returns another record';
      notes.add('operations.retrieve', line, seen, {
        message,
        expected: `id ${line.id}`,
        found: `id ${show(wire.id)}`,
      });
      return undefined;
    }
    const view = { line, seen, wire, shown: notes.read(line.model, wire) };
    // A mark in another form, such as 1, does not tell whether the record is deleted.
    const isUnclear = typeof (readRole(line.model, 'deleted', view.shown) ?? false) !== 'boolean';
    if (isDeleted(line.model, view.shown) && !isUnclear) {
      const mark = `${fieldOf(line.model, 'deleted')?.name} true`;
      return line.life === 'live' ? vanished(parts, line, seen, mark) : undefined;
    }
    if (line.life === 'deleted') return isUnclear ? undefined : reappeared(notes, view);
    if (line.life === 'unsure' && !isUnclear) {
      if (!isSameRecord(line, view.shown, false)) return 'over';
      line.life = 'live';
    }
    compareWith(view);
    applyRead(line, view.shown, wire, seen.at, parts);
    return undefined;
  }

  function compareWith(view: RecordView): void {
    const { line } = view;
    const wrong = differences(view, false);
    // The lists were wrong if the record is as it must be.
    for (const { confirm, field } of line.listed.splice(0))
      if (!wrong.some((one) => one.field === field)) confirm();
    for (const { fact, field } of wrong) {
      changed(parts, view, field, fact);
      line.facts.delete(field.name);
    }
  }

  /** Returns the values that contradict the timeline, and forgets facts that another write might have changed. */
  function differences(view: RecordView, inList: boolean) {
    const { line, shown, wire } = view;
    return line.model.fields.flatMap((field) => {
      if (field.readonly) notes.judgeForm(view, field);
      const { name } = field;
      const fact = line.facts.get(name);
      if (!fact || (isOrigin(field) && inList && !Object.hasOwn(wire, name))) return [];
      if (!inList) notes.copy(field, fact, shown[name]);
      if (isExpected(field, fact, shown[name], inList)) return [];
      if (!notes.judgeForm(view, field) || ties.mayChange(line, field, fact)) {
        if (!inList) line.facts.delete(name);
        return [];
      }
      // Only a retrieve shows whether the service computes a copy.
      return inList && isCopy(field, catalogue) ? [] : [{ field, fact }];
    });
  }

  /** Whether a read can show the value of a field under what is known of it. */
  function isExpected(field: Field, { or, value }: Fact, shown: Value | undefined, inList: boolean): boolean {
    // A list can show a time in a coarser form than a retrieve.
    const isSameTime = inList ? isRounder : isStored;
    if (isOrigin(field) && isSameTime(value, shown)) return true;
    return [value, or].some((one) => one !== undefined && compare(field, one, shown) === undefined);
  }

  /**
   * A list shows each record once, with the values that a retrieve shows. Returns the records that it shows otherwise
   * than expected: a retrieve tells whether the record or the list is wrong.
   */
  function listed(
    known: Iterable<Timeline>,
    seen: RecordResponse,
    records: readonly RecordValues[],
  ): Timeline[] {
    const open: Timeline[] = [];
    const rows = Map.groupBy(records, ({ id }) => id);
    for (const line of known) {
      const [wire, ...more] = rows.get(line.id) ?? [];
      if (!wire) continue;
      const view = { line, seen, wire, shown: notes.read(line.model, wire) };
      const isMarked = isDeleted(line.model, view.shown);
      const isOpen = profile.unknown['delete.effect'] !== undefined;
      const mayBeShown = line.life === 'live' || isOpen || showsMarked(profile, line.model.name).list;
      if (line.life === 'unsure' || (isMarked && mayBeShown)) continue;
      if (line.life === 'deleted') reappeared(notes, view, isMarked);
      else listedAlive(view, more.length > 0);
      if (line.listed.length > 0) open.push(line);
    }
    return open;
  }

  function listedAlive(view: RecordView, isTwice: boolean): void {
    const { line, seen, shown } = view;
    if (isTwice)
      notes.add('list.shows-record', line, seen, {
        message: `${nameOf(line)} is in a list more than once`,
        expected: `id ${line.id} once`,
        found: 'it is in the list again',
      });
    const [wrong] = differences(view, true);
    if (!wrong) return;
    const { fact, field } = wrong;
    const rule = line.write.operation === 'create' ? 'list.shows-record' : 'list.shows-update';
    const words = {
      message: `the list shows another ${field.name} of ${nameOf(line)} than a retrieve`,
      ...notes.valuesOf(fact.value, shown[field.name]),
    };
    line.listed.push({ field, confirm: () => notes.add(rule, line, seen, words) });
  }
}

/** A retrieve shows another value than it must. */
function changed({ compare, notes, ties }: Parts, view: RecordView, field: Field, fact: Fact): void {
  const { line, seen, shown } = view;
  const { refused, write } = line;
  const found = shown[field.name];
  const wrong = { expected: fact.value, found, how: compare(field, fact.value, found) ?? OTHER };
  const values = notes.valuesOf(wrong.expected, found);
  const message = `${field.name} of ${nameOf(line)} changed`;
  const isSince = (at: number) => at > (isOrigin(field) ? fact.at : line.read);
  if (isOrigin(field) && write.operation === 'update' && isSince(write.at)) {
    const what = `an update changes ${field.name} of ${nameOf(line)}`;
    notes.add('update.keeps-origin', line, seen, { message: what, ...values });
  } else if (isOrigin(field) || !isSince(Math.max(write.at, refused?.at ?? 0))) {
    notes.drift(line, seen, { message, ...values }, suspectsOf(ties, line, false));
  } else if (refused && !isSince(write.at)) {
    const rule = ruleOfRefused(field, refused.sent);
    notes.value(view, rule, field, wrong, 'a retrieve after a rejected update');
  } else {
    const where = `a retrieve after ${withArticle(write.operation)}`;
    const isAboutField = fact.at === write.at || wasNotStored(line, field, fact, found);
    const ruleOfUpdate = isAboutField ? 'update.changes-field' : 'update.keeps-other-fields';
    const rule = write.operation === 'create' ? 'create.keeps-field' : ruleOfUpdate;
    notes.value(view, rule, field, wrong, where);
    // An update of another record might have changed one that no retrieve has shown yet.
    const other = `update.keeps-other-records:${line.model.name}`;
    if (suspectsOf(ties, line, false).includes(other))
      notes.drift(line, seen, { message, ...values }, [other], field, `${rule}:${field.key}`);
  }
}

/** A record that exists is missing, or is marked as deleted. */
function vanished({ notes, ties }: Parts, line: Timeline, seen: RecordResponse, found: string): 'over' {
  const { model, read, write } = line;
  const words: Words = { message: `${nameOf(line)} no longer exists`, expected: 'the record', found };
  const mark = fieldOf(model, 'deleted');
  const isUpdated = write.operation === 'update' && write.at > read;
  const isMarked = isUpdated && mark !== undefined && write.sent.get(mark.name) === true;
  const rule = isMarked ? 'readonly.on-update' : isUpdated ? 'update.keeps-origin' : 'operations.retrieve';
  const about = isMarked ? mark : undefined;
  const own = `${rule}:${model.name}`;
  const suspects = suspectsOf(ties, line, true);
  if (ties.mayDelete(line)) return 'over';
  // A write to another record might have deleted it. A trial shows whether it was this one.
  if (suspects.length === 0 || isMarked) notes.add(rule, line, seen, words, about);
  else notes.drift(line, seen, words, ties.hasRemoval(line) ? [...suspects, own] : [own, ...suspects]);
  return 'over';
}

/** The rule that a rejected update breaks if it changes a field. */
function ruleOfRefused(field: Field, sent: SentValues): string {
  if (!sent.has(field.name)) return 'update.keeps-other-fields';
  const value = sent.get(field.name);
  if (value === null && field.required) return 'required.on-update';
  return value === undefined ? 'fields.wrong-type-on-update' : 'update.changes-field';
}

/** Returns the cases whose writes might have changed a record: those of the same model first, then the last ones. */
function suspectsOf(ties: Ties, { id, model, read, write }: Timeline, isGone: boolean): string[] {
  const rank = (one: RecordWrite) => (one.model === model ? 0 : 2) + (isGone && !isRemoval(one) ? 1 : 0);
  const isOther = (one: RecordWrite) => one.model !== model || one.id !== id;
  const writes = ties.since(Math.max(read, write.at)).filter(isOther);
  const cases = writes.toSorted((one, other) => rank(one) - rank(other)).map(caseOfWrite);
  return [...new Set(cases)].slice(0, MOST_SUSPECTS);
}

/** A create returns the ID of a record of the run, so that record was replaced, or is gone. */
function replaced({ notes, ties }: Parts, before: Timeline, seen: RecordResponse): void {
  if (before.life !== 'live' || before.since >= seen.asked || ties.mayDelete(before)) return;
  const words = {
    message: `a create returns the ID of the existing ${nameOf(before)}`,
    expected: 'the record as before, and a new ID',
    found: `a new record with id ${before.id}`,
  };
  if (ties.hasRemoval(before)) notes.drift(before, seen, words, suspectsOf(ties, before, true));
  else notes.add('create.distinct', before, seen, words);
}

/** A deleted record is shown, or its mark in a list that omits it. With other values, it is another one under the same ID. */
function reappeared(notes: Notes, { line, seen, shown }: RecordView, isMarked = false): 'over' | undefined {
  if (!isSameRecord(line, shown, true)) return 'over';
  const inList = seen.meaning.operation === 'list';
  notes.add(isMarked ? 'profile.delete.effect' : 'operations.delete', line, seen, {
    message: `the deleted ${nameOf(line)} ${inList ? 'is in the list' : 'still exists'}`,
    expected: `${inList ? 'no such record' : 'a 4xx status'}${isMarked ? '' : ', or deleted set'}`,
    found: show(shown),
  });
  return undefined;
}
