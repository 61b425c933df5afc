import { filterFields, operatorParameter, operatorsOf } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import { isPages, type Profile, pagesOf, profileAt, sortingIn } from '../../spec/profile/profile.ts';
import { foldText } from '../../spec/types/sort-key.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted, isRefused } from '../api/answer.ts';
import { totalOf } from '../api/listing.ts';
import { agrees, show } from '../assert/agreement.ts';
import { failure, unlessEnded } from '../assert/ending.ts';
import { expectRecords } from '../cases/assert.ts';
import type { CaseContext, SharedRequests } from '../cases/rule.ts';
import { minimal, needCreate, observation, plainList, three, whole } from '../rules/shared.ts';
import { type Asker, listNow, needOrder, type SampleList, sampleList, someListed } from './lists.ts';
import { found, type Observation, type Observed, seen, unknown } from './observation.ts';
import type { Probe } from './probe.ts';

/** The parameters that keep a single record of a list. */
const EQUALITY = 'id';
const BRACKETS = 'id[in]';

const SORTS = ['sort', 'sortBy', 'sort_by', 'orderBy', 'order_by', 'order', 'ordering'] as const;

/** The types whose wire form is one text in a query. */
const FILTERABLE = new Set<string>('int string bool date currency email select'.split(' '));

/** Whether lists can be sorted and filtered (section 4, rule 4). */
export const sortProbe: Probe = {
  settings: ['list.sort'],
  async run(context) {
    const sample = await sampleList(context, SORTS);
    await needOrder(context, sample);
    let last = sample.seen;
    for (const name of SORTS) {
      const { option, seen } = await sortBy(context, sample, name);
      if (option !== 'none') return { 'list.sort': found(option, seen) };
      last = seen;
    }
    return { 'list.sort': found('none', last) };
  },
};

/**
 * Sorts a list by a parameter: by ID in both orders, the one that the list does not have first, and then by ID twice. The
 * option is `none` if one of the orders is wrong; `seen` is the first wrong list.
 */
async function sortBy(context: Asker, { ids, model, query }: SampleList, parameter: string) {
  const [sign, names] = isInOrder(ids, -1)
    ? ([1, ['id', '-id', 'id,-id']] as const)
    : ([-1, ['-id', 'id', '-id,id']] as const);
  const ask = (by: string) => listNow(context, model, { ...query, [parameter]: by });
  const other = await ask(names[0]);
  if (!isInOrder(other.ids, sign)) return { ...other, option: 'none' };
  const same = await ask(names[1]);
  if (!isInOrder(same.ids, sign === 1 ? -1 : 1)) return { ...same, option: 'none' };
  const several = await ask(names[2]);
  return isInOrder(several.ids, sign)
    ? { ...several, option: `fields ${parameter}` }
    : { ...other, option: `field ${parameter}` };
}

/**
 * Whether a parameter named like a field, alone or with an operator, keeps the matching records (section 4, rule 4). A
 * list whose strings don't differ does not show whether it can be searched, so this leaves the setting open.
 */
export const filterProbe: Probe = {
  settings: ['list.filter'],
  async run(context) {
    const sample = await sampleList(context);
    const { model, ids } = sample;
    const filterBy = async (name: string) => {
      const { ids: shown, seen } = await listNow(context, model, { [name]: String(ids[1]) });
      return { isFiltered: isOnly(shown, ids[1]), seen };
    };
    const field = await filterBy(EQUALITY);
    if (!field.isFiltered) return { 'list.filter': found('none', field.seen) };
    const others = [...(await context.survey.lists())].map(([of, seen]) => ({ model: of, seen, query: {} }));
    const lists = [sample, ...others];
    const loose = await searchPart(context, lists, true);
    // One model can be built differently.
    const next = lists.filter((list) => list.model !== loose?.model);
    if (loose?.option === 'contains' && (await searchPart(context, next, true))?.option !== 'equality')
      return { 'list.filter': unknown('a filter by a field also finds parts of its value') };
    const operator = await filterBy(BRACKETS);
    if (operator.isFiltered) return { 'list.filter': found('brackets', operator.seen) };
    const part = await searchPart(context, lists);
    return part ? { 'list.filter': found(part.option, part.told) } : {};
  },
};

