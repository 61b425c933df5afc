import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { choicesOf } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { Failure } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { expectAccepted, expectValues, needId, needIds, statusOf } from '../../cases/assert.ts';
import { needSettings, otherOption } from '../../cases/remedy.ts';
import type { Assumption, Case, ListedRule } from '../../cases/rule.ts';
import { needCreate } from '../questions/updates.ts';

/** The value lists of sections 2 and 3, and those the profile adds. */
export const valueRules: readonly ListedRule[] = [
  {
    id: 'values.accepted',
    title: 'Each value of a list is accepted and returned',
    requirement: 'value-list',
    triesRefused: true,
    needs: ['create', 'retrieve'],
    cases: (model, plan) => listFields(model, 'stated').flatMap((field) => acceptedCases(field, plan)),
  },
];

/** The same of the lists that the profile gives. */
export const profileValueRules: readonly Assumption[] = [
  {
    id: 'profile.values-accepted',
    title: 'Each value of a list in the profile is accepted and returned',
    requirement: 'value-list-not-shown',
    setting: 'values',
    needs: ['create', 'retrieve'],
    cases: (model, plan) => listFields(model, 'assumed', plan).flatMap((field) => acceptedCases(field, plan)),
  },
];

/** The writable fields with a list: one that the source states, or one that the profile gives. */
function listFields(model: Model, level: 'stated' | 'assumed', plan?: Contract): Field[] {
  return model.fields.filter((field) => {
    if (field.readonly || field.type !== 'select') return false;
    if (level === 'stated') return field.choices !== undefined;
    return (
      field.choices === undefined &&
      plan !== undefined &&
      choicesOf({ field, profile: plan.profile }) !== undefined
    );
  });
}

function acceptedCases(field: Field, { profile }: Contract): Case[] {
  const values = (choicesOf({ field, profile }) ?? []).map(({ value }) => value);
  const others = (value: Value) => values.filter((other) => other !== value);
  return values.map((value) => ({
    field,
    detail: String(value),
    values: [value],
    run: async (context) => {
      const create = (member: Value, base: RecordValues = context.samples.values('required')) =>
        context.records.create({ ...base, [field.name]: member });
      const base = context.samples.values('required');
      const answer = await create(value, base);
      const what = `${field.name} ${show(value)}`;
      if (!isAccepted(answer)) {
        const twin = await findAccepted(others(value), (member) => create(member, base));
        // Again with other values in the other fields, so that only this value can be the reason of a refusal.
        if (twin !== undefined && !isAccepted(await create(value)))
          throw new Failure(
            `the target does not accept ${what}, but accepts the same create with ${show(twin)}`,
            'a 2xx status',
            statusOf(answer),
            answer.exchange,
          );
        await needCreate(context);
        await needSettings(context, answer, what, otherOption);
      }
      needIds(context, answer);
      expectAccepted(answer, what);
      const id = needId(context, answer, `a create with ${what}`);
      expectValues(
        context,
        { [field.name]: value },
        await context.records.readValues(id),
        'a retrieve after the create',
      );
    },
  }));
}

async function findAccepted(
  values: readonly Value[],
  create: (value: Value) => Promise<Answer>,
): Promise<Value | undefined> {
  for (const value of values) if (isAccepted(await create(value))) return value;
  return undefined;
}
