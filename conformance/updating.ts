import type { RecordValues } from '../spec/record-codec.ts';
import type { Value } from '../spec/types/wire-type.ts';
import { isAccepted } from './api.ts';
import type { CaseContext, UpdateStep } from './context.ts';
import { lasting } from './expect.ts';

/** Updates the writable fields of one record one after the other, and looks at the whole record after each. */
export async function updateEachField(context: CaseContext): Promise<UpdateStep[]> {
  const { model } = context;
  const { id, sent: first } = await context.make(context.values('all'));
  const steps: UpdateStep[] = [];
  let sent: RecordValues = first;
  let before = lasting(context, await context.readValues(id));
  for (const field of model.fields.filter((candidate) => !candidate.readonly)) {
    const value: Value | undefined = context.otherValue(field, before[field.name]);
    if (value === undefined) continue;
    const answer = await context.update(id, { [field.name]: value }, sent);
    const after = lasting(context, await context.readValues(id));
    steps.push({ field, value, before, answer, after });
    if (isAccepted(answer)) sent = { ...sent, [field.name]: value };
    before = after;
  }
  return steps;
}
