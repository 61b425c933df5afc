import { withArticle } from '../../../spec/article.ts';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import { expectRefused } from '../../assert/assert.ts';
import { type CaseContext, type ListedRule, once } from '../../plan/rule.ts';
import { UNKNOWN_ID } from '../../records/ids.ts';
import type { MadeRecord } from '../../records/records-core.ts';
import { one, onShared, plainList, unusedId } from '../questions/shared.ts';
import { expectNoNewRecord, expectUnchanged } from '../support/kept-values.ts';

/** Models and records that do not exist do not answer (section 4, rules 1 and 3). */
export const absentRecordRules: readonly ListedRule[] = [
  {
    id: 'absent.model',
    title: 'A request with a misspelled model name is rejected',
    requirement: 'model-names',
    needs: [],
    cases: (model, { catalogue }) =>
      misspellings(model, [...catalogue.models.keys()]).map((name) => ({
        detail: name,
        run: async (context) => expectNothing(context, await context.api.list(name), `a list of ${name}`),
      })),
  },
  ...(['retrieve', 'update', 'delete'] as const).map(
    (operation): ListedRule => ({
      id: `absent.record-${operation}`,
      title: `${operation === 'update' ? 'An' : 'A'} ${operation} with an unknown ID is rejected${operation === 'delete' ? ', or does nothing' : ''}`,
      requirement: 'id-in-path',
      provenByAnswer: true,
      needs: [operation],
      cases: once(
        (context) => {
          // Another record shows whether the delete removed one.
          return operation === 'delete' && context.model.operations.includes('create')
            ? onShared(context, one, (made) => expectNoRecord(context, operation, made))
            : expectNoRecord(context, operation);
        },
        { operation },
      ),
    }),
  ),
];

async function expectNoRecord(
  context: CaseContext,
  operation: 'retrieve' | 'update' | 'delete',
  witness?: MadeRecord,
): Promise<void> {
  const { api, codec, model } = context;
  const what = `${withArticle(operation)} of an unknown record`;
  const values = operation === 'update' ? context.samples.values('all') : {};
  const before = witness && (await context.records.readValues(witness.id));
  const id = operation === 'retrieve' ? UNKNOWN_ID : await context.ask(unusedId);
  const send = () =>
    operation === 'update'
      ? api.update(model.name, id, codec.encodeNamed(model.name, values))
      : api[operation](model.name, id);
  const answer = await send();
  // What is not there is gone already: many services say yes to that, and section 7 shows no error.
  const isGone = operation === 'delete' && isAccepted(answer) && api.recordIn(answer)?.id === undefined;
  if (!isGone) await expectNothing(context, answer, what);
  await expectNoNewRecord(context, [values], what, send);
  if (witness && before) await expectUnchanged(context, witness.id, before, `a record after ${what}`);
}

/** Expects a refusal. If the list is answered, a 403 is one, since the credentials are accepted. */
export async function expectNothing(context: CaseContext, answer: Answer, what: string): Promise<void> {
  const { operations } = context.model;
  if (answer.status === 403 && operations.includes('list') && isAccepted(await context.ask(plainList)))
    return;
  expectRefused(answer, what);
}

/**
 * Near a model's name, and no model: a letter doubled, a letter lost, capitals, a plural, and where two letters are
 * alike, the next ones so instead (`ommitedSale` is spelled exactly so, section 2.3).
 */
function misspellings(model: Model, names: readonly string[]): string[] {
  const { name } = model;
  const near = [
    `${name}${name.at(-1)}`,
    name.slice(0, -1),
    name.toUpperCase(),
    `${name}s`,
    name.replace(/(.)\1([aeiou])([^aeiou])/, '$1$2$3$3'),
  ];
  return [...new Set(near)].filter((one) => one !== '' && one !== name && !names.includes(one));
}
