import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { isText } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isAccepted } from '../../api/answer.ts';
import { expectRefused, needId } from '../../assert/assert.ts';
import { Failure } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext, ListedRule, Question } from '../../plan/rule.ts';
import { needCreate } from '../questions/observation.ts';
import { type BatchedWrites, createEach, isRefusedCleanly, updateEach } from '../support/batched-writes.ts';
import { eachFieldAndPart, invalidLines, type LinePart, partsShown } from '../support/in-lines.ts';
import {
  createWith,
  expectCreateRefused,
  type InvalidCreate,
  traceOf,
  tryInvalidCreate,
  tryInvalidUpdate,
  updateInvalid,
} from '../support/invalid-requests.ts';

/** Requests without a required field are refused (section 4, rule 2). */
export const requiredRules: readonly ListedRule[] = [
  {
    id: 'required.on-create',
    title: 'Create without a required field is rejected and stores nothing',
    requirement: 'field-required',
    needs: ['create'],
    cases: eachFieldAndPart(
      isAskedFor,
      async (context, field) => {
        await needCreate(context);
        if (isRefusedCleanly(await context.ask(incompleteCreates), field)) return;
        await expectCreateRefused(context, createWithout(context, field), `a create without ${field.name}`);
      },
      createWithoutPart,
    ),
  },
  {
    id: 'required.null-on-create',
    title: 'Create with null in a required field does not leave the field without a value',
    requirement: 'field-required',
    needs: ['create', 'retrieve'],
    cases: eachFieldAndPart(
      takesNull,
      async (context, field) => {
        await needCreate(context);
        if (isRefusedCleanly(await context.ask(nullCreates), field)) return;
        const what = `a create with ${field.name} null`;
        const taken = await tryInvalidCreate(context, createWithNull(context, field), what);
        if (!taken) return;
        const id = needId(context, taken, what);
        expectValue((await context.records.read(id))[field.name], `a create left ${field.name}`);
      },
      createWithNullPart,
    ),
  },
  {
    id: 'required.on-update',
    title: 'Update does not remove the value of a required field',
    requirement: 'field-required',
    needs: ['create', 'retrieve', 'update'],
    cases: eachFieldAndPart(
      takesNull,
      async (context, field) => {
        if (isRefusedCleanly(await context.ask(nullUpdates), field)) return;
        const made = await context.records.make();
        const what = `an update of ${field.name} to null`;
        const taken = await tryInvalidUpdate(context, made, { [field.name]: null }, what);
        // A service may ignore the null and keep the value.
        if (taken) expectValue(taken.after[field.name], `an update left ${field.name}`);
      },
      updateToNullPart,
    ),
  },
];

const incompleteCreates: Question<BatchedWrites> = {
  name: 'creates without required fields',
  ask(context) {
    const fields = context.model.fields.filter(isAskedFor);
    return createEach(context, new Map(fields.map((field) => [field, createWithout(context, field)])));
  },
};

/** A create for each required field, with null for it. */
export const nullCreates: Question<BatchedWrites> = {
  name: 'creates with nulls',
  ask(context) {
    const fields = context.model.fields.filter((field) => takesNull(field, context));
    return createEach(context, new Map(fields.map((field) => [field, createWithNull(context, field)])));
  },
};

const nullUpdates: Question<BatchedWrites> = {
  name: 'updates to nulls',
  async ask(context) {
    const fields = context.model.fields.filter((field) => takesNull(field, context));
    return updateEach(context, new Map(fields.map((field) => [field, null])));
  },
};

function createWithNull(context: CaseContext, field: Field): InvalidCreate {
  const { stored, wire } = createWithout(context, field);
  return { stored, wire: { ...wire, ...encode(context, { [field.name]: null }) } };
}

function createWithout({ codec, model, samples }: CaseContext, field: Field): InvalidCreate {
  const { [field.name]: _, ...values } = samples.values('required');
  return { wire: codec.encodeNamed(model.name, values), stored: traceOf(values, field) };
}

async function createWithoutPart(context: CaseContext, place: LinePart): Promise<void> {
  const { [place.lines.name]: _, ...others } = context.samples.values('required');
  const wire = { ...encode(context, others), ...invalidLines(context, place, undefined) };
  const what = `a create without ${place.part.name} in one of its ${place.lines.name}`;
  await expectCreateRefused(context, { stored: traceOf(others, place.lines), wire }, what);
}

async function createWithNullPart(context: CaseContext, place: LinePart): Promise<void> {
  await needCreate(context);
  const answer = await createWith(context, invalidLines(context, place, null));
  const what = `a create with ${place.part.name} null in one of its ${place.lines.name}`;
  if (!isAccepted(answer)) return expectRefused(answer, what);
  const record = await context.records.read(needId(context, answer, what));
  for (const value of partsShown(record, place)) expectValue(value, `${what} left it`);
}

async function updateToNullPart(context: CaseContext, place: LinePart): Promise<void> {
  const made = await context.records.make();
  const answer = await updateInvalid(context, made, invalidLines(context, place, null));
  const what = `an update with ${place.part.name} null in one of its ${place.lines.name}`;
  if (!isAccepted(answer)) expectRefused(answer, what);
  for (const value of partsShown(await context.records.read(made.id), place))
    expectValue(value, `${what} left it`);
}

function encode({ codec, model }: CaseContext, values: RecordValues): RecordValues {
  return codec.encodeNamed(model.name, values);
}

function expectValue(found: Value | undefined, what: string): void {
  if (found === undefined || found === null)
    throw new Failure(`${what} without a value`, 'a value', show(found));
}

function isAskedFor(field: Field): boolean {
  return field.required && !field.readonly;
}

/** A form can't express null: an empty text unsets only fields that are no texts. */
function takesNull(field: Field, { profile }: Contract): boolean {
  const inJson = profile['request.encoding'] === 'json';
  return field.required && !field.readonly && (inJson || !(isText(field) || field.type === 'lines'));
}
