import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, isAccepted } from '../api/answer.ts';
import { agrees, isNone, surelyShows } from '../assert/agreement.ts';
import { unlessEnded } from '../assert/ending.ts';
import { expectRecord } from '../cases/assert.ts';
import type { CaseContext, SharedRequests } from '../cases/rule.ts';
import { asKept, writableFields } from '../records/values/values.ts';

/** Below zero, which a percentage need not be, and with as many digits as each service keeps: two decimals, of a float more. */
const ODD_NUMBERS: Partial<Record<TypeName, number>> = {
  int: -7,
  float: -12_345.6789,
  currency: -2.5,
  percent: 12.75,
};

/**
 * Updates of all numbers of a record to odd ones, and then to 0. A service may refuse them: where it does, or breaks,
 * each is tried without the others, because only one of them may be the reason.
 */
export const numberUpdates: SharedRequests<readonly NumberUpdate[]> = {
  name: 'updates of numbers',
  againAfter5xx: true,
  async ask(context) {
    const { model, profile, records, samples } = context;
    const made = await records.make(samples.values('all'));
    const numbers = writableFields(model).filter((field) => isNumber(context, field));
    const change = async (values: RecordValues): Promise<NumberUpdate> => ({
      change: values,
      answer: await records.update(made.id, values, made.sent),
      seen: await records.retrieve(made.id),
    });
    const changeTo = async (pick: (field: Field) => Value): Promise<readonly NumberUpdate[]> => {
      const changes = numbers.map((field) => ({ [field.name]: pick(field) }));
      const all = await change(Object.assign({}, ...changes));
      if (changes.length < 2 || isAccepted(all.answer)) return [all];
      const steps: NumberUpdate[] = [];
      for (const one of changes) steps.push(await change(one));
      return steps.some(({ answer }) => answer.status >= 500) ? steps : [all, ...steps];
    };
    const odd = await changeTo((field) => asKept(field, ODD_NUMBERS[field.type] ?? 0, profile));
    return [...odd, ...(await changeTo(() => 0))];
  },
};

/** An update of numbers; `change` is canonical. */
type NumberUpdate = {
  readonly change: RecordValues;
  readonly answer: ApiResponse;
  /** The answer to the retrieve after it. */
  readonly seen: ApiResponse;
};

/** A record after an update that sent nothing for some fields. */
type Emptied = { readonly answer: ApiResponse; readonly sent: RecordValues; readonly shown: RecordValues };

/** A value that a record still shows after an update that sent null or an empty list. */
export type StayingValue = Pick<Emptied, 'answer'> & { readonly sent: Value; readonly shown: Value };

const LISTS: readonly TypeName[] = ['manyToMany', 'daysOfWeek', 'lines'];

/**
 * Updates that set all optional fields to null, or to an empty list. A service may refuse them, or show defaults. It ignores
 * what they send for a field if two records with different values keep them. Returns these values.
 */
export const emptyUpdates: SharedRequests<ReadonlyMap<string, StayingValue>> = {
  name: 'updates to nothing',
  async ask(context) {
    const { model, profile, samples } = context;
    const optional = writableFields(model).filter(({ required }) => !required);
    const staying = new Map<string, StayingValue>();
    // A form can't express null: an empty text is a value.
    if (optional.length === 0 || profile['request.encoding'] === 'form') return staying;
    const nothing = optional.map(({ name, type }) => [name, LISTS.includes(type) ? [] : null] as const);
    const change = Object.fromEntries(nothing);
    const one = await updateNew(context, samples.values('all'), change);
    const kept = one ? optional.filter((field) => keeps(one, field)) : [];
    if (!one || kept.length === 0) return staying;
    const others = kept.map((field) => [field.name, samples.otherValue(field, one.sent[field.name])]);
    const known = Object.fromEntries(others.filter(([, value]) => value !== undefined));
    const values = { ...samples.values('all'), ...samples.tie(known, samples.values('all')) };
    const other = await unlessEnded(() => updateNew(context, values, change));
    for (const field of other ? kept.filter((one) => keeps(other, one)) : []) {
      const [sent = null, shown = null] = [change[field.name], one.shown[field.name]];
      if (!agrees(field, one.sent[field.name] ?? null, other?.sent[field.name]))
        staying.set(field.name, { answer: one.answer, sent, shown });
    }
    return staying;
  },
};

async function updateNew(
  context: CaseContext,
  values: RecordValues,
  change: RecordValues,
): Promise<Emptied | undefined> {
  const { check, model, records } = context;
  const made = await records.make(values);
  if (!isAccepted(await records.update(made.id, change, made.sent))) return undefined;
  const answer = await records.retrieve(made.id);
  return { answer, sent: made.sent, shown: check.read(model, expectRecord(context, answer, 'a retrieve')) };
}

function keeps({ sent, shown }: Emptied, field: Field): boolean {
  const value = sent[field.name] ?? null;
  return !isNone(value) && surelyShows(field, value, shown[field.name]);
}

/** A number that is no link. */
export function isNumber({ references }: CaseContext, { key, type }: Field): boolean {
  return ['int', 'float', 'currency', 'percent'].includes(type) && !references.has(key);
}
