import { describe, expect, test } from 'vitest';
import { against, check } from '../../testing/checks.ts';
import { observe } from '../../testing/profile/learning.ts';
import { type Loss, useLossyService } from '../../testing/proxies/use-lossy-service.ts';
import { createRandom } from '../../testing/services/draw.ts';

const { start } = useLossyService();
const plan = { models: ['brand', 'share', 'lockerType'], looks: [0], tag: 'k3f9', tagIsUnique: true };
/** Requests that are lost, one per run. ALL_LOSSES=1 tries every tenth one. */
const DRAWN = 1;

/** Draws some of the requests of a run, each as a lost request and as a lost response. */
function draw(requests: number): (readonly [number, Loss])[] {
  const random = createRandom(requests);
  const every = Array.from({ length: Math.floor(requests / 10) }, (_, index) => index * 10 + 1);
  const some = Array.from({ length: DRAWN }, () => 1 + Math.floor(random() * (requests - 1)));
  return (process.env.ALL_LOSSES ? every : some).flatMap((n) => [
    [n, 'request'] as const,
    [n, 'response'] as const,
  ]);
}

describe('one lost response, whichever it is,', () => {
  test('changes no outcome of a check, and leaves no record that is not named', async () => {
    const whole = await start(() => undefined);
    const expected = against(await check(whole.url, plan));
    for (const [n, loss] of draw(whole.asked.length)) {
      const { asked, left, url } = await start((_, index) => (index === n ? loss : undefined));
      const results = await check(url, plan);
      const { leftovers, oddities } = results;
      const context = `${loss} ${n}: ${asked[n]?.method} ${asked[n]?.path} ${asked[n]?.body}`;
      expect({ context, against: against(results), leftovers }).toEqual({
        context,
        against: expected,
        leftovers: left(),
      });
      expect(oddities).toEqual(['1 request was sent again, because the response was lost']);
    }
  });

  test('changes no setting that learn finds', async () => {
    const selected = new Set(plan.models);
    const learn = async (meddle: Parameters<typeof start>[0]) => {
      const service = await start(meddle);
      const more = { selected, tag: 'k3f9', tagIsUnique: true };
      return { ...service, ...(await observe({ baseUrl: service.url }, more)).learned };
    };
    const kinds = ({ settings }: Awaited<ReturnType<typeof learn>>) =>
      [...settings].map(([name, { kind }]) => [name, kind]);
    const whole = await learn(() => undefined);
    for (const [n, loss] of draw(whole.asked.length)) {
      const one = await learn((_, index) => (index === n ? loss : undefined));
      const context = `${loss} ${n}: ${one.asked[n]?.method} ${one.asked[n]?.path} ${one.asked[n]?.body}`;
      expect({ context, kinds: kinds(one), left: one.leftovers }).toEqual({
        context,
        kinds: kinds(whole),
        // A line goes with its record.
        left: one.left().filter((name) => !/Line\//.test(name)),
      });
    }
  });
});
