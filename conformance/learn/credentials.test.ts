import { expect, it } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { observe } from '../../testing/profile/learning.ts';
import { type Answering, IDS, recordsOf, useStrangeService } from '../../testing/profile/strange-service.ts';

const { learn, start } = useStrangeService();

it.each([
  ['Bearer realm="x"', 'bearer', '--bearer TOKEN'],
  ['Basic realm="x"', 'basic', '--basic USER:PASSWORD'],
  ['ApiKey header="Api-Token"', 'apiKey', '--api-key Api-Token=VALUE'],
  ['Token realm="api"', 'apiKey', "--api-key 'Authorization=Token VALUE'"],
] as const)(
  'credentials: a 401 with the challenge %s makes learn name the flag to pass',
  async (challenge, scheme, flag) => {
    const learning = learn(() => ({ status: 401, headers: { 'www-authenticate': challenge } }));
    await expect(learning).rejects.toThrow(UsageError);
    await expect(learning).rejects.toThrow(
      `The service requires credentials of the scheme ${scheme}. Pass ${flag}.`,
    );
  },
);

it('credentials: if the service rejects them, the error says so and does not repeat them', async () => {
  const learning = learn(() => ({ status: 401, headers: { 'www-authenticate': 'Bearer' } }), {
    credentials: { authorization: 'Bearer s3cret' } as never,
  });
  await expect(learning).rejects.toThrow('The service rejects these credentials. Pass --bearer TOKEN.');
  await expect(learning).rejects.not.toThrow('s3cret');
});

const silent: Answering = (_, request) =>
  request.headers['x-my-key'] || request.headers.authorization ? { body: recordsOf(IDS) } : { status: 401 };

it('credentials: no finding and no error contains them, wherever the service repeats them', async () => {
  const secret = 's3cret-t0k3n-f0r-y0u';
  const credentials = { authorization: `Bearer ${secret}` };
  const status = { challenge: 401, forbidden: 403, list: 200 };
  for (const [place, code] of Object.entries(status))
    for (const before of [0, 105, 190].map((length) => ' '.repeat(length).replaceAll(' ', 'x'))) {
      const echo = `${before}${secret}`;
      const record = { id: secret, created: echo, [secret]: echo, deleted: echo };
      const baseUrl = await start(() => ({
        status: code,
        headers: {
          'www-authenticate': `ApiKey ${before ? 'realm' : 'header'}="${echo}"`,
          'x-ratelimit-limit': echo,
          'x-version': echo,
        },
        body: place === 'list' ? { [secret]: [record, record], message: echo } : { error: `version ${echo}` },
      }));
      const outcome = await observe({ baseUrl, credentials }).then(
        ({ learned: { settings, profile, warning } }) => JSON.stringify([...settings, profile, warning]),
        (error: Error) => error.message,
      );
      // The beginning of a secret that was cut is a part of it too.
      expect({ place, outcome }).toEqual({ place, outcome: expect.not.stringContaining('s3c') });
    }
});

it('credentials: the scheme stays unknown if neither the 401 nor the caller names it', async () => {
  const baseUrl = await start(silent);
  const options = { baseUrl, credentials: { authorization: 'Bearer s3cret' } };
  const { learned } = await observe(options, { write: false });
  expect(learned.settings.get('auth')).toMatchObject({ kind: 'unknown' });
  const { learned: told } = await observe(options, { write: false, credentials: 'bearer' });
  expect(told.settings.get('auth')).toMatchObject({ kind: 'found', value: 'bearer' });
});
