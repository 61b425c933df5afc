import { oneOf } from '../kinds.ts';

/** The forms of values on the wire. */
export const typesSettings = {
  'types.currency': oneOf(['number', 'string', 'minor'], {
    section: '2',
    about: 'An amount of money as a number, as a text with two decimals, or as a whole number of cents.',
  }),
  'types.percent': oneOf(['number', 'string'], {
    section: '2',
    about: 'A percentage as a number (21 is 21 %), or as a text.',
  }),
  'types.select': oneOf(['value', 'string', 'object'], {
    section: '2',
    about: 'A member of a value list as its value, as a text, or as an object with value and name.',
  }),
  'types.bool': oneOf(['bool', 'int'], {
    section: '2',
    about: 'A truth value as true and false, or as 1 and 0.',
  }),
  'types.date': oneOf(['iso', 'midnight'], {
    section: '2',
    about: 'A day as 2025-10-22, or as its first moment in UTC, 2025-10-22T00:00:00Z.',
  }),
  'types.datetime': oneOf(['iso', 'space', 'local', 'milliseconds'], {
    section: '2',
    about:
      'A point in time as 2025-10-22T09:30:00Z, as 2025-10-22 09:30:00 in UTC, without a zone as 2025-10-22T09:30:00, or as milliseconds since 1970.',
  }),
  'types.time': oneOf(['seconds', 'minutes'], {
    section: '2',
    about: 'A time of day as 09:30:00, or as 09:30.',
  }),
  'types.duration': oneOf(['iso8601', 'seconds'], {
    section: '2',
    about: 'A length of time such as P30D, or as a whole number of seconds.',
  }),
  'types.daysOfWeek': oneOf(['array', 'mask', 'index'], {
    section: '2',
    about:
      'Days as a list of numbers from 1 (Monday) to 7, as a whole number with bit 0 for Monday, or as a list from 0 (Sunday) to 6.',
  }),
  'types.manyToMany': oneOf(['ids', 'objects'], {
    section: '2',
    about: 'Linked records as a list of ids, or as a list of objects with id.',
  }),
  'types.fkModel': oneOf(['name'], {
    section: '2',
    about: 'The model a record belongs to, as the name of the model.',
  }),
  'types.image': oneOf(['url'], {
    section: '2',
    about: 'An image as the address it is found at.',
  }),
  'types.lines': oneOf(['objects', 'ids'], {
    section: '2',
    about: 'The lines of a record in full, or as a list of the ids of line records.',
  }),
};
