import { name, oneOf, pointer } from '../kinds.ts';

/** Where things stand in an answer. */
export const responseSettings = {
  'response.record': pointer({
    default: '',
    examples: ['/data', '/result/record'],
    section: '4, rule 5',
    about: 'Where the record stands in an answer with one record, as a JSON pointer; "" is the body itself.',
  }),
  'response.records': pointer({
    default: '',
    examples: ['/data', '/result/records'],
    section: '4, rule 5',
    about: 'Where the records stand in an answer with many, as a JSON pointer; "" is the body itself.',
  }),
  'response.total': oneOf(['header', 'pointer', 'none'], {
    section: '4, rule 4',
    about: 'Where the number of all records of a list stands, whatever the page.',
  }),
  'response.totalHeader': name({
    default: 'X-Total-Count',
    examples: ['X-Total'],
    when: { 'response.total': 'header' },
    section: '4, rule 4',
    about: 'The header with that number.',
  }),
  'response.totalPointer': pointer({
    default: '/total',
    examples: ['/meta/total'],
    when: { 'response.total': 'pointer' },
    section: '4, rule 4',
    about: 'The place of that number in the body, as a JSON pointer.',
  }),
  'response.unset': oneOf(['null', 'absent'], {
    section: '4, rule 5',
    about: 'How a field without a value is shown.',
  }),
};
