import { absence, oneOf, refusal, success } from '../kinds.ts';

/** The statuses of responses, and the body of errors. */
export const statusSettings = {
  'status.created': success({
    default: 201,
    examples: [200],
    section: '7',
    about: 'The status of a successful create.',
  }),
  'status.updated': success({
    default: 200,
    examples: [202],
    section: '7',
    about: 'The status of a successful update.',
  }),
  'status.deleted': success({
    default: 200,
    examples: [204],
    section: '7',
    about: 'The status of a successful delete. 204 has no body, regardless of delete.answer.',
  }),
  'status.invalid': refusal({
    default: 422,
    examples: [400, 409],
    section: '7',
    about: 'The status if a field or parameter is missing, invalid, or not allowed.',
  }),
  'status.unparsable': refusal({
    default: 400,
    examples: [415],
    section: '7',
    about: "The status if a body can't be parsed, has an unsupported media type, or is not an object.",
  }),
  'status.unknownRecord': refusal({
    default: 404,
    examples: [410],
    section: '7',
    about: 'The status if no record has the ID.',
  }),
  'status.unknownModel': refusal({
    default: 404,
    examples: [400],
    section: '7',
    about: 'The status if no model has the name.',
  }),
  'status.noOperation': absence({
    default: 405,
    examples: [404, 501],
    section: '7',
    about: 'The status if the method or operation does not exist.',
  }),
  'errors.form': oneOf(['problem', 'simple', 'empty'], {
    section: '7',
    about:
      'The body of an error. problem is RFC 9457 with a list of violations, simple is an object with error and violations, empty is no body.',
  }),
};
