import { expect, test } from 'vitest';
import { decorateWith, parseDefect } from '../../mock/defects/defects.ts';
import { listen } from '../../mock/http/server.ts';
import { createMock } from '../../mock/mock.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { catalogue, check, references } from '../../testing/checks.ts';
import { useClosing } from '../../testing/closing.ts';
import { demo } from '../../testing/demo.ts';
import { startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { startFaultyService } from '../../testing/services/faulty-service.ts';
import { learnProfile } from '../learn/learn.ts';
import { createTarget } from '../target/target.ts';

const closing = useClosing();
const run = (url: string) => check(url, { models: ['brand'] });
const learn = (url: string) =>
  learnProfile({
    catalogue,
    references,
    target: closing(createTarget({ baseUrl: url })),
    write: true,
    selected: new Set(['brand']),
  });

test.each([
  ['check', 'create.answers-another-record:brand', run],
  ['check', 'create.answers-unknown-id:brand', run],
  ['check', 'fields.wrong-type:brand.id', run],
  ['learn', 'create.answers-another-record:brand', learn],
] as const)('%s deletes and updates no existing record on a service with %s', async (_, defect, write) => {
  const plan = { catalogue, profile: DEFAULT_PROFILE, references };
  const decoration = decorateWith(parseDefect(defect, plan), plan);
  const mock = await createMock({ ...plan, fixtures: demo, decoration });
  const { url } = closing(await listen(mock, { port: 0, host: '127.0.0.1' }));
  const records = async () => (await (await fetch(`${url}/api/model/brand?limit=500`)).json()) as object[];
  const before = await records();
  const { leftovers } = await write(url);
  const after = await records();
  // The shown IDs can be wrong, but lists are in the order of creation.
  expect(after.slice(0, before.length)).toEqual(before);
  expect(leftovers.some((name) => name.startsWith('brand/'))).toBe(after.length > before.length);
});

test.each([[[]], ['null']])(
  'records that a list of %j hides are not wiped by a DELETE of all',
  async (body) => {
    const service = closing(await startFaultyService({ rows: { brand: [{ name: 'old' }] } }));
    const isList = (method: string, path: string) => method === 'GET' && /brand([?]|$)/.test(path);
    const proxy = await startRecordingProxy(service.url, ({ method, path }) =>
      isList(method, path) ? { body } : undefined,
    );
    const { cases } = await check(closing(proxy).url, { models: ['brand'], rules: ['absent.delete-all'] });
    expect(cases.map(({ outcome }) => outcome)).toEqual(['skip']);
    expect(proxy.asked.filter(({ method, path }) => method === 'DELETE' && path.endsWith('brand'))).toEqual(
      [],
    );
  },
);
