import { afterEach, expect, test } from 'vitest';
import { decorateWith, parseDefect } from '../../mock/defects/defects.ts';
import { listen } from '../../mock/http/server.ts';
import { createMock } from '../../mock/mock.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { catalogue, check, references } from '../../testing/checks.ts';
import { demo } from '../../testing/demo.ts';
import { startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { startSqliteService } from '../../testing/services/sqlite-service.ts';
import { learnProfile } from '../learn/learn.ts';
import { createTarget } from '../target/target.ts';

/** The run neither deletes nor updates existing records, whatever the response to a create says. */
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const PLACES = [
  ['create.answers-another-record', 'brand'],
  ['create.answers-unknown-id', 'brand'],
  ['fields.wrong-type', 'brand.id'],
] as const;

async function serve(defect: string): Promise<{ url: string; records(): Promise<{ id: unknown }[]> }> {
  const plan = { catalogue, profile: DEFAULT_PROFILE, references };
  const decoration = decorateWith(parseDefect(defect, plan), plan);
  const mock = await createMock({ ...plan, fixtures: demo, decoration });
  const server = await listen(mock, { port: 0, host: '127.0.0.1' });
  open.push(server);
  return {
    url: server.url,
    records: async () => (await fetch(`${server.url}/api/model/brand?limit=500`)).json() as never,
  };
}

function expectUntouched(before: { id: unknown }[], after: { id: unknown }[], leftovers: readonly string[]) {
  // The shown IDs can be wrong, but lists are in the order of creation.
  expect(after.slice(0, before.length)).toEqual(before);
  const more = after.length - before.length;
  expect({ more, named: leftovers.some((name) => name.startsWith('brand/')) }).toEqual({
    more,
    named: more > 0,
  });
}

test.each(PLACES)('a check of %s at %s', async (defect, place) => {
  const { records, url } = await serve(`${defect}:${place}`);
  const before = await records();
  const { leftovers } = await check(url, { models: ['brand'] });
  expectUntouched(before, await records(), leftovers);
});

test.each(PLACES.slice(0, 1))('learning from %s at %s', async (defect, place) => {
  const { records, url } = await serve(`${defect}:${place}`);
  const before = await records();
  const target = createTarget({ baseUrl: url });
  const { leftovers } = await learnProfile({
    catalogue,
    references,
    target,
    write: true,
    selected: new Set(['brand']),
  });
  await target.close();
  expectUntouched(before, await records(), leftovers);
});

test.each([[[]], ['null']])(
  'records that a list of %j hides are not wiped by a DELETE of all',
  async (body) => {
    const service = await startSqliteService();
    open.push(service);
    service.insert('brand', { name: 'old' });
    const proxy = await startRecordingProxy(service.url, ({ method, path }) =>
      method === 'GET' && /brand([?]|$)/.test(path) ? { body } : undefined,
    );
    open.push(proxy);
    const { cases } = await check(proxy.url, { models: ['brand'], rules: ['absent.delete-all'] });
    expect(cases.map(({ outcome }) => outcome)).toEqual(['skip']);
    expect(proxy.asked.filter(({ method, path }) => method === 'DELETE' && path.endsWith('brand'))).toEqual(
      [],
    );
  },
);
