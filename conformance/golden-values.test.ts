import { afterEach, expect, test } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { vectorsOf } from '../spec/types/vectors.ts';
import { against, type Checking, catalogue, check } from '../testing/checks.ts';
import type { Defect } from '../testing/services/defects/defect.ts';
import { readOptions } from '../testing/services/plain/options.ts';
import { startPlain } from '../testing/services/plain/plain.ts';
import type { Service } from '../testing/services/service.ts';
import type { Target } from './target/target.ts';

/** Values that no codec of the suite made, sent to a service that shares no code with it. */
let service: Service | undefined;
afterEach(() => service?.close());

const profile = createProfile({ 'types.currency': 'string' }, catalogue);

async function run(defect: Partial<Defect>, more: Checking = {}) {
  const dialect = readOptions(['sort=field', 'currency=string']);
  service = await startPlain({ dialect, defect: { name: 'test', rules: [], models: [], ...defect } });
  return check(service.url, { profile, models: ['voucherPrice'], looks: [0], ...more });
}

test('amounts are sent in their golden forms, and taken by a service that keeps them', async () => {
  const sent = new Set<unknown>();
  const wrap = (target: Target): Target => ({
    ...target,
    send(request, record) {
      const body = request.method === 'POST' ? (JSON.parse(request.body || '{}') as { price?: unknown }) : {};
      sent.add(body.price);
      return target.send(request, record);
    },
  });
  const results = await run({}, { rules: ['advice.edge-kept'], wrap });
  const golden: unknown[] = vectorsOf('currency', profile).pairs.map(([, wire]) => wire);
  expect([...sent]).toEqual(expect.arrayContaining(golden));
  expect(results.counts.fail).toBe(0);
});

test('one that is not kept fails the stated rule, with any seed', async () => {
  const values: Defect['values'] = (row, { model }) =>
    model.name === 'voucherPrice' && Number(row.price) === -3.75 ? { ...row, price: '3.75' } : row;
  for (const seed of [1, 2]) {
    const results = await run({ values }, { rules: ['create.keeps-field', 'advice.edge-kept'], seed });
    expect(against(results).map(({ id }) => id)).toEqual(['create.keeps-field:voucherPrice.price']);
    await service?.close();
  }
});

test('a text that many languages take for nothing is no nothing', async () => {
  const values: Defect['values'] = (row) => (row.description === '0' ? { ...row, description: null } : row);
  const results = await run({ values }, { rules: ['advice.text-kept', 'create.keeps-field'] });
  expect(against(results).map(({ id }) => id)).toEqual(['create.keeps-field:voucherPrice.description']);
});

test('a fraction is no int', async () => {
  const forgives: Defect['forgives'] = ({ kind, value }) => kind === 'type' && value === 1.5;
  const rules = ['fields.wrong-type-on-create'];
  const failed = against(await run({ forgives }, { rules })).map(({ id }) => id);
  expect(failed).toContain('fields.wrong-type-on-create:voucherPrice.minAge');
  await service?.close();
  const whole: Defect['values'] = (row) => ({ ...row, minAge: row.minAge && Math.trunc(Number(row.minAge)) });
  const results = await run({ forgives: (found) => found.field.name === 'minAge', values: whole }, { rules });
  expect(against(results)).toEqual([]);
});
