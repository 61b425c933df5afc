import { describe, expect, test } from 'vitest';
import { against, check } from '../testing/checks.ts';
import { useTarget } from '../testing/proxies/use-target.ts';
import { exitCode } from './results/verdict.ts';
import { Unreachable } from './run.ts';

const { listen, recorder } = useTarget();

describe('a target that is none', () => {
  test('because nothing listens is unreachable', async () => {
    const { close, url } = await recorder(() => ({}));
    await close();
    await expect(check(url, { models: ['brand'] })).rejects.toThrow(/nothing listens there/);
  });

  test.each<[string, string, string]>([
    ['HTML', 'text/html', '<!doctype html><title>Welcome</title>'],
    ['a number', 'application/json', '7'],
  ])(
    'because it answers everything with %s passes no operation, and no case crashes',
    async (_, type, body) => {
      const url = await listen((__, response) => response.writeHead(200, { 'content-type': type }).end(body));
      const results = await check(url, { models: ['brand', 'subscriptionTask'] });
      expect([exitCode(results), results.counts.error]).toEqual([1, 0]);
      const failed = against(results).filter(
        ({ level, outcome }) => level === 'stated' && outcome === 'fail',
      );
      expect(failed.map(({ id }) => id)).toEqual(
        expect.arrayContaining(['operations.create:brand', 'operations.list:brand']),
      );
      const kept = results.cases.filter(({ outcome }) => outcome === 'pass').map(({ rule }) => rule);
      expect(kept.filter((rule) => /^operations\.(list|retrieve|create|update|delete)$/.test(rule))).toEqual(
        [],
      );
    },
  );

  test('because it hangs after the first answer is given up after a while, and the message says why', async () => {
    let answered = false;
    const url = await listen((_, response) => {
      if (!answered) response.end('[]');
      answered = true;
    });
    const run = check(url, { models: ['brand'], connection: { timeout: 200 } });
    await expect(run).rejects.toThrow(Unreachable);
    await expect(run).rejects.toThrow(/no response within 200 ms/);
  });
});
