import type { Contract } from '../../../spec/contract.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import { placeInList, totalOf } from '../../api/listing.ts';
import { expectRecords } from '../../assert/assert.ts';
import { Failure, OtherOption, Skip, speaksAnother } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../../plan/rule.ts';
import { listWith } from '../questions/lists-seen.ts';
import { onShared, plainList, three } from '../questions/shared.ts';
import { expectNoPages, expectNoSecondSort, expectNoSort } from '../support/no-query.ts';

/** Paging and sorting under the profile (section 4, rule 4). */
export const profileListRules: readonly Assumption[] = [
  {
    title: 'Two pages of one record contain the same records as one page of two',
    requirement: 'query-not-shown',
    setting: 'list.paging',
    needs: ['create', 'list'],
    cases: once((context) => {
      const expectIt = context.profile['list.paging'] === 'none' ? expectNoPages : expectTwoPages;
      return onShared(context, three, () => expectIt(context));
    }),
  },
  {
    title: 'A list without a size parameter has as many records as set in the profile',
    requirement: 'limits-not-shown',
    setting: 'list.defaultSize',
    needs: ['list'],
    cases: onceWhere(hasPages, expectDefaultSize),
  },
  {
    title: 'A list has at most as many records as set in the profile',
    requirement: 'limits-not-shown',
    setting: 'list.maxSize',
    needs: ['list'],
    cases: onceWhere(hasPages, async (context) => {
      const { api, model, profile } = context;
      const query = { [profile['list.sizeParameter']]: String(profile['list.maxSize'] + 1) };
      const answer = await api.list(model.name, query);
      // A service may refuse a page that is too large.
      if (isRefused(answer) && isAccepted(await context.ask(plainList))) return;
      await expectSize(context, 'list.maxSize', answer);
    }),
  },
  {
    title: 'A list sorted by a field is in ascending order, or in descending order with a minus sign',
    requirement: 'query-not-shown',
    setting: 'list.sort',
    needs: ['create', 'list'],
    cases: once((context) => {
      const expectIt = context.profile['list.sort'] === 'none' ? expectNoSort : expectSorted;
      return onShared(context, three, () => expectIt(context));
    }),
  },
];

function hasPages({ profile }: Contract): boolean {
  return profile['list.paging'] !== 'none';
}

async function expectTwoPages(context: CaseContext): Promise<void> {
  for (let looks = 0; looks < MOST_LOOKS; looks++) {
    const both = await page(context, 0, 2);
    const pages = [await page(context, 0), await page(context, 1)];
    const [[one, ...more] = [], [other, ...others] = []] = pages;
    if (more.length + others.length > 0 || one === undefined || other === undefined || one === other)
      throw notParted('one record on each of two pages, not the same', pages);
    if (both.length === 2 && String(both) === String([one, other])) return;
    // Others may write meanwhile, and no page of two has to be given.
    const isSteady = String(both) === String(await page(context, 0, 2));
    if (isSteady && both.length === 2) throw notParted(`the two records of one page, ${show(both)}`, pages);
  }
  throw new Skip('the list changes between requests, or has too few records for pages');
}

const MOST_LOOKS = 3;

function notParted(expected: string, pages: readonly unknown[]): Failure {
  return new Failure('the pages do not contain each record once', expected, show(pages));
}

async function expectSorted(context: CaseContext): Promise<void> {
  const several = context.profile['list.sort'] === 'fields';
  if (!several) await expectNoSecondSort(context);
  for (const [by, sign] of [
    [several ? 'id,-id' : 'id', 1],
    [several ? '-id,id' : '-id', -1],
  ] as const) {
    const query = { [context.profile['list.sortParameter']]: by };
    const records = await listWith(context, 'list.sort', query);
    const ids = records.map((record) => Number(record.id));
    if (ids.length < 2 && context.profile['list.defaultSize'] < 2)
      throw new Skip('a list with one record per page shows no order');
    if (ids.length < 2 || ids.some((id, index) => index > 0 && sign * (id - Number(ids[index - 1])) < 0)) {
      const plain = expectRecords(context, await context.api.list(context.model.name));
      const isIgnored = String(plain.map(({ id }) => id)) === String(ids);
      const expected = `IDs in ${sign > 0 ? 'ascending' : 'descending'} order`;
      throw new (isIgnored ? OtherOption : Failure)(
        `a list sorted by ${by} has another order`,
        expected,
        show(ids),
      );
    }
  }
}

/** The ids on a page. */
async function page(context: CaseContext, index: number, size = 1): Promise<unknown[]> {
  const { profile } = context;
  const query = {
    ...placeInList(profile, index, index),
    [profile['list.sizeParameter']]: String(size),
  };
  return (await listWith(context, 'list.paging', query)).map(({ id }) => id);
}

async function expectDefaultSize(context: CaseContext): Promise<void> {
  const { api, model, profile, records } = context;
  const known = await context.ask(plainList);
  if (totalOf(known, profile) !== undefined) return expectSize(context, 'list.defaultSize', known);
  // The list that is known may be older than the records that its pages show by now.
  const listing = await records.listing();
  const total = listing?.complete ? listing.records.length : undefined;
  await expectSize(context, 'list.defaultSize', await api.list(model.name), total);
}

async function expectSize(
  context: CaseContext,
  setting: 'list.defaultSize' | 'list.maxSize',
  answer: Answer,
  total = totalOf(answer, context.profile),
): Promise<void> {
  const { profile } = context;
  const shown = expectRecords(context, answer).length;
  const wanted = profile[setting];
  if (shown > wanted)
    throw new Failure(`a list contains more records than ${setting}`, `at most ${wanted}`, String(shown));
  if (total === undefined || (total <= wanted && shown === total))
    throw new Skip(`no list contains more records than ${setting}`);
  if (shown < Math.min(total, wanted)) throw speaksAnother(setting, profile, String(shown));
}
