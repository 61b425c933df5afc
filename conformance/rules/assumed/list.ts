import { filterFields } from '../../../spec/binding.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { WIRE_TYPES } from '../../../spec/types/types.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { totalOf } from '../../api/listing.ts';
import { agrees } from '../../assert/agreement.ts';
import { expectRecords } from '../../assert/assert.ts';
import { Failure, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type CaseContext, once, type Rule } from '../../plan/rule.ts';
import { minimal, onShared, plainList, type Three, three, whole } from '../questions/shared.ts';
import {
  expectNoFilter,
  expectNoOperators,
  expectNoPages,
  expectNoSecondSort,
  expectNoSort,
} from '../support/no-query.ts';

/** Paging, sorting and filtering under the profile (section 4, rule 4). */
export const profileListRules: readonly Rule[] = [
  {
    id: 'profile.list.paging',
    title: 'Two pages of one record show two records, one on each',
    requirement: 'query-not-shown',
    level: 'assumed',
    setting: 'list.paging',
    needs: ['create', 'list'],
    cases: (_, { profile }) =>
      profile['list.paging'] === 'none'
        ? once(expectNoPages)()
        : once((context) => onShared(context, three, () => expectTwoPages(context)))(),
  },
  {
    id: 'profile.list.defaultSize',
    title: 'A list shows as many records as the profile says when no number is asked for',
    requirement: 'limits-not-shown',
    level: 'assumed',
    setting: 'list.defaultSize',
    needs: ['list'],
    cases: (_, { profile }) =>
      profile['list.paging'] === 'none'
        ? []
        : once(async (context) => expectSize(context, 'list.defaultSize', await context.ask(plainList)))(),
  },
  {
    id: 'profile.list.maxSize',
    title: 'A list shows no more records than the profile says',
    requirement: 'limits-not-shown',
    level: 'assumed',
    setting: 'list.maxSize',
    needs: ['list'],
    cases: (_, { profile }) =>
      profile['list.paging'] === 'none'
        ? []
        : once(async (context) => {
            const query = { [profile['list.sizeParameter']]: String(profile['list.maxSize'] + 1) };
            const answer = await context.api.list(context.model.name, query);
            // A service may refuse a page that is too large.
            if (isRefused(answer) && isAccepted(await context.ask(plainList))) return;
            await expectSize(context, 'list.maxSize', answer);
          })(),
  },
  {
    id: 'profile.list.sort',
    title: 'A list sorted by a field is in its order, and in the other one with a minus',
    requirement: 'query-not-shown',
    level: 'assumed',
    setting: 'list.sort',
    needs: ['create', 'list'],
    cases: (_, { profile }) =>
      profile['list.sort'] === 'none'
        ? once(expectNoSort)()
        : once((context) => onShared(context, three, () => expectSorted(context)))(),
  },
  {
    id: 'profile.list.filterOperators',
    title:
      'A field with an operator in brackets keeps the records it holds for, or filters nothing, as the profile says',
    requirement: 'query-not-shown',
    level: 'assumed',
    setting: 'list.filterOperators',
    needs: ['create', 'list'],
    cases: (_, { profile }) =>
      profile['list.filter'] === 'none'
        ? []
        : profile['list.filterOperators'] === 'none'
          ? once(expectNoOperators)()
          : once((context) => onShared(context, three, (found) => expectOperators(context, found)))(),
  },
  {
    id: 'profile.list.filter',
    title: 'A list filtered by the value of a field shows the records with it, and no other',
    requirement: 'query-not-shown',
    level: 'assumed',
    setting: 'list.filter',
    needs: ['create', 'retrieve', 'list'],
    cases: (model, { profile }) =>
      profile['list.filter'] === 'none'
        ? once(expectNoFilter)()
        : filterFields(model, profile)
            .filter((field) => isId(field) || (!field.readonly && FILTERABLE.has(field.type)))
            .map((field) => ({
              field,
              run: async (context) => {
                const shown = await context.ask(whole);
                await context.ask(minimal);
                const value = context.check.read(model, shown)[field.name];
                if (value === undefined || value === null)
                  throw new Skip(`${field.key} has no value to filter by`);
                const wire = WIRE_TYPES[field.type].encode(value, { field, profile });
                const records = expectRecords(
                  context,
                  await context.api.list(model.name, { [field.name]: String(wire) }),
                );
                const others = records.filter(
                  (record) => !agrees(field, value, context.check.read(model, record)[field.name]),
                );
                if (others.length > 0)
                  throw new Failure(
                    `a filter by ${field.name} lets others through`,
                    `only ${show(wire)}`,
                    show(others.map((record) => record[field.name])),
                  );
                const isFull =
                  profile['list.paging'] !== 'none' && records.length >= profile['list.defaultSize'];
                const mayGoOn = isFull || (await mayBeCut(context, records.length));
                if (!mayGoOn && !records.some((record) => record.id === shown.id))
                  throw new Failure(
                    `a filter by ${field.name} leaves a record out`,
                    `record ${show(shown.id)} with ${show(wire)}`,
                    show(records.map((record) => record.id)),
                  );
              },
            })),
  },
];