/** Sorting and filtering (section 4, rule 4). */
export const queryObservations: readonly Observation[] = [
  {
    setting: 'list.sort',
    title: 'A list sorted by a field is in ascending order, or in descending order with a minus sign',
    requirement: 'query-not-shown',
    needs: ['create', 'list'],
    observe: observeSort,
  },
  {
    setting: 'list.filter',
    title: 'A list filtered by a field contains exactly the records with that value',
    requirement: 'query-not-shown',
    needs: ['create', 'retrieve', 'list'],
    fields: (field, { catalogue, profile }) => {
      const [name = ''] = field.key.split('.');
      const model = catalogue.models.get(name);
      const isPlain = !field.readonly && FILTERABLE.has(field.type);
      if (filterOf(field, profile) === 'none')
        return isIdField(field) || (isPlain && profileAt(profile, name)['list.filter'] !== 'none');
      return (isIdField(field) || isPlain) && !!model && filterFields(model, profile).includes(field);
    },
    observe: (context, field) =>
      isIdField(field) ? observeById(context, field) : observeFilter(context, field),
  },
];

/** The ID shows how a list is filtered: any service has one, and can filter by it in each way. */
async function observeById(context: CaseContext, field: Field): Promise<Observed> {
  const own = filterOf(field, context.profile);
  const plain = await context.ask(someListed);
  const id = await ownId(context);
  const { ids, seen: answer } = await listNow(context, context.model, {
    [own === 'none' ? EQUALITY : BRACKETS]: String(id),
  });
  if (own === 'none' && !isOnly(ids, id)) return seen('none', answer);
  if (own !== 'none') {
    if (own !== 'brackets' && isOnly(ids, id)) return seen('brackets', answer);
    const found = await observeFilter(context, field);
    if (isOnly(ids, id) || 'none' in found || found.option === 'none') return found;
  }
  // A filter by ID does not tell equality from contains.
  const search = await searchPart(context, [plain]);
  if (search) return seen(search.option, search.told);
  const option = own === 'contains' ? 'contains' : 'equality';
  return { ...seen(option, answer), alike: ['contains', 'equality'] };
}

/** Returns how a field filters lists. */
function filterOf(field: Field, profile: Profile): Profile['list.filter'] {
  return profileAt(profile, field.key)['list.filter'];
}

/** Deletes a record with the same texts as others, unless another case has deleted it. */
const deletedNamesake = {
  name: 'deleted namesake',
  async ask(context) {
    const { model, records } = context;
    const { own } = await context.ask(three);
    if (!model.operations.includes('delete') || !records.existing().includes(own.id)) return;
    // Another client can have a record with its ID, if the service deleted it together with another.
    await records.read(own.id);
    await records.delete(own.id);
  },
} satisfies SharedRequests<unknown>;

