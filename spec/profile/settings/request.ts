import { oneOf } from '../kinds.ts';

/** How a request is written and read. */
export const requestSettings = {
  'request.encoding': oneOf(['json', 'form'], {
    section: '4, rule 5',
    about:
      'How the body of a request is written; form is application/x-www-form-urlencoded with brackets for what is nested.',
  }),
  'request.unknownFields': oneOf(['reject', 'ignore'], {
    section: '4, rule 2',
    about: 'What happens to a field or query parameter that the model does not have.',
  }),
  'request.readonlyFields': oneOf(['ignore', 'reject'], {
    section: '4, rule 2',
    about: 'What happens to a readonly field that is sent. It is never stored.',
  }),
  'request.references': oneOf(['accept', 'reject'], {
    section: '4, rule 2',
    about: 'What happens to a link to a record that does not exist.',
  }),
  'request.update': oneOf(['partial', 'full'], {
    section: '4, rule 1',
    about:
      'Whether an update keeps the fields that are not sent, or unsets them and asks for the required ones.',
  }),
};
