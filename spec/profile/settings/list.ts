import { count, oneOf, parameter } from '../kinds.ts';

/** Paging, order and filters of lists. */
export const listSettings = {
  'list.paging': oneOf(['offset', 'page', 'index', 'none'], {
    section: '4, rule 4',
    about:
      'How clients request part of a list. offset counts records from 0, page counts pages from 1, index counts pages from 0.',
  }),
  'list.offsetParameter': parameter({
    default: 'offset',
    examples: ['skip'],
    when: { 'list.paging': 'offset' },
    section: '4, rule 4',
    about: 'The query parameter for the number of records to skip.',
  }),
  'list.pageParameter': parameter({
    default: 'page',
    examples: ['p'],
    when: { 'list.paging': ['page', 'index'] },
    section: '4, rule 4',
    about: 'The query parameter for the page number.',
  }),
  'list.sizeParameter': parameter({
    default: 'limit',
    examples: ['perPage'],
    when: { 'list.paging': ['offset', 'page', 'index'] },
    section: '4, rule 4',
    about: 'The query parameter for the number of records per page.',
  }),
  'list.defaultSize': count({
    default: 100,
    examples: [20],
    when: { 'list.paging': ['offset', 'page', 'index'] },
    section: '8',
    about: 'The number of records in a list if the request sets no size.',
  }),
  'list.maxSize': count({
    default: 500,
    examples: [50],
    when: { 'list.paging': ['offset', 'page', 'index'] },
    section: '8',
    about:
      'The maximum number of records in a list. The service treats a larger size in a request as this maximum.',
  }),
  'list.filterOperators': oneOf(['none', 'brackets'], {
    when: { 'list.filter': 'equality' },
    section: '4, rule 4',
    about:
      'Whether filters accept an operator in brackets after the field name: gt, gte, lt, lte, contains, in (values separated by commas), null (true or false).',
  }),
  'list.sort': oneOf(['field', 'fields', 'none'], {
    section: '4, rule 4',
    about:
      'Whether clients can sort lists by one field, or by several fields separated by commas. A minus sign before a name means descending order.',
  }),
  'list.sortParameter': parameter({
    default: 'sort',
    examples: ['orderBy'],
    when: { 'list.sort': ['field', 'fields'] },
    section: '4, rule 4',
    about: 'The query parameter for sorting.',
  }),
  'list.filter': oneOf(['equality', 'none'], {
    section: '4, rule 4',
    about: 'Whether a query parameter with the name of a field filters a list by that value.',
  }),
};
