import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field, Role } from '../../../spec/catalogue/field.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Id } from '../../api/places.ts';
import { Failure } from '../../assert/failure.ts';
import { expectRecord, expectValues, lasting } from '../../cases/assert.ts';
import type { CaseContext } from '../../cases/rule.ts';

/** The common fields that only a create or a delete sets. */
export function originFields({ fields }: Model): Field[] {
  return fields.filter((field) => isIdField(field) || isKeptRole(field.role));
}

function isKeptRole(role: Role | undefined): boolean {
  return role === 'created' || role === 'createdBy' || role === 'deleted';
}

/** The values that no request about another record may change. The service can compute readonly fields again. */
export function stableValues(context: CaseContext, record: RecordValues): RecordValues {
  return {
    ...Object.fromEntries(originFields(context.model).map(({ name }) => [name, record[name] ?? null])),
    ...lasting(context, record),
  };
}

/** Fails if the record is missing, or differs. */
export async function expectUnchanged(
  context: CaseContext,
  id: Id,
  before: RecordValues,
  what: string,
): Promise<void> {
  const answer = await context.api.retrieve(context.model.name, id);
  const record = expectRecord(context, answer, `a retrieve of ${what}`);
  expectValues(
    context,
    stableValues(context, before),
    context.check.read(context.model, record),
    what,
    answer,
  );
}

/** Fails when there is a new record with one set of the values that no answer has shown. */
export async function expectNoNewRecord(
  context: CaseContext,
  values: readonly RecordValues[],
  what: string,
  again: () => Promise<unknown>,
): Promise<void> {
  try {
    await context.records.assertNothingStored(values, again);
  } catch (error) {
    throw error instanceof Failure
      ? new Failure(`${what} also creates another record`, error.expected, error.found)
      : error;
  }
}
