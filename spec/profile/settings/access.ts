import { name, oneOf } from '../kinds.ts';

/** The credentials and the version that are asked for. */
export const accessSettings = {
  'auth.scheme': oneOf(['none', 'bearer', 'basic', 'apiKey'], {
    section: '5',
    about: 'The credentials that are asked for; without them the answer is 401.',
  }),
  'auth.header': name({
    default: 'X-API-Key',
    examples: ['Api-Token'],
    when: { 'auth.scheme': 'apiKey' },
    section: '5',
    about: 'The header with the API key.',
  }),
  'version.in': oneOf(['none', 'header', 'query'], {
    section: '9',
    about: 'Where a client names the version label; where it is asked for, a request without it is invalid.',
  }),
  'version.name': name({
    default: 'Api-Version',
    examples: ['version'],
    when: { 'version.in': ['header', 'query'] },
    section: '9',
    about: 'The header or query parameter with the version label.',
  }),
};
