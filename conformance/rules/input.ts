import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import { vectorsOf } from '../../spec/types/vectors.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type ApiResponse, isAccepted } from '../api/answer.ts';
import { pathOf } from '../api/api.ts';
import { agrees, isNone, show } from '../assert/agreement.ts';
import { blocked, failure, skip } from '../assert/ending.ts';
import { expectValues, statusOf } from '../cases/assert.ts';
import { type CaseContext, eachField, type ListedRule, row, type SharedRequests } from '../cases/rule.ts';
import { asKept, isWritable, writableFields } from '../records/values/values.ts';
import { nullCreate, oneForEachField, wrongTypeCreate } from './refusals.ts';
import { createWith, expectUnbroken, observation, readTrial, type SentTrial, tryCreate } from './shared.ts';

/** How a robust service handles unusual and hostile input. The source does not mention it. */
export const inputAdvice: readonly ListedRule[] = [
  {
    id: 'advice.odd-ids',
    title: 'An ID that is not an integer or is out of range is rejected',
    requirement: 'id-in-path',
    needs: ['retrieve'],
    async judge(context) {
      const { api, model } = context;
      const [seen] = (await context.ask(observation)).records;
      for (const id of [...ODD_IDS, ...nearlyAnId(seen?.record.id ?? 1)]) {
        const answer = await api.retrieve(model.name, id);
        // Some servers redirect to the path without dots.
        if (isAccepted(answer) || answer.status >= 500)
          throw failure(`the target does not reject the ID ${show(id)}`, 'a 4xx status', statusOf(answer));
      }
    },
  },
  row({
    id: 'advice.junk-survived',
    title: 'Null, a wrong type, a very long string, or nested data in a field causes no server error',
    requirement: 'field-type',
    needs: ['create'],
    cases: eachField(isWritable),
    async judge(context, { field }) {
      for (const [junk, answer] of await sharedJunk(context, field))
        expectUnbroken(answer, `${field.name} ${junk}`);
      const junk = isText(field) && isAccepted(await context.ask(longTexts)) ? [NESTED] : [LONG_TEXT, NESTED];
      for (const value of junk)
        expectUnbroken(await createWith(context, { [field.name]: value }), `${field.name} ${show(value)}`);
    },
  }),
  {
    id: 'advice.body-junk-survived',
    title: 'A body that is empty, truncated, or not an object causes no server error',
    requirement: 'encoding-not-shown',
    needs: ['create'],
    triesRefused: true,
    async judge(context) {
      const { api, model, profile } = context;
      const isJson = profile['request.encoding'] === 'json';
      const type = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
      const headers = { 'content-type': type };
      for (const body of isJson ? JUNK_JSON : JUNK_FORMS) {
        const answer = await api.send({ method: 'POST', path: pathOf(model.name), body, headers });
        context.records.adopt(answer);
        expectUnbroken(answer, `the body ${show(body)}`);
      }
    },
  },
];

const JUNK_JSON = ['', '{"', '[]', 'null', '"text"', '{"__proto__":{"id":1}}'];
const JUNK_FORMS = ['', '{"', '[]', 'a[b][c][d][e][f][g][h]=1', '%'];
const ODD_IDS = ['abc', '-1', 'null', '99999999999999999999', '\u0000'];

/** Not the id of the record, although a loose reader takes it for that. */
function nearlyAnId(id: Value): string[] {
  return [`${id}.5`, `${id}e0`, `0x${Number(id).toString(16)}`, `${id}' OR '1'='1`, `${id};2`, `../${id}`];
}

const LONG_TEXT = 'x'.repeat(20_000);
const NESTED: Value = { a: [{ b: [{ c: [{ d: 'e' }] }] }] };

/** The answers to null and to a value of another type; other rules share them. */
async function sharedJunk(context: CaseContext, field: Field): Promise<[string, ApiResponse][]> {
  const wrong = await context.ask(oneForEachField(wrongTypeCreate));
  const [sample = null] = WIRE_TYPES[field.type].counterSamples({ field, profile: context.profile });
  const nulls = await context.ask(oneForEachField(nullCreate));
  const toNull = async () => {
    const all = await context.ask(emptyCreate);
    return isAccepted(all) ? all : createWith(context, { [field.name]: null });
  };
  return [
    ['of a wrong type', wrong.answers.get(field) ?? (await createWith(context, { [field.name]: sample }))],
    ['null', nulls.answers.get(field) ?? (await toNull())],
  ];
}

