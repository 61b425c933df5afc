import { filterFields } from '../../spec/binding.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import type { Id } from '../api/places.ts';
import { agrees } from '../assert/agreement.ts';
import { expectRecords } from '../assert/assert.ts';
import { Failure, OtherOption, Skip } from '../assert/failure.ts';
import { show } from '../assert/wire-check.ts';
import { describe, type Findings, found, Unlearned, unknown } from '../learn/finding.ts';
import type { ProbeContext } from '../learn/probe-context.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../plan/rule.ts';
import { listWith } from '../rules/questions/lists-seen.ts';
import { minimal, onShared, plainList, type Three, three, whole } from '../rules/questions/shared.ts';
import { idsIn, idsOf, needOrder, type Sample, sampleList } from './sample-list.ts';
import type { Probe } from './setting.ts';

const SORTS = ['sort', 'sortBy', 'sort_by', 'orderBy', 'order_by', 'order', 'ordering'];

/** Whether lists can be sorted and filtered (section 4, rule 4). */
export const sortProbe: Probe = {
  settings: ['list.sort', 'list.sortParameter'],
  needs: 'reading',
  async run(context) {
    const sample = await sampleList(context, SORTS);
    await needOrder(context, sample);
    const { model, query } = sample;
    let { seen: last } = sample;
    for (const name of SORTS) {
      const falling = await context.api.list(model.name, { ...query, [name]: '-id' });
      last = falling;
      if (!isSorted(context, sample, falling, -1)) continue;
      const rising = await context.api.list(model.name, { ...query, [name]: 'id' });
      if (!isSorted(context, sample, rising, 1)) continue;
      const several = await context.api.list(model.name, { ...query, [name]: '-id,id' });
      const sort = isSorted(context, sample, several, -1)
        ? found('fields', several)
        : found('field', falling);
      return { 'list.sort': sort, 'list.sortParameter': found(name, falling) };
    }
    return { 'list.sort': found('none', last) };
  },
};

/** Whether a parameter named like a field, alone or with an operator, keeps the matching records (section 4, rule 4). */
export const filterProbe: Probe = {
  settings: ['list.filter', 'list.filterOperators'],
  needs: 'reading',
  async run(context) {
    const { model, ids, seen } = await sampleList(context);
    const wanted = String(ids[1]);
    const isAlone = (answer: Answer) => String(idsIn(context, answer)) === wanted;
    const told = (answer: Answer) => (isAccepted(answer) || isRefused(answer) ? answer : seen);
    const filtered = await context.api.list(model.name, { id: wanted });
    if (!isAlone(filtered)) return { 'list.filter': found('none', told(filtered)) };
    const several = await context.api.list(model.name, { 'id[in]': wanted });
    return {
      'list.filter': found('equality', filtered),
      'list.filterOperators': isAlone(several) ? found('brackets', several) : found('none', told(several)),
    };
  },
};

/**
 * What happens to a query parameter that no list has. One that is refused shows that the service minds (section 4,
 * rule 2); many that refuse unknown fields of a body ignore it.
 */
export const unknownParameterProbe: Probe = {
  settings: ['request.unknownFields'],
  needs: 'reading',
  async run({ api, survey }): Promise<Findings> {
    const [model] = (await survey.lists()).keys();
    if (!model) throw new Unlearned('no list succeeded');
    const seen = await api.list(model.name, { notAField: 'x' });
    if (isRefused(seen)) return { 'request.unknownFields': found('reject', seen) };
    const reason = `${seen.asked} with an unknown query parameter returned ${seen.status}, which says nothing about unknown body fields`;
    return { 'request.unknownFields': unknown(isAccepted(seen) ? reason : describe(seen)) };
  },
};

/** Filtering under the profile (section 4, rule 4). */
export const queryRules: readonly Assumption[] = [
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
  {
    title:
      'A filter with an operator in brackets returns the matching records or has no effect, as set in the profile',
    requirement: 'query-not-shown',
    setting: 'list.filterOperators',
    needs: ['create', 'list'],
    cases: onceWhere(
      ({ profile }) => profile['list.filter'] !== 'none',
      (context) => {
        const isNone = context.profile['list.filterOperators'] === 'none';
        const expectIt = isNone ? expectNoOperators : expectOperators;
        return onShared(context, three, (found) => expectIt(context, found));
      },
    ),
  },
  {
    title: 'A list filtered by a field contains exactly the records with that value',
    requirement: 'query-not-shown',
    setting: 'list.filter',
    needs: ['create', 'retrieve', 'list'],
    cases: (model, { profile }) =>
      profile['list.filter'] === 'none'
        ? once((context) => onShared(context, three, (found) => expectNoFilter(context, found)))()
        : filterFields(model, profile)
            .filter((field) => isIdField(field) || (!field.readonly && FILTERABLE.has(field.type)))
            .map((field) => ({
              field,
              run: async (context) => {
                const shown = await context.ask(whole);
                await context.ask(minimal);
                const value = context.check.read(model, shown)[field.name];
                if (value === undefined || value === null)
                  throw new Skip(`${field.key} has no value in any record to filter by`);
                const wire = WIRE_TYPES[field.type].encode(value, { field, profile });
                const records = await listWith(context, 'list.filter', { [field.name]: String(wire) });
                const others = records.filter(
                  (record) => !agrees(field, value, context.check.read(model, record)[field.name]),
                );
                if (others.length > 0)
                  throw new ((await isWhole(context, records)) ? OtherOption : Failure)(
                    `a filter by ${field.name} returns records that do not match`,
                    `only ${show(wire)}`,
                    show(others.map((record) => record[field.name])),
                  );
                const isFull =
                  profile['list.paging'] !== 'none' && records.length >= profile['list.defaultSize'];
                const mayGoOn = isFull || (await mayBeCut(context, records.length));
                if (!mayGoOn && !records.some((record) => record.id === shown.id))
                  throw new Failure(
                    `a filter by ${field.name} omits a matching record`,
                    `record ${show(shown.id)} with ${show(wire)}`,
                    show(records.map((record) => record.id)),
                  );
              },
            })),
  },
];

