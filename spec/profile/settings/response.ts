import { modelPointer, name, oneOf, pointer } from '../kinds.ts';

/** The format of responses. */
export const responseSettings = {
  'response.record': modelPointer({
    default: '',
    examples: ['/data', '/result/{model_name}'],
    section: '4, rule 5',
    about:
      'Where a response contains its record, as a JSON pointer. "" is the whole body. The pointer can include the model name, as in /{model}. For the model lineItem, {model_name} is line_item, {model-name} is line-item, and {Model} is LineItem.',
  }),
  'response.records': modelPointer({
    default: '',
    examples: ['/data', '/_embedded/{models}'],
    section: '4, rule 5',
    about:
      'Where a list response contains its records, as a JSON pointer. "" is the whole body. The pointer can include the model name, as in /{models} or /_embedded/{model}List. For the model lineItem, {model_names} is line_items, {model-names} is line-items, and {Models} is LineItems.',
  }),
  'response.total': oneOf(['header', 'pointer', 'none'], {
    section: '4, rule 4',
    about: 'Where a list response contains the total number of records on all pages.',
  }),
  'response.totalHeader': name({
    default: 'X-Total-Count',
    examples: ['X-Total'],
    when: { 'response.total': 'header' },
    section: '4, rule 4',
    about: 'The header that contains the total.',
  }),
  'response.totalPointer': pointer({
    default: '/total',
    examples: ['/meta/total'],
    when: { 'response.total': 'pointer' },
    section: '4, rule 4',
    about: 'The JSON pointer to the total in the body.',
  }),
  'response.unset': oneOf(['null', 'absent'], {
    section: '4, rule 5',
    about: 'How a response shows a field without a value.',
  }),
};
