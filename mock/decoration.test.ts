import { describe, expect, test } from 'vitest';
import { few, startMock } from '../testing/mocks/mocks.ts';
import { combineDecorations } from './decoration.ts';

describe('a fork of a mock', () => {
  test('begins with the same records, and shares none from then on', async () => {
    const fixtures = new Map([['warehouse', [{ id: 7, name: 'a' }]]]);
    const { mock, ask } = await startMock({}, { fixtures });
    await ask('POST', '/warehouse/7', { name: 'b' });
    const fork = await mock.fork();
    const read = async ({ fetch }: typeof mock) =>
      (await (await fetch(new Request(`http://mock.invalid${few.base}/warehouse/7`))).json()) as unknown;
    expect(await read(fork)).toMatchObject({ name: 'a' });
    expect(await read(mock)).toMatchObject({ name: 'b' });
  });
});

test('of several decorations the last stands outermost', async () => {
  const adding = (word: string) => ({
    handle:
      (inner: Parameters<NonNullable<ReturnType<typeof combineDecorations>['handle']>>[0]) =>
      async (request: Parameters<typeof inner>[0]) => {
        const reply = await inner(request);
        return { ...reply, body: reply.body + word };
      },
  });
  const { mock } = await startMock({}, { decoration: combineDecorations([adding('a'), adding('b')]) });
  const reply = await mock.answer({ method: 'GET', target: `${few.base}/warehouse`, headers: {} });
  expect(reply.body).toBe('[]ab');
});
