import { expect, test } from 'vitest';
import { catalogue } from '../../testing/checks.ts';
import type { KnownRecord } from './known-record.ts';
import { createSecondLook } from './second-look.ts';
import type { Seen } from './seen.ts';

test('when the budget of retrieves is used up, no record of another client is held against a list', async () => {
  const model = catalogue.models.get('brand');
  const record = { model, id: 7, isOwn: false, judged: { at: 0, digest: 'old' } } as unknown as KnownRecord;
  let held = 0;
  // The other client changed the record for good: a retrieve shows what the list shows.
  let isKnown = false;
  const list = { meaning: { model, operation: 'list', query: {} } } as unknown as Seen;
  const look = createSecondLook({
    recheckDelay: 0,
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
