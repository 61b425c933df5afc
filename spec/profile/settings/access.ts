import { name, oneOf } from '../kinds.ts';

/** The required credentials and version. */
export const accessSettings = {
  'auth.scheme': oneOf(['none', 'bearer', 'basic', 'apiKey'], {
    section: '5',
    about: 'The required authentication scheme. Without credentials, the service returns 401.',
  }),
  'auth.header': name({
    default: 'X-API-Key',
    examples: ['Api-Token'],
    when: { 'auth.scheme': 'apiKey' },
    section: '5',
    about: 'The header that contains the API key.',
  }),
  'version.in': oneOf(['none', 'header', 'query'], {
    section: '9',
    about:
      'Where clients send the version label. If the service requires it, a request without it is invalid.',
  }),
  'version.name': name({
    default: 'Api-Version',
    examples: ['version'],
    when: { 'version.in': ['header', 'query'] },
    section: '9',
    about: 'The name of the header or query parameter that contains the version label.',
  }),
};
