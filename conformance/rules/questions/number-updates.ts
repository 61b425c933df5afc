import type { Field, TypeName } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import type { CaseContext, Question } from '../../plan/rule.ts';
import { asKept, writableFields } from '../../records/values/values.ts';

/** An update of numbers; `change` is canonical. */
type NumberUpdate = {
  readonly change: RecordValues;
  readonly answer: Answer;
  /** The answer to the retrieve after it. */
  readonly seen: Answer;
};

/** Below zero, which a percentage need not be, and with as many digits as each service keeps: two decimals, of a float more. */
const ODD_NUMBERS: Partial<Record<TypeName, number>> = {
  int: -7,
  float: -12_345.6789,
  currency: -2.5,
  percent: 12.75,
};

/**
 * Updates of all numbers of a record to odd ones, and then to 0. A service may refuse them: where it does, or breaks,
 * each is tried alone, since only one of them may be the reason.
 */
export const numberUpdates: Question<readonly NumberUpdate[]> = {
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

/** A number that is no link. */
export function isNumber({ references }: CaseContext, { key, type }: Field): boolean {
  return ['int', 'float', 'currency', 'percent'].includes(type) && !references.has(key);
}
