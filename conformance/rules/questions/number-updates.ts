import type { Field, TypeName } from '../../../spec/catalogue/field.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isRefused } from '../../api/answer.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';
import { asKept, writableFields } from '../../records/values/values.ts';

/** An update of numbers; `change` is canonical. */
type NumberUpdate = {
  readonly change: RecordValues;
  readonly answer: Answer;
  /** The answer to the retrieve after it. */
  readonly seen: Answer;
};

/** Below zero, and with more decimals than money has: a percentage has no sign, and money may have two decimals. */
const ODD_NUMBERS: Partial<Record<TypeName, number>> = {
  int: -7,
  float: -1.2345,
  currency: -2.5,
  percent: 12.3456,
};

/** Updates of all numbers of a record to odd ones, and then to 0. A service may refuse them. */
export const numberUpdates: Question<readonly NumberUpdate[]> = {
  name: 'updates of numbers',
  async ask(context) {
    const { model, profile, records, samples } = context;
    const made = await records.make(samples.values('all'));
    const numbers = writableFields(model).filter((field) => isNumber(context, field));
    const change = async (values: RecordValues): Promise<NumberUpdate> => ({
      change: values,
      answer: await records.update(made.id, values, made.sent),
      seen: await records.retrieve(made.id),
    });
    const odd = Object.fromEntries(
      numbers.map((field) => [field.name, asKept(field, ODD_NUMBERS[field.type] ?? 0, profile)]),
    );
    const steps = [await change(odd)];
    // One of them may be out of a range.
    if (steps.some(({ answer }) => isRefused(answer)))
      for (const [name, value] of Object.entries(odd)) steps.push(await change({ [name]: value }));
    return [...steps, await change(Object.fromEntries(numbers.map(({ name }) => [name, 0])))];
  },
};

/** A number that is no link. */
export function isNumber({ references }: CaseContext, { key, type }: Field): boolean {
  return ['int', 'float', 'currency', 'percent'].includes(type) && !references.has(key);
}