async function observeFilter(context: CaseContext, field: Field): Promise<Observed> {
  const { check, model, profile } = context;
  const own = filterOf(field, profile);
  const shown = isIdField(field) ? { id: await ownId(context) } : await context.ask(whole);
  // A record with another value.
  if (!isIdField(field)) await context.ask(minimal);
  // A deleted record with the same texts, which no filter shows.
  await unlessEnded(() => context.ask(deletedNamesake));
  const value = check.read(model, shown)[field.name];
  if (value === undefined || value === null)
    return { none: `${field.key} has no value in any record to filter by` };
  const wireOf = (one: Value) => String(WIRE_TYPES[field.type].encode(one, { field, profile }));
  // A client knows the text that the service shows.
  const text = shown[field.name];
  const wire = typeof text === 'string' ? text : wireOf(value);
  const equalTo = (wanted: Value) => (one: Value | undefined) => agrees(field, wanted, one);
  const equality = await filterBy(context, shown, field, field.name, wire, equalTo(value));
  if (!equality.isFiltered) return seen('none', equality.answer);
  // Some languages take 0 and false for no value.
  const zero = field.type === 'bool' ? false : field.choices?.find((choice) => choice.value === 0)?.value;
  if (zero !== undefined && !agrees(field, zero, value)) {
    const none = await filterBy(context, shown, field, field.name, wireOf(zero), equalTo(zero));
    if (!none.isFiltered)
      throw failure(`a filter by ${field.name} ignores ${show(zero)}`, 'only records with it', 'others, too');
  }
  // A service that compares whole numbers shows the record.
  const near = typeof value === 'number' ? Math.trunc(value) : value;
  if (near !== value) await filterBy(context, shown, field, field.name, wireOf(near), equalTo(near));
  // Without the ends, a service that looks for the whole string, or for its start, shows no record.
  const [start, part] = [wire.slice(0, -1).trim(), wire.slice(1, -1).trim()];
  if (own === 'none' || part === '' || !operatorsOf(field).includes('contains'))
    return {
      ...seen(own === 'none' ? 'equality' : own, equality.answer),
      alike: ['contains', 'brackets', 'equality'],
    };
  await filterBy(context, shown, field, field.name, start, equalTo(start));
  if (own === 'equality') return seen(own, equality.answer);
  const parameter = operatorParameter(field, 'contains');
  const search = await filterBy(context, shown, field, parameter, part, (one) => contains(one, part));
  return seen(search.isFiltered ? own : 'equality', search.answer);
}

/** Whether a filter has an effect. Throws `failure` if it shows other records than those that match, or omits one. */
async function filterBy(
  context: CaseContext,
  shown: RecordValues,
  { name }: Field,
  parameter: string,
  text: string,
  matches: (value: Value | undefined) => boolean,
): Promise<{ readonly isFiltered: boolean; readonly answer: ApiResponse }> {
  const { api, check, model, profile } = context;
  const query = { [parameter]: text };
  const answer = await api.list(model.name, query);
  if (isRefused(answer) && isAccepted(await context.ask(plainList))) return { isFiltered: false, answer };
  const records = expectRecords(context, answer);
  const others = records.filter((record) => !matches(check.read(model, record)[name]));
  if (others.length > 0 && (await isIgnored(context, query))) return { isFiltered: false, answer };
  if (others.length > 0)
    throw failure(
      `a filter by ${parameter} returns records that do not match`,
      `only ${show(text)}`,
      show(others.map((record) => record[name])),
    );
  const isMatch = matches(check.read(model, shown)[name]);
  const isOmitted = isMatch && !records.some((record) => record.id === shown.id);
  if (isOmitted && !(await mayBeCut(context, records.length)))
    throw failure(
      `a filter by ${parameter} omits a matching record`,
      `record ${show(shown.id)} with ${show(text)}`,
      show(records.map((record) => record.id)),
    );
  const total = totalOf(answer, profile) ?? records.length;
  if (total === records.length || (await mayBeCut(context, records.length)))
    return { isFiltered: true, answer };
  // A service can also state the number of all records next to each list.
  if (total !== totalOf(await api.list(model.name), profile))
    throw failure(
      `the total of a list filtered by ${parameter} is wrong`,
      String(records.length),
      String(total),
    );
  return { isFiltered: true, answer };
}

/**
 * Searches lists for a few characters of a value, and for a text that no value contains, because a service can ignore the
 * parameter. Returns undefined if there are no values. Takes few characters, because the query of a real service ends up
 * in its log. `isPlain` searches for the start of a value, without an operator.
 */
