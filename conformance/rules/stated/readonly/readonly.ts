import type { Field } from '../../../../spec/catalogue/field.ts';
import { isIdField } from '../../../../spec/catalogue/roles.ts';
import type { Value } from '../../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../../api/answer.ts';
import type { Id } from '../../../api/places.ts';
import { agrees } from '../../../assert/agreement.ts';
import { Failure } from '../../../assert/failure.ts';
import { show } from '../../../assert/wire-check.ts';
import type { CaseContext, ListedRule, Question } from '../../../plan/rule.ts';
import type { MadeRecord } from '../../../records/records-core.ts';
import { needCreate } from '../../questions/observation.ts';
import { type CreateTrial, readTrial, type Trial, tryCreate } from '../../support/batched-fields.ts';
import { eachFieldAndPart } from '../../support/in-lines.ts';
import { updateWith } from '../../support/invalid-requests.ts';
import { expectNeighborKept, expectStaysDeleted, namedNeighbor } from './readonly-harm.ts';
import { createWithPart, refused, updateWithPart } from './readonly-in-lines.ts';
import { given, isReadonly, valuesUnlike, valueUnlike } from './readonly-values.ts';

/**
 * Readonly fields are not writable (section 4, rule 2): ignoring one is as good as refusing it, storing is not. They
 * are sent all at once first; one that this does not clear is sent alone.
 */
export const readonlyRules: readonly ListedRule[] = [
  {
    id: 'readonly.on-create',
    title: 'Create does not store the value of a readonly field',
    requirement: 'field-readonly',
    needs: ['create', 'retrieve'],
    cases: eachFieldAndPart(
      isReadonly,
      async (context, field) => {
        await needCreate(context);
        if (isIdField(field)) await expectNeighborKept(context, 'create');
        if (isCleared((await context.ask(readonlyCreate)).trial, field)) return;
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
    title: 'Update does not store the value of a readonly field',
    requirement: 'field-readonly',
    needs: ['create', 'retrieve', 'update'],
    cases: eachFieldAndPart(
      isReadonly,
      async (context, field) => {
        await needCreate(context);
        if (isIdField(field)) await expectNeighborKept(context, 'update');
        if (field.role === 'deleted') await expectStaysDeleted(context);
        if (isCleared(await context.ask(readonlyUpdate), field)) return;
        const made = await context.records.make();
        const value = valueUnlike(context, field, (await given(context))[field.name]);
        const change = { [field.name]: value };
        // Some services take a readonly field alone, others only beside writable ones.
        for (const values of [change, { ...context.samples.valuesAfter(made.sent), ...change }]) {
          refused(await send(context, made, values), field);
          await expectNotStored(context, made.id, field, value);
        }
      },
      updateWithPart,
    ),
  },
];

export const readonlyCreate: Question<CreateTrial> = {
  name: 'create with readonly fields',
  async ask(context) {
    return tryCreate(context, valuesUnlike(context, await given(context)));
  },
};

/** Sends the readonly fields alone, then beside writable ones, and reads the record after both. */
const readonlyUpdate: Question<Trial | undefined> = {
  name: 'update with readonly fields',
  async ask(context) {
    const { own: made } = await context.ask(namedNeighbor);
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

function send(context: CaseContext, made: MadeRecord, change: RecordValues): Promise<Answer> {
  return updateWith(context, made, context.codec.encodeNamed(context.model.name, change));
}

async function expectNotStored(context: CaseContext, id: Id, field: Field, value: Value): Promise<void> {
  const record = await context.records.readValues(id);
  if (agrees(field, value, record[field.name]))
    throw new Failure(
      `the target stores a sent value of the readonly ${field.name}`,
      `any value but ${show(value)}`,
      show(record[field.name]),
    );
}
