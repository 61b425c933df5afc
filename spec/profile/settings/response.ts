import { modelPointer, name, oneOf, pointer } from '../kinds.ts';

/** Where things stand in an answer. */
export const responseSettings = {
  'response.record': modelPointer({
    default: '',
    examples: ['/data', '/result/{model_name}'],
    section: '4, rule 5',
    about:
      'Where the record stands in an answer with one record, as a JSON pointer; "" is the body itself. It may name the model, as /{model} does: {model_name} is stock_order, {model-name} stock-order, {Model} StockOrder.',
  }),
  'response.records': modelPointer({
    default: '',
    examples: ['/data', '/_embedded/{models}'],
    section: '4, rule 5',
    about:
      'Where the records stand in an answer with many, as a JSON pointer; "" is the body itself. It may name the model, as /{models} or /_embedded/{model}List do: {model_names} is stock_orders, {model-names} stock-orders, {Models} StockOrders.',
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
