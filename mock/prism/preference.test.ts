import { expect, test } from 'vitest';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import { startMock } from '../../testing/mocks/mocks.ts';
import { expectTranscript } from '../../testing/transcripts/transcripts.ts';

expectTranscript(import.meta.dirname, 'preference');

test.each([
  [{}, ''],
  [{ 'response.total': '/meta/total', 'response.records': '/data' }, '/data'],
])('a Prefer header selects a random list that matches its total, under %j', async (settings, place) => {
  const { ask } = await startMock(settings);
  for (const seed of [7, 8]) {
    const prefer = { prefer: `dynamic=true, seed=${seed}` };
    const { body, headers } = await ask('GET', '/warehouse', undefined, prefer);
    const total = headers['x-total-count'] ?? valueAt(body, '/meta/total');
    expect(valueAt(body, place)).toHaveLength(Number(total));
  }
});
