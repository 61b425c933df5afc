import type { Field } from '../../../../spec/catalogue/field.ts';
import { whyFormless } from '../../../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../../../spec/types/types.ts';
import type { Value } from '../../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import { agrees } from '../../../assert/agreement.ts';
import { expectRecord } from '../../../assert/assert.ts';
import { Skip } from '../../../assert/failure.ts';
import type { CaseContext } from '../../../plan/rule.ts';
import { asKept } from '../../../records/values/values.ts';
import { minimal } from '../../questions/shared.ts';

export function isReadonly(field: Field): boolean {
  return field.readonly;
}

/** The values that the service chooses itself. Only other values can show that a sent one was stored. */
export async function given(context: CaseContext): Promise<RecordValues> {
  return context.check.read(context.model, await minimalRecord(context));
}

export async function minimalRecord(context: CaseContext): Promise<RecordValues> {
  return expectRecord(context, (await context.ask(minimal)).retrieved, 'a retrieve');
}

/** A value for each readonly field that has more than one. */
export function valuesUnlike(context: CaseContext, values: RecordValues): RecordValues {
  const fields = context.model.fields.filter((field) => field.readonly && !whyFormless(field, context));
  const pairs = fields.map((field) => [field.name, otherThan(context, field, values[field.name])]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}

export function valueUnlike(context: CaseContext, field: Field, value: Value | undefined): Value {
  const other = otherThan(context, field, value);
  if (other !== undefined) return other;
  throw new Skip(`${field.key} has only one valid value, so a change would not show`);
}

function otherThan(context: CaseContext, field: Field, given: Value | undefined): Value | undefined {
  const { profile } = context;
  for (let tries = 0; tries < 5; tries++) {
    // Far from what a service counts up to by itself, so that an id or a total is not met by chance.
    const sample = WIRE_TYPES[field.type].sample(900_000_000 + context.samples.number() * 10 + tries, {
      field,
      profile,
    });
    const value = asKept(field, sample, profile);
    if (!agrees(field, value, given)) return value;
  }
  return undefined;
}
