import type { Field } from '../../spec/field.ts';
import type { Profile } from '../../spec/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type Answer, isAccepted, isRefused, pathOf } from '../api.ts';
import type { CaseContext } from '../context.ts';
import { createWith, expectValues, needCreate, statusOf } from '../expect.ts';
import { eachField, Failure, once, type Rule, Skip } from '../rule.ts';
import { agrees, asKept } from '../values.ts';
import { show } from '../wire-check.ts';
import { createWithNulls } from './required.ts';
import { type Trials, tryInTurn } from './together.ts';
import { createWithWrongTypes } from './wrong-types.ts';

/** What a robust service does with odd and hostile input; the source does not speak of it. */
export const inputAdvice: readonly Rule[] = [
  {
    id: 'advice.odd-ids',
    title: 'An id that is no integer, or is out of all bounds, is refused',
    requirement: 'id-in-path',
    level: 'advice',
    needs: ['retrieve'],
    cases: once(async (context) => {
      const { api, model } = context;
      const [seen] = (await context.observe()).records;
      for (const id of [...ODD_IDS, ...nearlyAnId(seen?.record.id ?? 1)]) {
        const answer = await api.retrieve(model.name, id);
        if (!isRefused(answer))
          throw new Failure(`the id ${show(id)} is not refused`, 'a 4xx status', statusOf(answer));
      }
    }),
  },
  {
    id: 'advice.junk-survived',
    title: 'Null, a wrong type, a very long text or nested junk in a field does not break the service',
    requirement: 'field-type',
    level: 'advice',
    needs: ['create'],
    cases: eachField(isWritable, async (context, field) => {
      await needCreate(context);
      for (const [junk, answer] of await sharedJunk(context, field))
        expectUnbroken(answer, `${field.name} ${junk}`);
      for (const junk of [LONG_TEXT, NESTED])
        expectUnbroken(await createWith(context, { [field.name]: junk }), `${field.name} ${show(junk)}`);
    }),
  },
  {
    id: 'advice.body-junk-survived',
    title: 'A body that is empty, cut off or no object does not break the service',
    requirement: 'encoding-not-shown',
    level: 'advice',
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
        context.adopt(answer);
        expectUnbroken(answer, `the body ${show(body)}`);
      }
    }),
  },
  {
    id: 'advice.text-kept',
    title: 'A text with accents, emoji, quotes, line ends and leading zeros comes back as it was sent',
    requirement: 'operation-create',
    level: 'advice',
    needs: ['create', 'retrieve'],
    cases: eachField(isText, async (context, field) => {
      await needCreate(context);
      if (isCleared(await context.ask(tryTexts), field, oddTexts(context.profile))) return;
      for (const text of oddTexts(context.profile)) await expectKept(context, field, text);
    }),
  },
  {
    id: 'advice.edge-kept',
    title: 'A value at the edge of its type comes back as it was sent, with its precision',
    requirement: 'field-type',
    level: 'advice',
    needs: ['create', 'retrieve'],
    cases: eachField(hasEdges, async (context, field) => {
      if (context.references.has(field.key)) throw new Skip('a link is no number to try edges with');
      await needCreate(context);
      const edges = edgesOf(field, context.profile);
      if (isCleared(await context.ask(tryEdges), field, edges)) return;
      for (const edge of edges) await expectKept(context, field, edge);
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
const ODD_TEXTS = [
  'Ñandú «áéíóú» 日本 😀',
  'it\'s "quoted" \\ <b>&amp;</b> %20 + ; --',
  'first line\nsecond\tline',
  '000123',
];

function isWritable(field: Field): boolean {
  return !field.readonly;
}

function isText({ readonly, type }: Field): boolean {
  return !readonly && ['string', 'text', 'markdown'].includes(type);
}

function hasEdges(field: Field): boolean {
  return !field.readonly && !isText(field) && !['select', 'lines', 'manyToMany'].includes(field.type);
}

/** As many of the texts as the profile lets be so long. */
function oddTexts({ 'limits.text': longest }: Profile): string[] {
  return ODD_TEXTS.filter((text) => longest === 'none' || text.length <= longest);
}

function edgesOf(field: Field, profile: Profile): Value[] {
  return WIRE_TYPES[field.type].edges({ field, profile }).map((edge) => asKept(field, edge, profile));
}

function tryTexts(context: CaseContext): Promise<Trials> {
  const fields = context.model.fields.filter(isText);
  return tryInTurn(context, new Map(fields.map((field) => [field, oddTexts(context.profile)])));
}

function tryEdges(context: CaseContext): Promise<Trials> {
  const fields = context.model.fields.filter(
    (field) => hasEdges(field) && !context.references.has(field.key),
  );
  return tryInTurn(context, new Map(fields.map((field) => [field, edgesOf(field, context.profile)])));
}

/** Each value was kept, in the record made with the values in its turn. */
function isCleared(trials: Trials, field: Field, values: readonly Value[]): boolean {
  return values.every((value, turn) => {
    const trial = trials[turn];
    return trial !== undefined && agrees(field, value, trial.found[field.name]);
  });
}

/** The answers to null and to a value of another type, which other rules ask for as well. */
async function sharedJunk(context: CaseContext, field: Field): Promise<[string, Answer][]> {
  const wrong = await context.ask(createWithWrongTypes);
  const [sample = null] = WIRE_TYPES[field.type].counterSamples({ field, profile: context.profile });
  const nulls = await context.ask(createWithNulls);
  return [
    ['of a wrong type', wrong.answers.get(field) ?? (await createWith(context, { [field.name]: sample }))],
    ['null', nulls.answers.get(field) ?? (await answerToNull(context, field))],
  ];
}

/** An optional field goes without a value together with all others, or alone where that is refused. */
async function answerToNull(context: CaseContext, field: Field): Promise<Answer> {
  const all = await context.ask(createWithoutValues);
  return isAccepted(all) ? all : createWith(context, { [field.name]: null });
}

function createWithoutValues(context: CaseContext): Promise<Answer> {
  const optional = context.model.fields.filter((field) => isWritable(field) && !field.required);
  return createWith(context, Object.fromEntries(optional.map(({ name }) => [name, null])));
}

/** Yes and no are both answers; a 5xx is none. */
function expectUnbroken(answer: Answer, what: string): void {
  if (answer.status >= 500)
    throw new Failure(
      `${what} breaks the service`,
      'any status below 500',
      statusOf(answer),
      answer.exchange,
    );
}

/** A value may be refused for reasons of business; once accepted, it is kept as it is. */
async function expectKept(context: CaseContext, field: Field, value: Value): Promise<void> {
  const { profile } = context;
  const wire = WIRE_TYPES[field.type].encode(value, { field, profile });
  const answer = await createWith(context, { [field.name]: wire });
  expectUnbroken(answer, `${field.name} ${show(value)}`);
  const id = isAccepted(answer) ? context.api.recordIn(answer)?.id : undefined;
  if (typeof id !== 'number') return;
  expectValues(context, { [field.name]: value }, await context.readValues(id), 'a retrieve after the create');
}
