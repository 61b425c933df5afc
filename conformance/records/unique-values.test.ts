import { expect, test } from 'vitest';
import { check } from '../../testing/checks.ts';
import { useClosing } from '../../testing/closing.ts';
import { startExpress } from '../../testing/services/express/express.ts';
import { profile, useFaultyService } from '../../testing/use-faulty-service.ts';
import { complaints, learnTerms } from '../../testing/use-foreign-service.ts';

const closing = useClosing();
const { start } = useFaultyService();

test('run after run on one database: names that are unique, those of deleted rows too, don’t collide', async () => {
  const { url } = closing(await startExpress());
  const models = ['brand'];
  for (const tag of ['t0', 't1']) {
    const learned = await learnTerms(url, { models, seed: 1000, tag: `${tag}l` });
    expect(complaints(await check(url, { ...learned, models, seed: 1000, tag }))).toEqual([]);
  }
});

test('a create that is refused for a value that another record has is sent once more with another one', async () => {
  let refused = 0;
  const refuse = (_: string, { name }: { readonly name?: unknown }) =>
    refused === 0 && typeof name === 'string' ? `name is already taken, ${++refused} time` : undefined;
  const { url } = await start({ faults: { refuse } });
  const plan = { profile, tag: 'cc', models: ['warehouse'], rules: ['operations', 'create'] };
  expect(complaints(await check(url, plan))).toEqual([]);
  expect(refused).toBe(1);
});