/** How a list is parted is not known, and the plain list, which may be a part, shows no more than that. */
async function mayBeCut(context: CaseContext, length: number): Promise<boolean> {
  const { unknown } = context.profile;
  if (!unknown['list.paging'] && !unknown['list.defaultSize']) return false;
  return length >= (context.api.recordsIn(await context.ask(plainList))?.length ?? 0);
}

function isId({ common, name }: Field): boolean {
  return common && name === 'id';
}

/** The types whose wire form is one text in a query. */
const FILTERABLE: ReadonlySet<string> = new Set(['int', 'string', 'bool', 'date', 'currency', 'email']);

async function expectTwoPages(context: CaseContext): Promise<void> {
  const pages = [await page(context, 0), await page(context, 1)];
  const ids = pages.map((records) => records.map((record) => record.id));
  if (ids.some((found) => found.length !== 1) || ids[0]?.[0] === ids[1]?.[0])
    throw new Failure(
      'the pages do not part the list',
      'one record on each of two pages, not the same',
      show(ids),
    );
}

async function expectSorted(context: CaseContext): Promise<void> {
  const several = context.profile['list.sort'] === 'fields';
  if (!several) await expectNoSecondSort(context);
  for (const [by, sign] of [
    [several ? 'id,-id' : 'id', 1],
    [several ? '-id,id' : '-id', -1],
  ] as const) {
    const query = { [context.profile['list.sortParameter']]: by };
    const records = expectRecords(context, await context.api.list(context.model.name, query));
    const ids = records.map((record) => Number(record.id));
    if (ids.length < 2 && context.profile['list.defaultSize'] < 2)
      throw new Skip('a list that shows one record at a time has no order to see');
    if (ids.length < 2 || ids.some((id, index) => index > 0 && sign * (id - Number(ids[index - 1])) < 0))
      throw new Failure(
        `a list sorted by ${by} is in another order`,
        `ids ${sign > 0 ? 'rising' : 'falling'}`,
        show(ids),
      );
  }
}

/** Of three records, `in` shows those that are named, and the ranges those on one side of the middle one. */
async function expectOperators(
  { api, model, ...context }: CaseContext,
  { newer, older, own }: Three,
): Promise<void> {
  const ids = [older.id, own.id, newer.id];
  const asked: [operator: string, value: string, shown: readonly (typeof own.id)[]][] = [
    ['in', `${older.id},${newer.id}`, [older.id, newer.id]],
    ['gt', String(own.id), ids.filter((id) => id > own.id)],
    ['lte', String(own.id), ids.filter((id) => id <= own.id)],
  ];
  for (const [operator, value, wanted] of asked) {
    const answer = await api.list(model.name, { [`id[${operator}]`]: value });
    const shown = expectRecords({ api, model, ...context }, answer).map(({ id }) => id);
    const known = ids.filter((id) => shown.includes(id));
    // A part of a longer list may show none of the three.
    if (known.every((id) => wanted.includes(id)) && (known.length > 0 || operator !== 'in')) continue;
    throw new Failure(`a filter by id[${operator}] shows others`, show(wanted), show(shown));
  }
}

async function page(context: CaseContext, index: number) {
  const { profile } = context;
  const offset = profile['list.paging'] === 'offset';
  const place = offset ? profile['list.offsetParameter'] : profile['list.pageParameter'];
  const query = { [place]: String(offset ? index : index + 1), [profile['list.sizeParameter']]: '1' };
  return expectRecords(context, await context.api.list(context.model.name, query));
}

async function expectSize(
  context: CaseContext,
  setting: 'list.defaultSize' | 'list.maxSize',
  answer: Answer,
): Promise<void> {
  const { profile } = context;
  const shown = expectRecords(context, answer).length;
  const wanted = profile[setting];
  if (shown > wanted)
    throw new Failure(`a list shows more records than ${setting}`, `at most ${wanted}`, String(shown));
  const total = totalOf(answer, profile);
  if (total === undefined || (total <= wanted && shown === total))
    throw new Skip(`a list has to hold more than ${setting} records to show it`);
  if (shown < Math.min(total, wanted))
    throw new Failure(`the target speaks another ${setting}`, `${setting} ${wanted}`, String(shown));
}