/** Sends a very long text in all text fields at once, or in one field if that is refused. */
const longTexts = createWithAll('create with long texts', LONG_TEXT, isText);
const emptyCreate = createWithAll('create without values', null, ({ required }) => !required);

/** Creates a record with one value in all writable fields of a kind. */
function createWithAll(
  name: string,
  value: Value,
  isSuch: (field: Field) => boolean,
): SharedRequests<ApiResponse> {
  return {
    name,
    ask(context) {
      const fields = writableFields(context.model).filter(isSuch);
      return createWith(context, Object.fromEntries(fields.map((field) => [field.name, value])));
    },
  };
}

/** An accepted value comes back as it was sent. All fields are tried in one request first. */
export const keptAdvice: readonly ListedRule[] = [
  row({
    id: 'advice.text-kept',
    title: 'A string with accents, emoji, quotes, line breaks, or leading zeros is returned unchanged',
    requirement: 'operation-create',
    needs: ['create', 'retrieve'],
    cases: eachField(isWritableText),
    async judge(context, { field }) {
      const refused = await expectAllKept(context, field);
      const updated = await context.ask(textUpdate);
      const value = updated?.tried[field.name];
      if (updated && value !== undefined)
        expectValues(context, { [field.name]: value }, updated.found, 'a retrieve after an update');
      if (refused !== undefined) throw skip(`the target rejects ${field.name} ${show(refused)}`);
    },
  }),
  row({
    id: 'advice.edge-kept',
    title: 'A boundary value or golden value of a type is returned unchanged, with full precision',
    requirement: 'field-type',
    needs: ['create', 'retrieve'],
    cases: eachField(hasEdges),
    async judge(context, { field }) {
      if (context.references.has(field.key)) throw skip('a link has no limits to try');
      const refused = await expectAllKept(context, field);
      if (refused !== undefined) throw skip(`the target rejects ${field.name} ${show(refused)}`);
    },
  }),
];

const SPACED = '  with a space around and n\u0303 ';
const ODD_TEXTS = [
  'Ñandú «áéíóú» m² 日本 😀 👩‍👩‍👧',
  'it\'s "quoted" \\ <b>&amp;</b> %20 + ; -- *_#~^`|{}[]()=?!@/:$',
  'data\nbase\tline  end',
  '000123',
  // PHP and Perl read this string as false.
  '0',
  'WITH capitals, And Without',
  `${'long '.repeat(60)}text.`,
  SPACED,
];

/** Beyond those of the type: a sign, more decimals than money has, more than 32 bits, and more than 100 %. */
const MORE_EDGES: Partial<Record<TypeName, readonly Value[]>> = {
  int: [-7, 3_000_000_017],
  float: [-3.5, 1.23456789],
  currency: [-2.5, 1.2345],
  percent: [12.3456, 250],
};

/** The golden values of these link to records, or may be written in many ways (2.12). */
const OWN_MEANING: ReadonlySet<TypeName> = new Set(['fkModel', 'duration']);

function isWritableText(field: Field): boolean {
  return !field.readonly && isText(field);
}

function hasEdges(field: Field): boolean {
  return !field.readonly && !isText(field) && !['select', 'lines', 'manyToMany'].includes(field.type);
}

/** The texts that are not longer than the profile allows in a field. */
function unusualTexts(field: Field, profile: Profile): string[] {
  const golden = goldenValues('string', profile).filter((text) => typeof text === 'string');
  const [odd = [], other = []] = [ODD_TEXTS, golden].map((texts) =>
    texts.filter((text) => isWithin(text, field, profile)),
  );
  // A golden text that is part of another is sent in it.
  return [...odd, ...other.filter((text) => !odd.some((longer) => longer.includes(text)))];
}

function isWithin(text: string, { key }: Field, profile: Profile): boolean {
  const { 'limits.text': longest } = profileAt(profile, key);
  return longest === 'none' || text.length <= longest;
}

function edgesOf(field: Field, profile: Profile): Value[] {
  const edges = [...WIRE_TYPES[field.type].edges({ field, profile }), ...(MORE_EDGES[field.type] ?? [])];
  const golden = OWN_MEANING.has(field.type) ? [] : goldenValues(field.type, profile);
  const all = [
    ...edges.map((edge) => asKept(field, edge, profile)),
    ...golden,
    ...zonedPoints(field, profile),
  ];
  return all.filter((edge, place) => all.findIndex((other) => agrees(field, other, edge)) === place);
}

