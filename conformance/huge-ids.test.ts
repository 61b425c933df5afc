import { expect, test } from 'vitest';
import { against, check } from '../testing/checks.ts';
import { useLossyService } from '../testing/proxies/use-lossy-service.ts';
import { exitCode, remarksOn } from './results/results.ts';

const { start } = useLossyService();
const START = 9_007_199_254_740_993n;

/** Serves the records of a service under IDs above 2^53. */
async function serveHugeIds() {
  const { left, url } = await start(async (asked, _, { perform }) => {
    const small = asked.path.replace(/\/(\d{16,})/, (_, id) => `/${BigInt(id) - START}`);
    const { body, status } = await perform({ ...asked, path: small });
    return { status, body: body.replaceAll(/"id":\s*(\d+)/g, (_, id) => `"id":${START + BigInt(id)}`) };
  });
  return { url, left };
}

test('IDs above 2^53 are a limit of the suite, which makes the run inconclusive', async () => {
  const { left, url } = await serveHugeIds();
  const results = await check(url, { models: ['brand', 'share', 'lockerType'], looks: [0] });
  expect([exitCode(results), left(), results.leftovers]).toEqual([4, [], []]);
  expect(against(results).every(({ limited }) => limited)).toBe(true);
  expect(remarksOn(results)).toEqual([
    expect.stringMatching(
      /^\d+ of \d+ cases need what the suite can't do: the ID \d+ of a \w+ is above 2\^53, and the suite can't represent/,
    ),
  ]);
});
