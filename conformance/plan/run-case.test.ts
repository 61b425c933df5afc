import { expect, test } from 'vitest';
import { contract } from '../../testing/checks.ts';
import { useService } from '../../testing/mock-service.ts';
import { createCaseSetup, type Rule } from '../cases/rule.ts';
import { createTarget } from '../target/target.ts';
import { planRun } from './plan.ts';
import { runCase } from './run-case.ts';

const { start } = useService();

test.each<[string, Rule['judge'], object]>([
  ['sends no request is skipped', async () => {}, { outcome: 'skip', unjudged: true }],
  ['sends a request passes', async ({ api }) => void (await api.list('brand')), { outcome: 'pass' }],
])('a case that throws nothing and %s', async (_, run, expected) => {
  const { url } = await start();
  const rule = { id: 'a.rule', title: '', requirement: '', level: 'stated', needs: [], judge: run } as const;
  const [planned] = planRun(contract, { models: ['brand'] }, [rule]).flat();
  const target = createTarget({ baseUrl: url });
  const setup = createCaseSetup({ ...contract, target, readOnly: true, seed: 1 });
  expect(planned && (await runCase(planned, setup))).toMatchObject(expected);
  await target.close();
});
