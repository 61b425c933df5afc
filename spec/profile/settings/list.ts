import { count, oneOf, parameter } from '../kinds.ts';

/** Paging, order and filters of lists. */
export const listSettings = {
  'list.paging': oneOf(['offset', 'page', 'index', 'none'], {
    section: '4, rule 4',
    about:
      'How a part of a list is asked for; offset counts records from 0, page counts pages from 1, index pages from 0.',
  }),
  'list.offsetParameter': parameter({
    default: 'offset',
    examples: ['skip'],
    when: { 'list.paging': 'offset' },
    section: '4, rule 4',
    about: 'The query parameter with the number of records to pass over.',
  }),
  'list.pageParameter': parameter({
    default: 'page',
    examples: ['p'],
    when: { 'list.paging': ['page', 'index'] },
    section: '4, rule 4',
    about: 'The query parameter with the number of the page.',
  }),
  'list.sizeParameter': parameter({
    default: 'limit',
    examples: ['perPage'],
    when: { 'list.paging': ['offset', 'page', 'index'] },
    section: '4, rule 4',
    about: 'The query parameter with the number of records wanted.',
  }),
  'list.defaultSize': count({
    default: 100,
    examples: [20],
    when: { 'list.paging': ['offset', 'page', 'index'] },
    section: '8',
    about: 'How many records a list shows when no number is asked for.',
  }),
  'list.maxSize': count({
    default: 500,
    examples: [50],
    when: { 'list.paging': ['offset', 'page', 'index'] },
    section: '8',
    about: 'How many records a list shows at most; asking for more gives this many.',
  }),
  'list.filterOperators': oneOf(['none', 'brackets'], {
    when: { 'list.filter': 'equality' },
    section: '4, rule 4',
    about:
      'Whether the name of a field takes an operator in brackets: gt, gte, lt, lte, contains, in (with commas between), null (true or false).',
  }),
  'list.sort': oneOf(['field', 'fields', 'none'], {
    section: '4, rule 4',
    about:
      'Whether a list can be sorted by a field, or by several with commas between; a minus before a name turns the order round.',
  }),
  'list.sortParameter': parameter({
    default: 'sort',
    examples: ['orderBy'],
    when: { 'list.sort': ['field', 'fields'] },
    section: '4, rule 4',
    about: 'The query parameter with the name of that field.',
  }),
  'list.filter': oneOf(['equality', 'none'], {
    section: '4, rule 4',
    about: 'Whether a query parameter named like a field keeps the records with that value.',
  }),
};
