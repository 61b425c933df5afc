import { absence, oneOf, refusal, success } from '../kinds.ts';

/** The statuses of answers, and the body of errors. */
export const statusSettings = {
  'status.created': success({
    default: 201,
    examples: [200],
    section: '7',
    about: 'The status of a create.',
  }),
  'status.updated': success({
    default: 200,
    examples: [202],
    section: '7',
    about: 'The status of an update.',
  }),
  'status.deleted': success({
    default: 200,
    examples: [204],
    section: '7',
    about: 'The status of a delete; 204 has no body, whatever delete.answer says.',
  }),
  'status.invalid': refusal({
    default: 422,
    examples: [400, 409],
    section: '7',
    about: 'The status when a value, a required field or a field that may not be sent is wrong.',
  }),
  'status.unparsable': refusal({
    default: 400,
    examples: [415],
    section: '7',
    about: "The status when a body can't be read, has another media type or is no object.",
  }),
  'status.unknownRecord': refusal({
    default: 404,
    examples: [410],
    section: '7',
    about: 'The status when there is no record with the id.',
  }),
  'status.unknownModel': refusal({
    default: 404,
    examples: [400],
    section: '7',
    about: 'The status when there is no model of the name.',
  }),
  'status.noOperation': absence({
    default: 405,
    examples: [404, 501],
    section: '7',
    about: 'The status of a method or operation that does not exist.',
  }),
  'errors.form': oneOf(['problem', 'simple', 'empty'], {
    section: '7',
    about:
      'The body of an error; problem is RFC 9457 with a list of violations, simple an object with error and violations.',
  }),
};
