import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Filter } from '../../store/store.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { listing, onEngine } from '../on-engine.ts';

const listsOwn = (model: Model) => has(model, 'create', 'list');

/** Lists whose pages, total, order or filter are wrong (section 4, rule 4). */
export const listQueryDefects: readonly Defect[] = [
  modelDefect({
    name: 'list.pages-overlap',
    violates: 'starts a page with the last record of the previous page',
    rules: ['advice.pages-part-list', 'profile.list.paging'],
    applies: (model, { profile }) => listsOwn(model) && profile['list.paging'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: (_, query) => inner.list(model, { ...query, offset: Math.max(0, (query.offset ?? 0) - 1) }),
      })),
  }),
  modelDefect({
    name: 'list.pages-skip',
    violates: 'omits a record between two pages',
    rules: ['profile.list.paging', 'advice.pages-part-list'],
    applies: (model, { profile }) => listsOwn(model) && profile['list.paging'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: (_, query) =>
          inner.list(model, { ...query, offset: (query.offset ?? 0) > 0 ? (query.offset ?? 0) + 1 : 0 }),
      })),
  }),
  modelDefect({
    name: 'list.ignores-page',
    violates: 'returns the first page for every page',
    rules: ['profile.list.paging', 'advice.pages-part-list'],
    applies: (model, { profile }) => listsOwn(model) && profile['list.paging'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({ list: (_, query) => inner.list(model, { ...query, offset: 0 }) })),
  }),
  modelDefect({
    name: 'list.wrong-total',
    violates: 'returns a total that is too high by one',
    rules: ['profile.response.total'],
    applies: (_, { profile }) => profile['response.total'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({
        list: async (_, query) => {
          const found = await inner.list(model, query);
          return { ...found, total: found.total + 1 };
        },
      })),
  }),
  modelDefect({
    name: 'list.ignores-sort',
    violates: 'returns a list in the order of IDs, regardless of the sort parameter',
    rules: ['profile.list.sort'],
    applies: (model, { profile }) => listsOwn(model) && profile['list.sort'] !== 'none',
    decorate: ({ model }) =>
      onEngine(model, (inner) => ({ list: (_, { sort: __, ...query }) => inner.list(model, query) })),
  }),
  fieldDefect({
    name: 'list.ignores-filter',
    violates: 'returns all records, regardless of the filter',
    rules: ['profile.list.filter'],
    applies: (field, model, { profile }) =>
      listsOwn(model) && profile['list.filter'] !== 'none' && isFilter(field),
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        list: (_, { filters = [], ...query }) =>
          inner.list(model, { ...query, filters: filters.filter((filter) => !isEqual(filter, field)) }),
      })),
  }),
  fieldDefect({
    name: 'list.filter-omits',
    violates: 'omits a matching record from a filtered list',
    rules: ['profile.list.filter'],
    applies: (field, model, { profile }) =>
      listsOwn(model) && profile['list.filter'] !== 'none' && isFilter(field),
    decorate: ({ model, field }) =>
      onEngine(model, (inner) => ({
        list: (_, query) =>
          query.filters?.some((filter) => isEqual(filter, field))
            ? listing(inner, () => [])(model, query)
            : inner.list(model, query),
      })),
  }),
];

function isEqual({ field: name, operator }: Filter, field: Field): boolean {
  return name === field.name && operator === 'equal';
}

/** The fields that the suite filters by: the id, and those whose wire form is one text in a query. */
function isFilter(field: Field): boolean {
  if (field.common) return field.name === 'id';
  return isWritable(field) && ['int', 'string', 'bool', 'date', 'currency', 'email'].includes(field.type);
}
