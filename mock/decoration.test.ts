import { describe, expect, test } from 'vitest';
import { few, startMock } from '../testing/mocks/mocks.ts';

describe('a fork of a mock', () => {
  test('begins with the same records, and shares none from then on', async () => {
    const fixtures = { warehouse: [{ id: 7, name: 'a' }] };
    const { mock, ask } = await startMock({}, { fixtures });
    await ask('POST', '/warehouse/7', { name: 'b' });
    const fork = await mock.fork();
    const read = async ({ fetch }: typeof mock) =>
      (await (await fetch(new Request(`http://mock.invalid${few.base}/warehouse/7`))).json()) as unknown;
    expect(await read(fork)).toMatchObject({ name: 'a' });
    expect(await read(mock)).toMatchObject({ name: 'b' });
  });
});
