import { oneOf } from '../kinds.ts';

/** The wire formats of values. */
export const typesSettings = {
  'types.currency': oneOf(['number', 'string', 'minor'], {
    section: '2',
    about: 'The wire format of money: a number, a string with two decimals, or an integer in cents.',
  }),
  'types.percent': oneOf(['number', 'string'], {
    section: '2',
    about: 'The wire format of a percentage: a number (21 means 21 %), or a string.',
  }),
  'types.select': oneOf(['value', 'string', 'object'], {
    section: '2',
    about:
      'The wire format of a value list member: its value, its value as a string, or an object with value and name.',
  }),
  'types.bool': oneOf(['bool', 'int'], {
    section: '2',
    about: 'The wire format of a boolean: true and false, or 1 and 0.',
  }),
  'types.date': oneOf(['iso', 'midnight'], {
    section: '2',
    about: 'The wire format of a date: 2025-10-22, or midnight in UTC as 2025-10-22T00:00:00Z.',
  }),
  'types.datetime': oneOf(['iso', 'space', 'local', 'milliseconds'], {
    section: '2',
    about:
      'The wire format of a date and time: 2025-10-22T09:30:00Z, 2025-10-22 09:30:00 in UTC, 2025-10-22T09:30:00 without a time zone, or milliseconds since 1970.',
  }),
  'types.time': oneOf(['seconds', 'minutes'], {
    section: '2',
    about: 'The wire format of a time of day: 09:30:00, or 09:30.',
  }),
  'types.duration': oneOf(['iso8601', 'seconds'], {
    section: '2',
    about: 'The wire format of a duration: ISO 8601 such as P30D, or an integer in seconds.',
  }),
  'types.daysOfWeek': oneOf(['array', 'mask', 'index'], {
    section: '2',
    about:
      'The wire format of days of the week: an array of numbers from 1 (Monday) to 7, an integer with bit 0 for Monday, or an array of numbers from 0 (Sunday) to 6.',
  }),
  'types.manyToMany': oneOf(['ids', 'objects'], {
    section: '2',
    about: 'The wire format of linked records: an array of IDs, or an array of objects with id.',
  }),
  'types.fkModel': oneOf(['name'], {
    section: '2',
    about: 'The wire format of a reference to a model: the name of the model.',
  }),
  'types.image': oneOf(['url'], {
    section: '2',
    about: 'The wire format of an image: its URL.',
  }),
  'types.lines': oneOf(['objects', 'ids'], {
    section: '2',
    about: 'The wire format of the lines of a record: complete records, or an array of IDs.',
  }),
};
