import type { Field } from '../../../spec/catalogue/field.ts';
import { isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { pathOf } from '../../api/api.ts';
import { Failure } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { statusOf } from '../../cases/assert.ts';
import { type CaseContext, eachField, type ListedRule, once, type Question } from '../../cases/rule.ts';
import { needCreate, observation } from '../questions/updates.ts';
import { nullCreate, wrongTypeCreate } from '../stated/refusals.ts';
import { oneForEachField } from '../support/invalid-writes.ts';
import { createWith, expectUnbroken } from '../support/writes.ts';

/** How a robust service handles unusual and hostile input. The source does not mention it. */
export const inputAdvice: readonly ListedRule[] = [
  {
    id: 'advice.odd-ids',
    title: 'An ID that is not an integer or is out of range is rejected',
    requirement: 'id-in-path',
    needs: ['retrieve'],
    cases: once(async (context) => {
      const { api, model } = context;
      const [seen] = (await context.ask(observation)).records;
      for (const id of [...ODD_IDS, ...nearlyAnId(seen?.record.id ?? 1)]) {
        const answer = await api.retrieve(model.name, id);
        if (!isRefused(answer))
          throw new Failure(
            `the target does not reject the ID ${show(id)}`,
            'a 4xx status',
            statusOf(answer),
          );
      }
    }),
  },
  {
    id: 'advice.junk-survived',
    title: 'Null, a wrong type, a very long string, or nested data in a field causes no server error',
    requirement: 'field-type',
    needs: ['create'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      for (const [junk, answer] of await sharedJunk(context, field))
        expectUnbroken(answer, `${field.name} ${junk}`);
      const junk = isText(field) && isAccepted(await context.ask(longTexts)) ? [NESTED] : [LONG_TEXT, NESTED];
      for (const value of junk)
        expectUnbroken(await createWith(context, { [field.name]: value }), `${field.name} ${show(value)}`);
    }),
  },
  {
    id: 'advice.body-junk-survived',
    title: 'A body that is empty, truncated, or not an object causes no server error',
    requirement: 'encoding-not-shown',
    needs: ['create'],
    cases: once(async (context) => {
      const { api, model, profile } = context;
      const type =
        profile['request.encoding'] === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
      for (const body of [
        '',
        '{"',
        '[]',
        'null',
        '"text"',
        '[[[[[[[[',
        '{"__proto__":{"id":1}}',
        'a[b][c][d][e][f][g][h]=1',
        '%',
      ]) {
        const answer = await api.send({
          method: 'POST',
          path: pathOf(model.name),
          body,
          headers: { 'content-type': type },
        });
        context.records.adopt(answer);
        expectUnbroken(answer, `the body ${show(body)}`);
      }
    }),
  },
];

const ODD_IDS = ['abc', '-1', 'null', '99999999999999999999', '\u0000'];

/** Not the id of the record, although a loose reader takes it for that. */
function nearlyAnId(id: Value): string[] {
  return [`${id}.5`, `${id}e0`, `0x${Number(id).toString(16)}`, `${id}' OR '1'='1`, `${id};2`, `../${id}`];
}

const LONG_TEXT = 'x'.repeat(20_000);
const NESTED: Value = { a: [{ b: [{ c: [{ d: 'e' }] }] }] };
function isWritable(field: Field): boolean {
  return !field.readonly;
}

/** The answers to null and to a value of another type; other rules share them. */
async function sharedJunk(context: CaseContext, field: Field): Promise<[string, Answer][]> {
  const wrong = await context.ask(oneForEachField(wrongTypeCreate));
  const [sample = null] = WIRE_TYPES[field.type].counterSamples({ field, profile: context.profile });
  const nulls = await context.ask(oneForEachField(nullCreate));
  return [
    ['of a wrong type', wrong.answers.get(field) ?? (await createWith(context, { [field.name]: sample }))],
    ['null', nulls.answers.get(field) ?? (await answerToNull(context, field))],
  ];
}

/** Leaves out all optional fields at once, or one field if that is refused. */
async function answerToNull(context: CaseContext, field: Field): Promise<Answer> {
  const all = await context.ask(emptyCreate);
  return isAccepted(all) ? all : createWith(context, { [field.name]: null });
}

/** Sends a very long text in all text fields at once, or in one field if that is refused. */
const longTexts: Question<Answer> = {
  name: 'create with long texts',
  ask(context) {
    const texts = context.model.fields.filter((field) => isWritable(field) && isText(field));
    return createWith(context, Object.fromEntries(texts.map(({ name }) => [name, LONG_TEXT])));
  },
};

const emptyCreate: Question<Answer> = {
  name: 'create without values',
  ask(context) {
    const optional = context.model.fields.filter((field) => isWritable(field) && !field.required);
    return createWith(context, Object.fromEntries(optional.map(({ name }) => [name, null])));
  },
};