async function searchPart(
  { api }: Pick<CaseContext, 'api'>,
  lists: readonly Omit<SampleList, 'ids'>[],
  isPlain = false,
): Promise<{ option: 'contains' | 'equality'; told: ApiResponse; model?: Model } | undefined> {
  const place = isPlain ? /^[\p{L}\p{N}]{2,3}(?=.)/u : /(?<=.)[\p{L}\p{N}]{2,3}(?=.)/u;
  const recordsIn = (answer: ApiResponse) => (isAccepted(answer) ? (api.recordsIn(answer) ?? []) : []);
  const isSearched = (field: Field) => FILTERABLE.has(field.type) && operatorsOf(field).includes('contains');
  const candidates = lists.flatMap(({ model, query, seen }) =>
    model.fields.filter(isSearched).flatMap((field) =>
      recordsIn(seen).flatMap((record) => {
        const parts = place.exec(String(record[field.name] ?? '')) ?? [];
        return parts.map((part) => ({ field, model, part, query }));
      }),
    ),
  );
  let told: ApiResponse | undefined;
  for (const { field, model, part, query } of candidates.slice(0, MOST_MISSED)) {
    const parameter = isPlain ? field.name : operatorParameter(field, 'contains');
    const search = (text: string) => api.list(model.name, { ...query, [parameter]: text });
    told = await search(part);
    const found = recordsIn(told);
    const isPart = found.length > 0 && found.every((other) => contains(other[field.name], part));
    if (isPart && recordsIn(await search(NOWHERE)).length === 0) return { option: 'contains', told, model };
    // Another client might have deleted a record that is not found.
    if (found.length > 0 || !isAccepted(told)) break;
  }
  return told && { option: 'equality', told };
}

/** A text that no value contains. */
const NOWHERE = 'no value contains this';

/** Searches without a result after which a service is taken to find no parts of strings. */
const MOST_MISSED = 3;

/** Services differ in whether case and accents matter. */
function contains(value: Value | undefined, part: string): boolean {
  return typeof value === 'string' && foldText(value).includes(foldText(part));
}

async function observeSort(context: CaseContext): Promise<Observed> {
  const own = context.profile['list.sort'];
  const plain = await context.ask(someListed);
  if (plain.ids.length < 2) return { none: 'a list with one record per page shows no order' };
  const sorted = await sortBy(context, plain, sortingIn(own)?.parameter ?? SORTS[0]);
  const isNone = sorted.option === 'none' && own !== 'none' && isAccepted(sorted.seen);
  if (isNone && !(await isIgnored(context, sorted.query)))
    throw failure(
      'a list sorted by id has another order',
      'IDs in ascending order, and in descending order with -id',
      `${show(sorted.ids)} for ${Object.values(sorted.query).join()}`,
    );
  return seen(sorted.option, sorted.seen);
}

/** Whether a query changes nothing: the list has the records, in their order, that it has before and after without it. */
async function isIgnored(context: CaseContext, query: SampleList['query']): Promise<boolean> {
  const ids = async (one = {}) => (await listNow(context, context.model, one)).ids;
  const [before, shown, after] = [await ids(), await ids(query), await ids()];
  const lasting = before.filter((id) => after.includes(id));
  return lasting.length > 0 && String(shown.filter((id) => lasting.includes(id))) === String(lasting);
}

/** The run might have created its first records since the first list. */
const laterList: typeof plainList = { ...plainList, name: 'plain list after creates' };

/** Whether a list is as long as a page, or, if that is not known, as both lists without a query. */
async function mayBeCut(context: CaseContext, length: number): Promise<boolean> {
  const { 'list.paging': paging, unknown } = context.profile;
  if (length >= (pagesOf(context.profile)?.default ?? Number.POSITIVE_INFINITY)) return true;
  const isKnown = !unknown['list.paging'] && (!isPages(paging) || paging.default !== 'unknown');
  if (isKnown) return false;
  const isShorter = (listed: ApiResponse) => length < (context.api.recordsIn(listed)?.length ?? 0);
  return !isShorter(await context.ask(plainList)) && !isShorter(await context.ask(laterList));
}

/** Returns the ID of a record that the run created. */
async function ownId(context: CaseContext): Promise<Id> {
  await needCreate(context);
  const { made } = await context.ask(observation);
  return made?.id ?? (await context.ask(three)).newer.id;
}

function isInOrder(ids: readonly Id[], sign: 1 | -1): boolean {
  const compare = (one: Id, other: Id = one) =>
    String(one).localeCompare(String(other), 'en', { numeric: true });
  return ids.length > 1 && ids.every((id, index) => sign * compare(id, ids[index - 1]) >= 0);
}

function isOnly(ids: readonly Id[], id: Id | undefined): boolean {
  return ids.length === 1 && String(ids[0]) === String(id);
}