/** A golden point in time as it is written in another time zone: encoded, it stays as it is. */
function zonedPoints({ type }: Field, profile: Profile): Value[] {
  if (type !== 'datetime' || profile['types.datetime'] !== 'iso') return [];
  const texts = (vectorsOf(type, profile).reads ?? []).map(([wire]) => wire);
  return texts.filter((wire) => /[+-]\d{2}:00$/.test(String(wire)));
}

/** The golden values, whose form on the wire no codec made; none that is empty, which may be as good as no value. */
function goldenValues(type: TypeName, profile: Profile): Value[] {
  const values = vectorsOf(type, profile).pairs.map(([canonical]) => canonical);
  return values.filter((value) => !isNone(value));
}

/** The values that are tried of a field; none of one that is no text and has no edges. */
function valuesOf({ profile, references }: CaseContext, field: Field): readonly Value[] {
  if (isWritableText(field)) return unusualTexts(field, profile);
  return hasEdges(field) && !references.has(field.key) ? edgesOf(field, profile) : [];
}

/** Creates with odd values in all fields at once. Has one trial for each round; undefined where it was refused. */
const trials: SharedRequests<readonly (SentTrial | undefined)[]> = {
  name: 'odd texts and edges',
  async ask(context) {
    const valuesIn = context.model.fields.map((field) => ({ field, values: valuesOf(context, field) }));
    const trials: (SentTrial | undefined)[] = [];
    // With the first value of each field, with the second one, and so on.
    const rounds = Math.max(0, ...valuesIn.map(({ values }) => values.length));
    for (let round = 0; round < rounds; round++) {
      const tried = valuesIn.filter(({ values }) => round < values.length);
      const record = Object.fromEntries(
        tried.map(({ field, values }) => [field.name, values[round] ?? null]),
      );
      trials.push(await readTrial(context, await tryCreate(context, record)));
    }
    return trials;
  },
};

/** All odd letters and signs in one text; a shorter one, which more services accept, shows what trims and normalizes. */
const UPDATED_TEXTS = [[...ODD_TEXTS.slice(0, 3), SPACED].join(' '), ' n\u0303 '];

/** An update of all texts of a record to the first of these that the service accepts, and a retrieve after it. */
const textUpdate: SharedRequests<SentTrial | undefined> = {
  name: 'update to odd texts',
  async ask(context) {
    const { model, profile, records, samples } = context;
    const texts = model.fields.filter(isWritableText);
    if (texts.length === 0 || !model.operations.includes('update')) return undefined;
    const made = await records.make(samples.values('all'));
    for (const text of UPDATED_TEXTS) {
      const some = texts.filter((field) => isWithin(text, field, profile));
      const tried = Object.fromEntries(some.map(({ name }) => [name, text]));
      if (some.length === 0) continue;
      const answer = await records.update(made.id, tried, made.sent);
      const trial = await readTrial(context, { answer, id: made.id, tried });
      if (trial) return trial;
    }
    return undefined;
  },
};

/** A service may refuse a value for any reason, but has to keep an accepted one. Returns the first refused one. */
async function expectAllKept(context: CaseContext, field: Field): Promise<Value | undefined> {
  const rounds = await context.ask(trials);
  let refused: Value | undefined;
  for (const [round, value] of valuesOf(context, field).entries()) {
    const kept = asKept(field, value, context.profile);
    const together = rounds[round];
    if (together && agrees(field, kept, together.found[field.name])) continue;
    const trial = await tryAlone(context, field, value);
    if (trial) expectValues(context, { [field.name]: kept }, trial.found, 'a retrieve after the create');
    else refused ??= value;
  }
  return refused;
}

/** Creates a record with one value on trial. */
async function tryAlone(context: CaseContext, field: Field, value: Value): Promise<SentTrial | undefined> {
  const created = await tryCreate(context, { [field.name]: value });
  const { answer } = created;
  const what = `${field.name} ${show(value)}`;
  if (typeof value === 'number' && Math.abs(value) > 2 ** 31 - 1) expectUnbroken(answer, what);
  // Any other value is a valid one: if that is what breaks the service, and does so again, the create is broken.
  if (answer.status >= 500) {
    const twin = await context.records.create(context.samples.values('required'));
    const broken = isAccepted(twin) ? answer : twin;
    throw blocked(`the target crashes on ${what}: ${statusOf(broken)}`, broken.exchange);
  }
  return readTrial(context, created);
}
