import { expect, test } from 'vitest';
import { catalogue } from '../../testing/checks.ts';
import type { Seen } from '../api/meaning.ts';
import { createKnownRecords } from '../book/known-record.ts';
import { createSecondLook } from './state.ts';

test('when the budget of retrieves is used up, no record of another client is held against a list', async () => {
  const [model] = catalogue.models.values();
  if (!model) throw new Error('the catalogue has no model');
  const record = createKnownRecords(() => undefined).meet(model, 7, 0);
  record.judged = { at: 0, digest: 'old' };
  let held = 0;
  // The other client changed the record for good: a retrieve shows what the list shows.
  let isKnown = false;
  const list: Seen = {
    meaning: { model, operation: 'list', query: {} },
    outcome: 'accepted',
    status: 200,
    records: [],
    exchange: undefined,
    asked: 1,
    answered: 2,
  };
  const look = createSecondLook({
    ask: async (meaning) => ({ ...list, meaning }),
    judge: {
      read: ({ meaning }) => {
        if (meaning.operation === 'retrieve') isKnown = true;
        return isKnown ? [] : [{ record, hold: () => held++ }];
      },
    },
  });
  for (let times = 0; times < 150; times++) {
    isKnown = false;
    await look(list);
  }
  expect(held).toBe(0);
});
