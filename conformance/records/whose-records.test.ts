import { expect, test } from 'vitest';
import { check } from '../../testing/checks.ts';
import { useClosing } from '../../testing/closing.ts';
import { demo } from '../../testing/demo.ts';
import { startMockService } from '../../testing/mock-service.ts';
import { startRecordingProxy } from '../../testing/proxies/recording-proxy.ts';
import { startFaultyService } from '../../testing/services/faulty-service.ts';
import { learn } from '../../testing/use-foreign-service.ts';

const closing = useClosing();

test.each([
  ['check', 'create.answers-another-record:brand', check],
  ['check', 'create.answers-unknown-id:brand', check],
  ['check', 'fields.wrong-type:brand.id', check],
  ['learn', 'create.answers-another-record:brand', learn],
] as const)('%s deletes and updates no existing record on a service with %s', async (_, defect, write) => {
  const { url } = closing(await startMockService({ defect, fixtures: demo }));
  const records = async () => (await (await fetch(`${url}/api/model/brand?limit=500`)).json()) as object[];
  const before = await records();
  const { leftovers } = await write(url, { models: ['brand'] });
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
