import type { Field } from '../../../spec/catalogue/field.ts';
import { WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { agrees } from '../../assert/agreement.ts';
import { expectRecord, expectRefused, needId } from '../../assert/expect.ts';
import { Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext, Question } from '../../plan/case-context.ts';
import type { Rule } from '../../plan/rule.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { asKept } from '../../records/values.ts';
import { needCreate } from '../questions/observation.ts';
import { minimal } from '../questions/shared.ts';
import { eachFieldAndPart, type LinePart, oddLines, partsShown } from '../support/in-lines.ts';
import { createWith, updateWith } from '../support/invalid-requests.ts';
import { readTrial, type Trial, tryCreate } from '../support/together.ts';
import { expectNeighbourKept, expectStaysDeleted, isCommon } from './readonly-harm.ts';

/**
 * Readonly fields are not writable (section 4, rule 2): ignoring one is as good as refusing it, storing is not. They
 * are sent all at once first; one that this does not clear is sent alone.
 */
export const readonlyRules: readonly Rule[] = [
  {
    id: 'readonly.on-create',
    title: 'A readonly field that is sent with a create is not stored',
    requirement: 'field-readonly',
    level: 'stated',
    needs: ['create', 'retrieve'],
    cases: eachFieldAndPart(
      isReadonly,
      async (context, field) => {
        await needCreate(context);
        if (isCommon(field, 'id')) await expectNeighbourKept(context, 'create');
        if (isCleared(await context.ask(readonlyCreate), field)) return;
        const { api, codec, model } = context;
        const value = valueUnlike(context, field, (await given(context))[field.name]);
        const sent = { ...context.samples.values('required'), [field.name]: value };
        const answer = await api.create(model.name, codec.encodeNamed(model.name, sent));
        const id = context.records.adopt(answer);
        if (!refused(answer, field) && id !== undefined) await expectNotStored(context, id, field, value);
      },
      createWithPart,
    ),
  },
  {
    id: 'readonly.on-update',
    title: 'A readonly field that is sent with an update is not stored',
    requirement: 'field-readonly',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachFieldAndPart(
      isReadonly,
      async (context, field) => {
        await needCreate(context);
        if (isCommon(field, 'id')) await expectNeighbourKept(context, 'update');
        if (isCommon(field, 'deleted')) await expectStaysDeleted(context);
        if (isCleared(await context.ask(readonlyUpdate), field)) return;
        const made = await context.records.make();
        const value = valueUnlike(context, field, (await given(context))[field.name]);
        const change = { [field.name]: value };
        // Some take a readonly field alone, others beside what may be written.
        for (const values of [change, { ...context.samples.valuesAfter(made.sent), ...change }]) {
          refused(await send(context, made, values), field);
          await expectNotStored(context, made.id, field, value);
        }
      },
      updateWithPart,
    ),
  },
];

async function createWithPart(context: CaseContext, place: LinePart): Promise<void> {
  await needCreate(context);
  const { value, wire } = oddPart(context, place, await minimalRecord(context));
  const answer = await createWith(context, wire);
  if (refused(answer, place.part)) return;
  const id = needId(context, answer, `a create with readonly ${place.part.name} in one of its lines`);
  await expectPartNotStored(context, id, place, value);
}

async function updateWithPart(context: CaseContext, place: LinePart): Promise<void> {
  const made = await context.records.make();
  const { value, wire } = oddPart(context, place, expectRecord(context, made.answer, 'a create'));
  refused(await updateWith(context, made, wire), place.part);
  await expectPartNotStored(context, made.id, place, value);
}

/** Lines with a value for the part that the service does not give it by itself; canonical, and in wire form. */
function oddPart(context: CaseContext, place: LinePart, record: RecordValues) {
  const { part } = place;
  const [own] = partsShown(record, place);
  const value = valueUnlike(context, part, readPart(context, part, own ?? null));
  const wire = WIRE_TYPES[part.type].encode(value, { field: part, profile: context.profile });
  return { value, wire: oddLines(context, place, wire) };
}

async function expectPartNotStored(context: CaseContext, id: Id, place: LinePart, value: Value) {
  const { lines, part } = place;
  const shown = partsShown(await context.records.read(id), place);
  if (shown.some((own) => agrees(part, value, readPart(context, part, own ?? null))))
    throw new Failure(
      `readonly ${part.name} in one of ${lines.name} was stored as it was sent`,
      `any value but ${show(value)}`,
      show(shown),
    );
}

/** Canonical; what does not have the form of its type stays as it is. */
function readPart({ check, profile }: CaseContext, part: Field, wire: Value): Value {
  if (wire === null || check.complaint(part, wire) !== undefined) return wire;
  return WIRE_TYPES[part.type].decode(wire, { field: part, profile });
}

function isReadonly(field: Field): boolean {
  return field.readonly;
}

const readonlyCreate: Question<Trial | undefined> = {
  name: 'create with readonly fields',
  async ask(context) {
    return tryCreate(context, valuesUnlike(context, await given(context)));
  },
};

/** Alone first, then beside what may be written: what either stores is there afterwards. */
const readonlyUpdate: Question<Trial | undefined> = {
  name: 'update with readonly fields',
  async ask(context) {
    const made = await context.records.make();
    const tried = valuesUnlike(context, await given(context));
    const alone = await send(context, made, tried);
    if (!isAccepted(alone)) return undefined;
    const beside = await send(context, made, { ...context.samples.valuesAfter(made.sent), ...tried });
    return readTrial(context, beside, made.id, tried);
  },
};

function isCleared(trial: Trial | undefined, field: Field): boolean {
  const tried = trial?.tried[field.name];
  return tried !== undefined && !agrees(field, tried, trial?.found[field.name]);
}

/** What the service gives the fields when nobody sends them: only other values can show that they were stored. */
async function given(context: CaseContext): Promise<RecordValues> {
  return context.check.read(context.model, await minimalRecord(context));
}

async function minimalRecord(context: CaseContext): Promise<RecordValues> {
  return expectRecord(context, (await context.ask(minimal)).retrieved, 'a retrieve');
}

function send(context: CaseContext, made: MadeRecord, change: RecordValues): Promise<Answer> {
  return updateWith(context, made, context.codec.encodeNamed(context.model.name, change));
}

function refused(answer: Answer, field: Field): boolean {
  if (isAccepted(answer)) return false;
  expectRefused(answer, `a request with readonly ${field.name}`);
  return true;
}

async function expectNotStored(context: CaseContext, id: Id, field: Field, value: Value): Promise<void> {
  const record = await context.records.readValues(id);
  if (agrees(field, value, record[field.name]))
    throw new Failure(
      `readonly ${field.name} was stored as it was sent`,
      `any value but ${show(value)}`,
      show(record[field.name]),
    );
}

function valueUnlike(context: CaseContext, field: Field, value: Value | undefined): Value {
  const other = otherThan(context, field, value);
  if (other !== undefined) return other;
  throw new Skip(`${field.key} has one value only, so that nothing can be told from it`);
}

/** A value for each readonly field that has more than one. */
function valuesUnlike(context: CaseContext, values: RecordValues): RecordValues {
  const fields = context.model.fields.filter(isReadonly);
  const pairs = fields.map((field) => [field.name, otherThan(context, field, values[field.name])]);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
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
