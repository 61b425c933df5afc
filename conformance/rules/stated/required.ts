import { withArticle } from '../../../spec/article.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { choicesOf, isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import { NO_SCALAR, type Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { isId } from '../../api/places.ts';
import { isUnset } from '../../assert/agreement.ts';
import { expectRefused, needId } from '../../assert/assert.ts';
import { Failure } from '../../assert/failure.ts';
import { mayHaveForm, show } from '../../assert/wire-check.ts';
import type { CaseContext, ListedRule, Question } from '../../plan/rule.ts';
import { needCreate } from '../questions/updates.ts';
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

/** A value of another type is refused, or converted to the type of the field (section 2). */
export const wrongTypeRules: readonly ListedRule[] = [
  {
    id: 'fields.wrong-type-on-create',
    title: 'Create rejects a value of another type, or does not return it as sent',
    requirement: 'field-type',
    needs: ['create', 'retrieve'],
    cases: eachFieldAndPart(
      hasWrongValue,
      async (context, field) => {
        await needCreate(context);
        await expectWrongTypeRefused(context, field);
        const loose = looseValue(context, field);
        if (loose !== undefined) await expectNotStored(context, field, loose);
      },
      createWithPart,
    ),
  },
  {
    id: 'fields.wrong-type-on-update',
    title: 'Update rejects a value of another type, or does not return it as sent',
    requirement: 'field-type',
    needs: ['create', 'retrieve', 'update'],
    cases: eachFieldAndPart(
      hasWrongValue,
      async (context, field) => {
        await needCreate(context);
        if (isRefusedCleanly(await context.ask(wrongTypeUpdates), field)) return;
        const made = await context.records.make(context.samples.values('all'));
        const wire = wrongValue(field, context);
        const what = `an update with ${field.name} ${show(wire)}`;
        const taken = await tryInvalidUpdate(context, made, { [field.name]: wire }, what);
        if (taken) expectRightType(context, field, taken.after[field.name], taken.answer);
      },
      updateWithPart,
    ),
  },
];

const IMPOSSIBLE_DAY = '2025-02-30';

/** A create with a wrong type for each field. The target may refuse all of them. */
export const wrongTypeCreates: Question<BatchedWrites> = {
  name: 'creates with wrong types',
  ask(context) {
    const fields = context.model.fields.filter((field) => hasWrongValue(field, context));
    return createEach(context, new Map(fields.map((field) => [field, wrongCreate(context, field)])));
  },
};

const wrongTypeUpdates: Question<BatchedWrites> = {
  name: 'updates to wrong types',
  async ask(context) {
    const fields = context.model.fields.filter((field) => hasWrongValue(field, context));
    return updateEach(context, new Map(fields.map((field) => [field, wrongValue(field, context)])));
  },
};

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

async function expectWrongTypeRefused(context: CaseContext, field: Field): Promise<void> {
  if (isRefusedCleanly(await context.ask(wrongTypeCreates), field)) return;
  const create = wrongCreate(context, field);
  const what = `a create with ${field.name} ${show(create.wire[field.name])}`;
  const taken = await tryInvalidCreate(context, create, what);
  if (taken) await expectRightTypeStored(context, field, taken);
}

/** What a loose check takes: a day that no calendar has, a fraction for a whole number, and texts of digits in a list of ids. */
function looseValue({ profile, samples }: CaseContext, field: Field): Value | undefined {
  if (field.type === 'date') return IMPOSSIBLE_DAY;
  if (field.type === 'int') return 1.5;
  const isById = profile['types.manyToMany'] === 'ids' && profile['request.encoding'] === 'json';
  const ids = field.type === 'manyToMany' && isById ? samples.value(field) : undefined;
  return Array.isArray(ids) && ids.length > 0 ? ids.map(String) : undefined;
}

/** It is refused, or converted to a value of the type. */
async function expectNotStored(context: CaseContext, field: Field, value: Value): Promise<void> {
  const answer = await createWith(context, { [field.name]: value });
  if (!isAccepted(answer)) return expectRefused(answer, `a create with ${field.name} ${show(value)}`);
  await expectRightTypeStored(context, field, answer);
}

async function expectRightTypeStored(context: CaseContext, field: Field, answer: Answer): Promise<void> {
  const { id, [field.name]: shown } = context.api.recordIn(answer) ?? {};
  expectRightType(context, field, shown, answer);
  if (isId(id)) expectRightType(context, field, (await context.records.read(id))[field.name], answer);
}

async function createWithPart(context: CaseContext, place: LinePart): Promise<void> {
  await needCreate(context);
  const answer = await createWith(context, invalidLines(context, place, wrongValue(place.part, context)));
  const what = `a create with ${nameOf(place)} of another type`;
  if (!isAccepted(answer)) return expectRefused(answer, what);
  expectRightParts(context, place, context.api.recordIn(answer), answer);
  expectRightParts(context, place, await context.records.read(needId(context, answer, what)), answer);
}

async function updateWithPart(context: CaseContext, place: LinePart): Promise<void> {
  await needCreate(context);
  const made = await context.records.make();
  const answer = await updateInvalid(
    context,
    made,
    invalidLines(context, place, wrongValue(place.part, context)),
  );
  if (!isAccepted(answer)) expectRefused(answer, `an update with ${nameOf(place)} of another type`);
  expectRightParts(context, place, await context.records.read(made.id), answer);
}

function expectRightParts(
  context: CaseContext,
  place: LinePart,
  record: RecordValues | undefined,
  answer: Answer,
): void {
  for (const value of partsShown(record, place)) expectRightType(context, place.part, value, answer);
}

function nameOf({ lines, part }: LinePart): string {
  return `${part.name} in one of its ${lines.name}`;
}

function wrongCreate({ codec, model, ...context }: CaseContext, field: Field): InvalidCreate {
  const { [field.name]: _, ...values } = context.samples.values('required');
  return {
    wire: { ...codec.encodeNamed(model.name, values), [field.name]: wrongValue(field, context) },
    stored: traceOf(values, field),
  };
}

/** Fields without a value list: values outside a list have rules of their own. */
function hasWrongValue(field: Field, plan: Contract): boolean {
  return !field.readonly && !choicesOf({ field, profile: plan.profile }) && wrongValue(field, plan) !== null;
}

/** Of a type whose form is not shown, only a value of a JSON kind that no option has is surely wrong. */
function wrongValue(field: Field, { profile }: Contract): Value {
  const samples = WIRE_TYPES[field.type].counterSamples({ field, profile });
  return [...samples, ...NO_SCALAR].find((sample) => !mayHaveForm(field, sample, profile)) ?? null;
}

function expectRightType(context: CaseContext, field: Field, wire: Value | undefined, answer: Answer): void {
  if (isUnset(field, wire)) return;
  const wrong = context.check.complaint(field, wire);
  if (wrong !== undefined && context.check.otherOption(field, wire) === undefined)
    throw new Failure(
      `the target stores a value of another type in ${field.name}: ${wrong}`,
      `a 4xx status, or ${withArticle(field.type)}`,
      show(wire),
      answer.exchange,
    );
}