/** Whether a filtered list shows the same records as the list without a filter. */
async function isWhole(context: CaseContext, records: readonly RecordValues[]): Promise<boolean> {
  const all = expectRecords(context, await context.api.list(context.model.name));
  return String(all.map(({ id }) => id)) === String(records.map(({ id }) => id));
}

/** How a list is parted is not known, and the plain list, which may be a part, shows no more than that. */
async function mayBeCut(context: CaseContext, length: number): Promise<boolean> {
  const { unknown } = context.profile;
  if (!unknown['list.paging'] && !unknown['list.defaultSize']) return false;
  return length >= (context.api.recordsIn(await context.ask(plainList))?.length ?? 0);
}

/** The types whose wire form is one text in a query. */
const FILTERABLE: ReadonlySet<string> = new Set(['int', 'string', 'bool', 'date', 'currency', 'email']);

/** Of three records, `in` shows those that are named, and the ranges those on one side of the middle one. */
async function expectOperators(context: CaseContext, { newer, older, own }: Three): Promise<void> {
  const ids = [older.id, own.id, newer.id];
  const asked: [operator: string, value: string, shown: readonly (typeof own.id)[]][] = [
    ['in', `${older.id},${newer.id}`, [older.id, newer.id]],
    ['gt', String(own.id), ids.filter((id) => id > own.id)],
    ['lte', String(own.id), ids.filter((id) => id <= own.id)],
  ];
  for (const [operator, value, wanted] of asked) {
    const records = await listWith(context, 'list.filterOperators', { [`id[${operator}]`]: value });
    const shown = records.map(({ id }) => id);
    const known = ids.filter((id) => shown.includes(id));
    // A part of a longer list may show none of the three.
    if (known.every((id) => wanted.includes(id)) && (known.length > 0 || operator !== 'in')) continue;
    throw new Failure(`a filter by id[${operator}] returns other records`, show(wanted), show(shown));
  }
}

/** All records of the sample, sorted by id. */
function isSorted(context: ProbeContext, { ids }: Sample, seen: Answer, sign: 1 | -1): boolean {
  const shown = idsIn(context, seen);
  const follows = (index: number) => compareIds(shown[index], shown[index - 1]) * sign > 0;
  return shown.length === ids.length && shown.every((_, index) => index === 0 || follows(index));
}

function compareIds(one: unknown, other: unknown): number {
  return String(one).localeCompare(String(other), 'en', { numeric: true });
}

/** Under `list.sort: none` no parameter reverses a list. */
export async function expectNoSort(context: CaseContext): Promise<void> {
  const by = context.profile['list.sortParameter'];
  const [plain, sorted] = [await idsOf(context, {}), await idsOf(context, { [by]: '-id' })];
  if (sorted && isFalling(sorted) && plain && !isFalling(plain))
    throw new OtherOption('the target supports sorting', 'list.sort none', `descending IDs with ${by}=-id`);
}

/** Under `list.filter: none` a parameter named like a field filters nothing. */
async function expectNoFilter(context: CaseContext, { newer: { id } }: Three): Promise<void> {
  const ids = await idsOf(context, { id: String(id) });
  if (ids?.length === 1 && ids[0] === id)
    throw new OtherOption(
      'the target supports filters',
      'list.filter none',
      `only record ${show(id)} with id=${id}`,
    );
}

/** Under `list.filterOperators: none` a name with an operator filters nothing. */
async function expectNoOperators(context: CaseContext, { newer: { id } }: Three): Promise<void> {
  const ids = await idsOf(context, { 'id[in]': String(id) });
  if (ids?.length === 1 && ids[0] === id)
    throw new OtherOption(
      'the target supports filter operators',
      'list.filterOperators none',
      `only record ${show(id)} with id[in]=${id}`,
    );
}

/** Under `list.sort: field` there is no order of several fields. */
export async function expectNoSecondSort(context: CaseContext): Promise<void> {
  const by = context.profile['list.sortParameter'];
  const sorted = await idsOf(context, { [by]: '-id,id' });
  if (sorted && isFalling(sorted))
    throw new OtherOption(
      'the target supports sorting by several fields',
      'list.sort field',
      `descending IDs with ${by}=-id,id`,
    );
}

function isFalling(ids: readonly Id[]): boolean {
  return ids.length > 1 && ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0));
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
