import type { Field } from '../../spec/field.ts';
import type { RecordValues } from '../../spec/record-codec.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type Answer, isAccepted } from '../api.ts';
import type { CaseContext, MadeRecord } from '../context.ts';
import { expectRecord, expectRefused, needCreate } from '../expect.ts';
import { updateWith } from '../odd-requests.ts';
import { eachField, Failure, type Rule, Skip } from '../rule.ts';
import { agrees, asKept } from '../values.ts';
import { show } from '../wire-check.ts';
import { expectNeighbourKept, expectStaysDeleted, isCommon } from './readonly-harm.ts';
import { readTrial, type Trial, tryCreate } from './together.ts';

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
    cases: eachField(isReadonly, async (context, field) => {
      await needCreate(context);
      if (isCommon(field, 'id')) await expectNeighbourKept(context, 'create');
      if (isCleared(await context.ask(createWithAll), field)) return;
      const { api, codec, model } = context;
      const value = valueUnlike(context, field, (await given(context))[field.name]);
      const sent = { ...context.values('required'), [field.name]: value };
      const answer = await api.create(model.name, codec.encodeNamed(model.name, sent));
      const id = context.adopt(answer);
      if (!refused(answer, field) && id !== undefined) await expectNotStored(context, id, field, value);
    }),
  },
  {
    id: 'readonly.on-update',
    title: 'A readonly field that is sent with an update is not stored',
    requirement: 'field-readonly',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(isReadonly, async (context, field) => {
      await needCreate(context);
      if (isCommon(field, 'id')) await expectNeighbourKept(context, 'update');
      if (isCommon(field, 'deleted')) await expectStaysDeleted(context);
      if (isCleared(await context.ask(updateWithAll), field)) return;
      const made = await context.make();
      const value = valueUnlike(context, field, (await given(context))[field.name]);
      const change = { [field.name]: value };
      // Some take a readonly field alone, others beside what may be written.
      for (const values of [change, { ...context.valuesAfter(made.sent), ...change }]) {
        refused(await send(context, made, values), field);
        await expectNotStored(context, made.id, field, value);
      }
    }),
  },
];

function isReadonly(field: Field): boolean {
  return field.readonly;
}

async function createWithAll(context: CaseContext): Promise<Trial | undefined> {
  return tryCreate(context, valuesUnlike(context, await given(context)));
}

/** Alone first, then beside what may be written: what either stores is there afterwards. */
async function updateWithAll(context: CaseContext): Promise<Trial | undefined> {
  const made = await context.make();
  const tried = valuesUnlike(context, await given(context));
  const alone = await send(context, made, tried);
  if (!isAccepted(alone)) return undefined;
  const beside = await send(context, made, { ...context.valuesAfter(made.sent), ...tried });
  return readTrial(context, beside, made.id, tried);
}

function isCleared(trial: Trial | undefined, field: Field): boolean {
  const tried = trial?.tried[field.name];
  return tried !== undefined && !agrees(field, tried, trial?.found[field.name]);
}

/** What the service gives the fields when nobody sends them: only other values can show that they were stored. */
async function given(context: CaseContext): Promise<RecordValues> {
  const { retrieved } = await context.minimal();
  return context.check.read(context.model, expectRecord(context, retrieved, 'a retrieve'));
}

function send(context: CaseContext, made: MadeRecord, change: RecordValues): Promise<Answer> {
  return updateWith(context, made, context.codec.encodeNamed(context.model.name, change));
}

function refused(answer: Answer, field: Field): boolean {
  if (isAccepted(answer)) return false;
  expectRefused(answer, `a request with readonly ${field.name}`);
  return true;
}

async function expectNotStored(context: CaseContext, id: number, field: Field, value: Value): Promise<void> {
  const record = await context.readValues(id);
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
    const sample = WIRE_TYPES[field.type].sample(900_000_000 + context.number() * 10 + tries, {
      field,
      profile,
    });
    const value = asKept(field, sample, profile);
    if (!agrees(field, value, given)) return value;
  }
  return undefined;
}
