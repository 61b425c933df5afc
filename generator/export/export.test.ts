import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { demo } from '../../testing/demo.ts';
import { EXPORT_NAMES } from './entities.ts';
import { exportContract } from './export.ts';

const contract = loadContract();
const options = {
  records: demo,
  selection: { models: ['stockOrder', 'customer', 'subscriptionTask'] },
  renderer: () => ({ script: 'render()', style: 'body {}' }),
};
const textOf = (written: string | ReadonlyMap<string, string>) =>
  typeof written === 'string' ? written : JSON.stringify([...written]);
/** All that the exports are given, as text. */
const given = () =>
  JSON.stringify({ contract, options }, (_, value) => (value instanceof Map ? [...value] : value));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe.each(EXPORT_NAMES)('export %s', (name) => {
  it('writes the same bytes whenever it is asked, and changes nothing that it is given', async () => {
    const before = given();
    const first = textOf(await exportContract(name, contract, options));
    expect(first.length).toBeGreaterThan(1000);
    vi.useFakeTimers({ now: new Date('2031-05-05T05:05:05Z'), toFake: ['Date'] });
    vi.spyOn(Math, 'random').mockReturnValue(0.123);
    vi.spyOn(crypto, 'randomUUID').mockReturnValue('0-0-0-0-0');
    expect(textOf(await exportContract(name, loadContract(), options))).toBe(first);
    expect(given()).toBe(before);
  });
});
