import type { Field, TypeName } from '../../../spec/catalogue/field.ts';
import type { Profile } from '../../../spec/profile/profile.ts';
import { isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import { vectorsOf } from '../../../spec/types/vectors.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { isAccepted } from '../../api/answer.ts';
import { agrees } from '../../assert/agreement.ts';
import { expectValues, needId } from '../../assert/assert.ts';
import { Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type CaseContext, eachField, type Question, type Rule } from '../../plan/rule.ts';
import { asKept } from '../../records/values/values.ts';
import { needCreate } from '../questions/observation.ts';
import { type Trials, tryInTurn } from '../support/batched-fields.ts';
import { createWith } from '../support/invalid-requests.ts';
import { expectUnbroken } from './input.ts';

/** An accepted value comes back as it was sent. All fields are tried in one request first. */
export const keptAdvice: readonly Rule[] = [
  {
    id: 'advice.text-kept',
    title: 'A text with accents, emoji, quotes, line ends and leading zeros comes back as it was sent',
    requirement: 'operation-create',
    level: 'advice',
    needs: ['create', 'retrieve'],
    cases: eachField(isWritableText, async (context, field) => {
      await needCreate(context);
      if (isCleared(await context.ask(unusualTextTrials), field, unusualTexts(context.profile))) return;
      for (const text of unusualTexts(context.profile)) await expectKept(context, field, text);
    }),
  },
  {
    id: 'advice.edge-kept',
    title:
      'A value at the edge of its type, or with a golden form, comes back as it was sent, with its precision',
    requirement: 'field-type',
    level: 'advice',
    needs: ['create', 'retrieve'],
    cases: eachField(hasEdges, async (context, field) => {
      if (context.references.has(field.key)) throw new Skip('a link is no number to try edges with');
      await needCreate(context);
      const edges = edgesOf(field, context.profile);
      if (isCleared(await context.ask(edgeTrials), field, edges)) return;
      for (const edge of edges) await expectKept(context, field, edge);
    }),
  },
];

const ODD_TEXTS = [
  'Ñandú «áéíóú» 日本 😀 👩‍👩‍👧',
  'it\'s "quoted" \\ <b>&amp;</b> %20 + ; --',
  'data\nbase\tline',
  '000123',
  'WITH capitals, And Without',
  `${'long '.repeat(50)}text.`,
  '  with a space around and n\u0303 ',
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
  const longest = profile['limits.text'];
  const golden = goldenValues('string', profile).filter((text) => typeof text === 'string');
  const within = (texts: readonly string[]) =>
    texts.filter((text) => longest === 'none' || text.length <= longest);
  const odd = within(ODD_TEXTS);
  // A golden text that is part of another is sent in it.
  return [...odd, ...within(golden).filter((text) => !odd.some((longer) => longer.includes(text)))];
}

function edgesOf(field: Field, profile: Profile): Value[] {
  const edges = [...WIRE_TYPES[field.type].edges({ field, profile }), ...(MORE_EDGES[field.type] ?? [])];
  const golden = OWN_MEANING.has(field.type) ? [] : goldenValues(field.type, profile);
  const all = [...edges.map((edge) => asKept(field, edge, profile)), ...golden];
  return all.filter((edge, place) => all.findIndex((other) => agrees(field, other, edge)) === place);
}

/** The golden values, whose form on the wire no codec made; none that is empty, which may be as good as no value. */
function goldenValues(type: TypeName, profile: Profile): Value[] {
  const values = vectorsOf(type, profile).pairs.map(([canonical]) => canonical);
  return values.filter((value) => value !== '' && !(Array.isArray(value) && value.length === 0));
}

const unusualTextTrials: Question<Trials> = {
  name: 'odd texts',
  ask(context) {
    const fields = context.model.fields.filter(isWritableText);
    return tryInTurn(context, new Map(fields.map((field) => [field, unusualTexts(context.profile)])));
  },
};

const edgeTrials: Question<Trials> = {
  name: 'edges',
  ask(context) {
    const fields = context.model.fields.filter(
      (field) => hasEdges(field) && !context.references.has(field.key),
    );
    return tryInTurn(context, new Map(fields.map((field) => [field, edgesOf(field, context.profile)])));
  },
};

/** Whether each value was kept, in the record that was made with it. */
function isCleared(trials: Trials, field: Field, values: readonly Value[]): boolean {
  return values.every((value, turn) => {
    const trial = trials[turn];
    return trial !== undefined && agrees(field, value, trial.found[field.name]);
  });
}

/** A service may refuse a value for reasons of its own; an accepted value has to be kept. */
async function expectKept(context: CaseContext, field: Field, value: Value): Promise<void> {
  const { profile } = context;
  const wire = WIRE_TYPES[field.type].encode(value, { field, profile });
  const answer = await createWith(context, { [field.name]: wire });
  expectUnbroken(answer, `${field.name} ${show(value)}`);
  if (!isAccepted(answer)) return;
  const id = needId(context, answer, `a create with ${field.name} ${show(value)}`);
  expectValues(
    context,
    { [field.name]: value },
    await context.records.readValues(id),
    'a retrieve after the create',
  );
}
