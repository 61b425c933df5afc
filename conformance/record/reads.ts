import { withArticle } from '../../spec/article.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, isDeleted, readRole } from '../../spec/catalogue/roles.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isRefused } from '../api/answer.ts';
import { type Compare, isCopy, isOrigin, OTHER } from '../assert/agreement.ts';
import { show } from '../assert/wire-check.ts';
import { type Notes, nameOf, type Seen, type View, type Words } from './notes.ts';
import { caseOfWrite, isRemoval, type Ties, type Write } from './ties.ts';
import {
  applyRead,
  type Fact,
  fits,
  isSameRecord,
  type SentValues,
  type Settings,
  type Timeline,
  wasNotStored,
} from './timeline.ts';
import { IGNORED } from './writes.ts';

type Parts = Settings & { readonly notes: Notes; readonly ties: Ties; readonly compare: Compare };

/** Checks what retrieves and lists show of the records of the run. No write to them is under way. */
/** Writes that might have changed a record. */
const MOST_SUSPECTS = 8;

export function createReadChecks(parts: Parts) {
  const { catalogue, compare, notes, profile, ties } = parts;
  const isSame = (...values: Parameters<Compare>) => compare(...values) === undefined;
  return { listed, replaced: (line: Timeline, seen: Seen) => replaced(parts, line, seen), retrieved };

  /** A retrieve of a record. Returns `over` if the ID is no longer that of the record. */
  function retrieved(line: Timeline, seen: Seen, wire: RecordValues | undefined): 'over' | undefined {
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

  function compareWith(view: View): void {
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
  function differences({ line, shown, wire }: View, inList: boolean) {
    return line.model.fields.flatMap((field) => {
      const { name } = field;
      const fact = line.facts.get(name);
      if (!fact || (isOrigin(field) && inList && !Object.hasOwn(wire, name))) return [];
      if (!inList) notes.copy(field, fact, shown[name]);
      if (fits(field, fact, shown[name], { inList, isSame })) return [];
      if (!notes.isReadable(field, wire) || ties.mayChange(line, field, fact)) {
        if (!inList) line.facts.delete(name);
        return [];
      }
      // Only a retrieve shows whether the service computes a copy.
      return inList && isCopy(field, catalogue) ? [] : [{ field, fact }];
    });
  }

  /**
   * A list shows each record once, with the values that a retrieve shows. Returns the records that it shows otherwise
   * than expected: a retrieve tells whether the record or the list is wrong.
   */
  function listed(known: Iterable<Timeline>, seen: Seen, records: readonly RecordValues[]): Timeline[] {
    const open: Timeline[] = [];
    const rows = Map.groupBy(records, ({ id }) => id);
    for (const line of known) {
      const [wire, ...more] = rows.get(line.id) ?? [];
      if (!wire) continue;
      const view = { line, seen, wire, shown: notes.read(line.model, wire) };
      if (isDeleted(line.model, view.shown) || line.life === 'unsure') continue;
      if (line.life === 'deleted') reappeared(notes, view);
      else listedAlive(view, more.length > 0);
      if (line.listed.length > 0) open.push(line);
    }
    return open;
  }

  function listedAlive(view: View, isTwice: boolean): void {
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
function changed({ compare, notes, ties }: Parts, view: View, field: Field, fact: Fact): void {
  const { line, seen, shown } = view;
  const { refused, write } = line;
  const found = shown[field.name];
  const isOld = fact.not !== undefined;
  const how = isOld ? IGNORED : (compare(field, fact.value, found) ?? OTHER);
  const wrong = isOld ? { expected: null, found: fact.not, how } : { expected: fact.value, found, how };
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
    notes.value(view, ruleOfWrite(line, field, fact, found), field, wrong, where);
    // An update of another record might have changed one that no retrieve has shown yet.
    const suspects = suspectsOf(ties, line, false).filter(
      (id) => id === `update.keeps-other-records:${line.model.name}`,
    );
    if (suspects.length > 0) notes.drift(line, seen, { message, ...values }, suspects, field);
  }
}

/** A record that exists is missing, or is marked as deleted. */
function vanished({ notes, ties }: Parts, line: Timeline, seen: Seen, found: string): 'over' {
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

/** The rule that an accepted write breaks if a retrieve after it shows another value. */
function ruleOfWrite(line: Timeline, field: Field, fact: Fact, found: Value | undefined): string {
  if (line.write.operation === 'create') return 'create.keeps-field';
  const isAboutField = fact.at === line.write.at || wasNotStored(line, field, fact, found);
  return isAboutField ? 'update.changes-field' : 'update.keeps-other-fields';
}

/** The rule that a rejected update breaks if it changes a field. */
function ruleOfRefused(field: Field, sent: SentValues): string {
  if (!sent.has(field.name)) return 'update.keeps-other-fields';
  const value = sent.get(field.name);
  if (value === null && field.required) return 'required.on-update';
  return value === undefined ? 'fields.wrong-type-on-update' : 'update.changes-field';
}

/**
 * Returns the cases whose writes might have changed a record, the likeliest first: writes to the same model, then the
 * last ones.
 */
function suspectsOf(ties: Ties, { id, model, read, write }: Timeline, isGone: boolean): string[] {
  const rank = (one: Write) => (one.model === model ? 0 : 2) + (isGone && !isRemoval(one) ? 1 : 0);
  const isOther = (one: Write) => one.model !== model || one.id !== id;
  const writes = ties.since(Math.max(read, write.at)).filter(isOther);
  const cases = writes.toSorted((one, other) => rank(one) - rank(other)).map(caseOfWrite);
  return [...new Set(cases)].slice(0, MOST_SUSPECTS);
}

/** A create returns the ID of a record of the run, so that record was replaced, or is gone. */
function replaced({ notes, ties }: Parts, before: Timeline, seen: Seen): void {
  if (before.life !== 'live' || before.since >= seen.asked || ties.mayDelete(before)) return;
  const words = {
    message: `a create returns the ID of the existing ${nameOf(before)}`,
    expected: 'the record as before, and a new ID',
    found: `a new record with id ${before.id}`,
  };
  if (ties.hasRemoval(before)) notes.drift(before, seen, words, suspectsOf(ties, before, true));
  else notes.add('create.distinct', before, seen, words);
}

/** A deleted record is shown as existing. With other values, it is another record under the same ID. */
function reappeared(notes: Notes, { line, seen, shown }: View): 'over' | undefined {
  if (!isSameRecord(line, shown, true)) return 'over';
  const inList = seen.meaning.operation === 'list';
  notes.add('operations.delete', line, seen, {
    message: `the deleted ${nameOf(line)} ${inList ? 'is in the list' : 'still exists'}`,
    expected: inList ? 'no such record, or deleted set' : 'a 4xx status, or deleted set',
    found: show(shown),
  });
  return undefined;
}
