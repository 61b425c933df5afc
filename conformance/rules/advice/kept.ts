import type { Field, TypeName } from '../../../spec/catalogue/field.ts';
import type { Profile } from '../../../spec/profile/profile.ts';
import { isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import { vectorsOf } from '../../../spec/types/vectors.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { isAccepted } from '../../api/answer.ts';
import { agrees } from '../../assert/agreement.ts';
import { Blocked, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { expectValues, needId, statusOf } from '../../cases/assert.ts';
import { type CaseContext, eachField, type ListedRule, type Question } from '../../cases/rule.ts';
import { asKept } from '../../records/values/values.ts';
import { needCreate } from '../questions/updates.ts';
import { readTrial, type Trial, type Trials, tryInTurn } from '../support/in-lines.ts';
import { expectUnbroken } from '../support/writes.ts';

/** An accepted value comes back as it was sent. All fields are tried in one request first. */
export const keptAdvice: readonly ListedRule[] = [
  {
    id: 'advice.text-kept',
    title: 'A string with accents, emoji, quotes, line breaks, or leading zeros is returned unchanged',
    requirement: 'operation-create',
    needs: ['create', 'retrieve'],
    cases: eachField(isWritableText, async (context, field) => {
      await expectAllKept(context, field, textTrials);
      const updated = await context.ask(textUpdate);
      const value = updated?.tried[field.name];
      if (updated && value !== undefined)
        expectValues(context, { [field.name]: value }, updated.found, 'a retrieve after an update');
    }),
  },
  {
    id: 'advice.edge-kept',
    title: 'A boundary value or golden value of a type is returned unchanged, with full precision',
    requirement: 'field-type',
    needs: ['create', 'retrieve'],
    cases: eachField(hasEdges, async (context, field) => {
      if (context.references.has(field.key)) throw new Skip('a link has no limits to try');
      await expectAllKept(context, field, edgeTrials);
    }),
  },
];

const SPACED = '  with a space around and n\u0303 ';
const ODD_TEXTS = [
  'Ñandú «áéíóú» 日本 😀 👩‍👩‍👧',
  'it\'s "quoted" \\ <b>&amp;</b> %20 + ; --',
  'data\nbase\tline',
  '000123',
  // What is no truth to PHP and Perl.
  '0',
  'WITH capitals, And Without',
  `${'long '.repeat(50)}text.`,
  SPACED,
];

/** Beyond those of the type: a sign, more decimals than money has, and more than 32 bits. */
const MORE_EDGES: Partial<Record<TypeName, readonly Value[]>> = {
  int: [-7, 3_000_000_017],
  float: [-3.5, 1.2345],
  currency: [-2.5, 1.2345],
  percent: [12.3456],
};

/** The golden values of these link to records, or may be written in many ways (2.12). */
const OWN_MEANING: ReadonlySet<TypeName> = new Set(['fkModel', 'duration']);

function isWritableText(field: Field): boolean {
  return !field.readonly && isText(field);
}

function hasEdges(field: Field): boolean {
  return !field.readonly && !isText(field) && !['select', 'lines', 'manyToMany'].includes(field.type);
}

/** The texts that are not longer than the profile allows. */
function unusualTexts(profile: Profile): string[] {
  const golden = goldenValues('string', profile).filter((text) => typeof text === 'string');
  const odd = within(ODD_TEXTS, profile);
  // A golden text that is part of another is sent in it.
  return [...odd, ...within(golden, profile).filter((text) => !odd.some((longer) => longer.includes(text)))];
}

function within(texts: readonly string[], { 'limits.text': longest }: Profile): string[] {
  return texts.filter((text) => longest === 'none' || text.length <= longest);
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
  return values.filter((value) => value !== '' && !(Array.isArray(value) && value.length === 0));
}

/** The values that are tried of a field; none of one that is no text and has no edges. */
function valuesOf({ profile, references }: CaseContext, field: Field): readonly Value[] {
  if (isWritableText(field)) return unusualTexts(profile);
  return hasEdges(field) && !references.has(field.key) ? edgesOf(field, profile) : [];
}

const trialsOf = (name: string, isAsked: (field: Field) => boolean): Question<Trials> => ({
  name,
  ask: (context) =>
    tryInTurn(
      context,
      new Map(context.model.fields.filter(isAsked).map((field) => [field, valuesOf(context, field)])),
    ),
});

/** Of all fields in one request, as a rule each is taken; where not, of those of one kind. */
const allTrials = trialsOf('odd texts and edges', () => true);
const textTrials = trialsOf('odd texts', isWritableText);
const edgeTrials = trialsOf('edges', hasEdges);

/** All odd letters and signs in one text; a shorter one, which more services accept, shows what trims and normalizes. */
const UPDATED_TEXTS = [[...ODD_TEXTS.slice(0, 3), SPACED].join(' '), ' n\u0303 '];

/** An update of all texts of a record to the first of these that the service accepts, and a retrieve after it. */
const textUpdate: Question<Trial | undefined> = {
  name: 'update to odd texts',
  async ask(context) {
    const { model, profile, records, samples } = context;
    const texts = model.fields.filter(isWritableText);
    if (texts.length === 0 || !model.operations.includes('update')) return undefined;
    const made = await records.make(samples.values('all'));
    for (const text of within(UPDATED_TEXTS, profile)) {
      const tried = Object.fromEntries(texts.map(({ name }) => [name, text]));
      const answer = await records.update(made.id, tried, made.sent);
      const trial = await readTrial(context, answer, made.id, tried);
      if (trial) return trial;
    }
    return undefined;
  },
};

async function expectAllKept(context: CaseContext, field: Field, own: Question<Trials>): Promise<void> {
  await needCreate(context);
  const values = valuesOf(context, field);
  // What none of the two cleared is tried alone.
  for (const trials of [allTrials, own])
    if (isCleared(context, await context.ask(trials), field, values)) return;
  for (const value of values) await expectKept(context, field, value);
}

/** Whether each value was kept, in the record that was made with it. */
function isCleared(
  { profile }: CaseContext,
  trials: Trials,
  field: Field,
  values: readonly Value[],
): boolean {
  return values.every((value, turn) => {
    const trial = trials[turn];
    return trial !== undefined && agrees(field, asKept(field, value, profile), trial.found[field.name]);
  });
}

/** A service may refuse a value for reasons of its own; an accepted value has to be kept. */
async function expectKept(context: CaseContext, field: Field, value: Value): Promise<void> {
  const { profile, records, samples } = context;
  const wire = WIRE_TYPES[field.type].encode(value, { field, profile });
  const base = samples.values('required');
  const answer = await records.create(base, { more: { [field.name]: wire } });
  const what = `${field.name} ${show(value)}`;
  if (isBeyond32Bits(value)) expectUnbroken(answer, what);
  // Any other value is a valid one: if that is what breaks the service, and does so again, the create is broken.
  if (answer.status >= 500) {
    const twin = await records.create(base);
    const broken = isAccepted(twin) ? answer : twin;
    throw new Blocked(`the target crashes on ${what}: ${statusOf(broken)}`, broken.exchange);
  }
  if (!isAccepted(answer)) return;
  const id = needId(context, answer, `a create with ${what}`);
  expectValues(
    context,
    { [field.name]: asKept(field, value, profile) },
    await context.records.readValues(id),
    'a retrieve after the create',
  );
}

function isBeyond32Bits(value: Value): boolean {
  return typeof value === 'number' && Math.abs(value) > 2 ** 31 - 1;
}
