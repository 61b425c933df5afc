import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { isText } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted } from '../api/answer.ts';
import { agrees, isCopy, isNone, LISTS, surelyShows } from '../assert/agreement.ts';
import { unlessEnded } from '../assert/ending.ts';
import { expectRecord } from '../cases/assert.ts';
import type { CaseContext, SharedRequests } from '../cases/rule.ts';
import { asKept, writableFields } from '../records/values/values.ts';
import { minimal } from './shared.ts';

type NumberUpdate = { readonly id: Id; readonly change: RecordValues; readonly answer: ApiResponse };

/** Negative except for a percentage, with the decimals that most services keep: two, and more for a float. */
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
    const change = async (values: RecordValues): Promise<NumberUpdate> => {
      const answer = await records.update(made.id, values, made.sent);
      await records.retrieve(made.id);
      return { id: made.id, change: values, answer };
    };
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

/** A value that a record shows after an update that sent null, an empty list, or an empty string. */
export type StayingValue = {
  readonly answer: ApiResponse;
  readonly field: Field;
  readonly sent: Value;
  readonly value: Value;
};

/**
 * Updates that set all optional fields to null, and then optional lists and texts to empty ones. A service may refuse them, or
 * show the default, which a record shows that was created without the field. Returns all other values by field.
 */
export const emptyUpdates: SharedRequests<ReadonlyMap<string, StayingValue>> = {
  name: 'updates to nothing',
  async ask(context) {
    const { api, check, model, profile, samples } = context;
    const optional = writableFields(model).filter(({ required }) => !required);
    // A form can't express null: an empty text is a value.
    if (optional.length === 0 || profile['request.encoding'] === 'form') return new Map();
    const kept = [...(await emptyNew(context, samples.values('all'), optional))];
    if (kept.length === 0) return new Map();
    const bare = check.read(model, api.recordIn((await context.ask(minimal)).retrieved) ?? {});
    const isDefault = ({ field, value }: StayingValue) => agrees(field, value, bare[field.name]);
    // The value that was sent first can be the default.
    const others = kept
      .filter(isDefault)
      .map(({ field, value }) => [field.name, samples.otherValue(field, value)]);
    const known = Object.fromEntries(others.filter(([, value]) => value !== undefined));
    const values = samples.tie({ ...samples.values('all'), ...known });
    if (others.length > 0)
      kept.push(...((await unlessEnded(() => emptyNew(context, values, optional))) ?? []));
    const wrong = kept.filter((one) => !isDefault(one));
    // The first one of a field counts.
    return new Map(wrong.toReversed().map((one) => [one.field.name, one]));
  },
};

/** Creates a record, empties it, and fills and empties its lists and its texts again. Returns the values that it shows. */
async function emptyNew(
  context: CaseContext,
  values: RecordValues,
  optional: readonly Field[],
): Promise<readonly StayingValue[]> {
  const { catalogue, check, model, records } = context;
  const { id, sent: before } = await records.make(values);
  const kept: StayingValue[] = [];
  const lists = optional.filter(({ type }) => LISTS.includes(type));
  const ways: [Value, readonly Field[]][] = [
    [null, optional],
    [[], lists],
    ['', optional.filter(isText)],
  ];
  for (const [nothing, fields] of ways) {
    const changeTo = async (pick: (name: string) => Value) => {
      const change = Object.fromEntries(fields.map(({ name }) => [name, pick(name)]));
      return isAccepted(await records.update(id, change, before));
    };
    if (fields.length === 0 || (nothing !== null && !(await changeTo((name) => before[name] ?? null))))
      continue;
    if (!(await changeTo(() => nothing))) continue;
    const answer = await records.retrieve(id);
    const shown = check.read(model, expectRecord(context, answer, 'a retrieve'));
    for (const field of fields) {
      const [sent = null, value = null] = [before, shown].map((record) => record[field.name]);
      // A service may compute a copy.
      const isKept = isNone(sent) ? false : surelyShows(field, sent, value);
      if (!isNone(value) && (isKept || !isCopy(field, catalogue)))
        kept.push({ answer, field, sent: nothing, value });
    }
  }
  return kept;
}

/** A number that is no link. */
export function isNumber({ references }: CaseContext, { key, type }: Field): boolean {
  return ['int', 'float', 'currency', 'percent'].includes(type) && !references.has(key);
}
