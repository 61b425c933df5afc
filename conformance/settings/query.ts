import { filterFields } from '../../spec/binding.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isAccepted, isRefused } from '../api/answer.ts';
import type { Id } from '../api/places.ts';
import { agrees } from '../assert/agreement.ts';
import { expectRecords } from '../assert/assert.ts';
import { Failure, OtherOption, Skip } from '../assert/failure.ts';
import { show } from '../assert/wire-check.ts';
import { describe, type Findings, found, Unlearned, unknown } from '../learn/finding.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../plan/rule.ts';
import { listWith } from '../rules/questions/lists-seen.ts';
import { minimal, onShared, plainList, type Three, three, whole } from '../rules/questions/shared.ts';
import { listNow, needOrder, sampleList } from './sample-list.ts';
import type { Probe } from './setting.ts';

/** The parameters that keep a single record of a list, by the settings that tell whether a service has them. */
const FILTERS = { 'list.filter': 'id', 'list.filterOperators': 'id[in]' } as const;

const SORTS = ['sort', 'sortBy', 'sort_by', 'orderBy', 'order_by', 'order', 'ordering'];

/** The types whose wire form is one text in a query. */
const FILTERABLE: ReadonlySet<string> = new Set(['int', 'string', 'bool', 'date', 'currency', 'email']);

/** Whether lists can be sorted and filtered (section 4, rule 4). */
export const sortProbe: Probe = {
  settings: ['list.sort', 'list.sortParameter'],
  needs: 'reading',
  async run(context) {
    const sample = await sampleList(context, SORTS);
    await needOrder(context, sample);
    const { ids, model, query } = sample;
    let { seen: last } = sample;
    const sortBy = async (name: string, by: string, sign: 1 | -1) => {
      const { ids: shown, seen } = await listNow(context, model, { ...query, [name]: by });
      return { seen, isSorted: shown.length === ids.length && isInOrder(shown, sign) };
    };
    for (const name of SORTS) {
      const falling = await sortBy(name, '-id', -1);
      last = falling.seen;
      if (!falling.isSorted || !(await sortBy(name, 'id', 1)).isSorted) continue;
      const several = await sortBy(name, '-id,id', -1);
      return {
        'list.sort': several.isSorted ? found('fields', several.seen) : found('field', falling.seen),
        'list.sortParameter': found(name, falling.seen),
      };
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
    const filterBy = async (name: string) => {
      const { ids: shown, seen: answer } = await listNow(context, model, { [name]: String(ids[1]) });
      const told = isAccepted(answer) || isRefused(answer) ? answer : seen;
      return { isFiltered: isOnly(shown, ids[1]), told };
    };
    const field = await filterBy(FILTERS['list.filter']);
    if (!field.isFiltered) return { 'list.filter': found('none', field.told) };
    const operator = await filterBy(FILTERS['list.filterOperators']);
    return {
      'list.filter': found('equality', field.told),
      'list.filterOperators': found(operator.isFiltered ? 'brackets' : 'none', operator.told),
    };
  },
};

/**
 * Finds the response to an unknown query parameter. A refusal shows that the service checks parameters (section 4, rule
 * 2). Many services that refuse unknown fields of a body ignore it.
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

/** Sorting and filtering under the profile (section 4, rule 4). */
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
        return onShared(context, three, (found) =>
          isNone ? expectNoFilter(context, 'list.filterOperators', found) : expectOperators(context, found),
        );
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
        ? once((context) =>
            onShared(context, three, (found) => expectNoFilter(context, 'list.filter', found)),
          )()
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

async function expectSorted(context: CaseContext): Promise<void> {
  const several = context.profile['list.sort'] === 'fields';
  if (!several && isInOrder(await idsBy(context, '-id,id'), -1))
    throw new OtherOption(
      'the target supports sorting by several fields',
      'list.sort field',
      `descending IDs with ${context.profile['list.sortParameter']}=-id,id`,
    );
  for (const [by, sign] of [
    [several ? 'id,-id' : 'id', 1],
    [several ? '-id,id' : '-id', -1],
  ] as const) {
    const query = { [context.profile['list.sortParameter']]: by };
    const records = await listWith(context, 'list.sort', query);
    const ids = records.map((record) => Number(record.id));
    if (ids.length < 2 && context.profile['list.defaultSize'] < 2)
      throw new Skip('a list with one record per page shows no order');
    if (!isInOrder(ids, sign)) {
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

/** Under `list.sort: none` no parameter reverses a list. */
async function expectNoSort(context: CaseContext): Promise<void> {
  const by = context.profile['list.sortParameter'];
  const [plain, sorted] = [(await listNow(context, context.model)).ids, await idsBy(context, '-id')];
  if (isInOrder(sorted, -1) && plain.length > 0 && !isInOrder(plain, -1))
    throw new OtherOption('the target supports sorting', 'list.sort none', `descending IDs with ${by}=-id`);
}

/** The IDs of a list that is sorted under the profile. */
async function idsBy(context: CaseContext, by: string): Promise<readonly Id[]> {
  return (await listNow(context, context.model, { [context.profile['list.sortParameter']]: by })).ids;
}

function isInOrder(ids: readonly Id[], sign: 1 | -1): boolean {
  const compare = (one: Id, other: Id = one) =>
    String(one).localeCompare(String(other), 'en', { numeric: true });
  return ids.length > 1 && ids.every((id, index) => sign * compare(id, ids[index - 1]) >= 0);
}

function isOnly(ids: readonly Id[], id: Id | undefined): boolean {
  return ids.length === 1 && String(ids[0]) === String(id);
}

/** Under the option `none` a parameter named like a field, alone or with an operator, filters nothing. */
async function expectNoFilter(
  context: CaseContext,
  setting: keyof typeof FILTERS,
  { newer: { id } }: Three,
): Promise<void> {
  const name = FILTERS[setting];
  if (!isOnly((await listNow(context, context.model, { [name]: String(id) })).ids, id)) return;
  throw new OtherOption(
    setting === 'list.filter' ? 'the target supports filters' : 'the target supports filter operators',
    `${setting} none`,
    `only record ${show(id)} with ${name}=${id}`,
  );
}

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
