import { limit } from '../kinds.ts';
import { transitions, valueLists } from '../value-lists.ts';

/** The limits for values, status changes, and clients. */
export const limitsSettings = {
  transitions: transitions({
    default: 'any',
    examples: [
      {
        'stockOrder.status': { '0': [1], '1': [2, 3], '2': [3], '3': [] },
        'relationship.status': { '1': [2, 3, 4], '2': [4], '3': [4], '4': [2] },
      },
    ],
    section: '3',
    about:
      'The allowed changes of status fields. any allows all. Otherwise, each field lists the values that each value can change to.',
  }),
  'limits.text': limit({
    default: 'none',
    examples: [255],
    section: '8',
    about: 'The maximum length of a string, in characters.',
  }),
  'limits.rate': limit({
    default: 'none',
    examples: [20000],
    section: '8',
    about: 'The maximum number of requests per second. Above it, the service returns 429 with Retry-After.',
  }),
  values: valueLists({
    default: {},
    examples: [
      {
        'customer.language': ['es', 'en', 'ca'],
        fkModel: [
          'subscriptionCustomer',
          'lockerCustomer',
          'voucherPrice',
          'bookingDrawItem',
          'stockDeliveryLine',
        ],
      },
    ],
    section: '2.4',
    about:
      'Value lists that the source omits, by model.field. The key fkModel lists the models that fkModel fields can name. A list is complete. If there might be other values, write { works: [es] } with values that the service accepts.',
  }),
};
