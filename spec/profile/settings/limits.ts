import { limit } from '../kinds.ts';
import { transitions, valueLists } from '../value-lists.ts';

/** What a value, a state and a client are held to. */
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
    about: 'Which states may follow a state; any, or for a status field the values each value may move to.',
  }),
  'limits.text': limit({
    default: 'none',
    examples: [255],
    section: '8',
    about: 'The greatest length of a text in characters.',
  }),
  'limits.rate': limit({
    default: 'none',
    examples: [20000],
    section: '8',
    about: 'The greatest number of requests a second; above it the answer is 429 with Retry-After.',
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
      'Value lists the source does not show, by model.field, and under fkModel the models an fkModel may name. A list is complete; { works: [es] } names values that work where there may be others.',
  }),
};
