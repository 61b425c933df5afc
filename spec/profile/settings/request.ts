import { oneOf } from '../kinds.ts';

/** The format of requests. */
export const requestSettings = {
  'request.encoding': oneOf(['json', 'form'], {
    section: '4, rule 5',
    about:
      'The encoding of request bodies. form is application/x-www-form-urlencoded with brackets for nested values.',
  }),
  'request.unknownFields': oneOf(['reject', 'ignore'], {
    section: '4, rule 2',
    about: 'Whether the service rejects or ignores a field or query parameter that the model does not have.',
  }),
  'request.readonlyFields': oneOf(['ignore', 'reject'], {
    section: '4, rule 2',
    about: 'Whether the service ignores or rejects a readonly field in a request. It never stores the value.',
  }),
  'request.references': oneOf(['accept', 'reject', 'some'], {
    section: '4, rule 2',
    about:
      'Whether the service accepts or rejects a link to a record that does not exist. some means that it checks some links and not others; the mock then checks the links of required fields.',
  }),
  'request.update': oneOf(['partial', 'full'], {
    section: '4, rule 1',
    about:
      'Whether an update keeps the values of omitted fields (partial), or clears them and needs all required fields (full).',
  }),
};
