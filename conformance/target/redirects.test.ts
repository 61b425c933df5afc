import { describe, expect, test } from 'vitest';
import { BRAND, NEW_BRAND, useTarget } from '../../testing/proxies/use-target.ts';

const { recorder, target } = useTarget();

describe('secrets', () => {
  const SECRET = 't0ps3cret-t0k3n';

  test('in the address of a redirect stand in no exchange', async () => {
    const location = `https://me:${SECRET}@example.com/x?token=${SECRET}`;
    const { url } = await recorder(() => ({ status: 302, headers: { location } }));
    const { exchanges, send } = target(url);
    await send(BRAND);
    expect(exchanges[0]?.response.headers.location).toBe('https://[redacted]@example.com/x?token=[redacted]');
  });

  test.each([301, 302, 303, 307, 308])(
    'go to no other host: a %i is an answer, and not followed',
    async (status) => {
      const elsewhere = await recorder(() => ({}));
      const { url } = await recorder(() => ({
        status,
        headers: { location: `${elsewhere.url}/api/model/brand` },
      }));
      const { send } = target(url, { credentials: { authorization: `Bearer ${SECRET}` } });
      const answers = [await send(BRAND), await send(NEW_BRAND)];
      expect(answers.map((answer) => answer.status)).toEqual([status, status]);
      expect(answers[0]?.headers.location).toContain(elsewhere.url);
      expect(elsewhere.asked).toEqual([]);
    },
  );
});
