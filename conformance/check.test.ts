import { afterEach, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { createProfile } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { TINY_DIALECTS } from '../testing/reference-service/dialects.ts';
import type { Breaks } from '../testing/reference-service/records.ts';
import {
  type ReferenceService,
  startReferenceService,
} from '../testing/reference-service/reference-service.ts';
import type { CaseResult, Results } from './results/results.ts';
import { exitCode } from './results/verdict.ts';
import { runSuite } from './run.ts';
import { createTarget, type TargetOptions } from './target/target.ts';

type Dialect = keyof typeof TINY_DIALECTS;

const catalogue = loadCatalogue();
const references = loadReferences(catalogue);
const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(dialect: Dialect, breaks: Partial<Breaks> = {}): Promise<ReferenceService> {
  const service = await startReferenceService({
    catalogue,
    references,
    settings: TINY_DIALECTS[dialect],
    breaks,
  });
  open.push(service);
  return service;
}

async function check(options: TargetOptions, dialect: Dialect, models?: string[]): Promise<Results> {
  const target = createTarget(options);
  open.push(target);
  const profile = createProfile(TINY_DIALECTS[dialect], catalogue);
  const selection = models ? { models } : {};
  let results: Results | undefined;
  for await (const event of runSuite({
    catalogue,
    profile,
    references,
    target,
    profileName: dialect,
    selection,
    looks: [0, 100],
  }))
    if (event.type === 'end') results = event.results;
  if (!results) throw new Error('the run ended without results');
  return results;
}

function against({ cases }: Results, outcome?: CaseResult['outcome']): CaseResult[] {
  const bad = cases.filter((item) => item.level !== 'advice' && !['pass', 'skip'].includes(item.outcome));
  return outcome ? bad.filter((item) => item.outcome === outcome) : bad;
}

function statedFailures(results: Results): string[] {
  const stated = against(results, 'fail').filter(({ level }) => level === 'stated');
  return stated.map(({ id }) => id).sort();
}

/** Uses all models under the default, and each second one under other profiles. `bench/prove/` uses all. */
describe.each([
  ['default', [...catalogue.models.keys()]],
  ['legacy', eachSecond(0)],
  ['plain', eachSecond(1)],
] as const)('a service that speaks %s', (dialect, models) => {
  test('conforms on its models, and is left as it was found', { timeout: 180_000 }, async () => {
    const service = await start(dialect);
    const before = service.count();
    const results = await check({ baseUrl: service.url, credentials: service.credentials }, dialect, [
      ...models,
    ]);
    expect(against(results).map(({ id, message, found }) => ({ id, message, found }))).toEqual([]);
    expect(exitCode(results)).toBe(0);
    expect(new Set(results.cases.map(({ model }) => model))).toEqual(new Set(models));
    expect(results.counts.pass).toBeGreaterThan(100 * models.length);
    expect(service.count()).toBe(before);
    expect(results.leftovers).toEqual([]);
  });
});

function eachSecond(rest: number): string[] {
  return [...catalogue.models.keys()].filter((_, number) => number % 2 === rest);
}

const BROKEN: readonly [breaks: Partial<Breaks>, failures: readonly string[]][] = [
  [
    { acceptMissing: 'warehouse.name' },
    ['null-on-create', 'on-create', 'on-update'].map((rule) => `required.${rule}:warehouse.name`),
  ],
  [
    { storeReadonly: 'voucher.createUser' },
    ['readonly.on-create:voucher.createUser', 'readonly.on-update:voucher.createUser'],
  ],
  [
    { acceptAnyValue: 'locker.status' },
    ['create', 'update'].flatMap((operation) =>
      ['"no-member"', '-1', '2', '3'].map((value) => `values.refused-on-${operation}:locker.status=${value}`),
    ),
  ],
  [{ wrongType: 'brand.createUser' }, ['fields.type:brand.createUser']],
  [{ allowPut: 'brand' }, ['absent.put:brand']],
  [{ keepDeleted: 'brand' }, ['operations.delete:brand']],
  [{ neighborLost: 'deposit' }, ['delete.keeps-other-records:deposit']],
  [{ createAnswers500: 'share' }, ['operations.create:share']],
  [{ wrongType: 'brand.id' }, ['fields.id:brand.id', 'fields.type:brand.id', 'operations.create:brand']],
];

describe('a service that breaks one rule', () => {
  test.each(BROKEN)(
    'with %j fails the rules about it, on the model and field concerned',
    async (breaks, failures) => {
      const model = Object.values(breaks).join().split('.')[0] ?? '';
      const service = await start('default', breaks);
      const results = await check({ baseUrl: service.url }, 'default', [model, 'lockerType']);
      expect(statedFailures(results)).toEqual(failures);
      expect(new Set(against(results).map((item) => item.model))).toEqual(new Set([model]));
      expect(results.cases.some((item) => item.model === 'lockerType' && item.outcome === 'pass')).toBe(true);
      expect([exitCode(results), results.counts.error]).toEqual([1, 0]);
    },
  );

  test('that loses a field with every update of another one fails the case of the lost one', async () => {
    const service = await start('default', { forgetOnUpdate: 'customer.email' });
    const results = await check({ baseUrl: service.url }, 'default', ['customer', 'lockerType']);
    const failures = against(results, 'fail').filter(({ level }) => level === 'stated');
    expect(failures.map(({ id }) => id)).toEqual(['update.keeps-other-fields:customer.email']);
    expect(failures[0]?.message).toMatch(/^an update of \w+ changes email$/);
  });

  test('breaks it under every profile', async () => {
    for (const dialect of ['legacy', 'plain'] as const) {
      const service = await start(dialect, {
        storeReadonly: 'voucher.createUser',
        acceptAnyValue: 'locker.status',
      });
      const options = { baseUrl: service.url, credentials: service.credentials };
      const failures = statedFailures(await check(options, dialect, ['locker', 'voucher']));
      expect(new Set(failures.map((id) => id.split('=')[0]))).toEqual(
        new Set([
          // A service that refuses each readonly field can't store one.
          ...(dialect === 'plain'
            ? ['readonly.on-create:voucher.createUser', 'readonly.on-update:voucher.createUser']
            : []),
          'values.refused-on-create:locker.status',
          'values.refused-on-update:locker.status',
        ]),
      );
    }
  });
});

test('a service that speaks another profile breaks no stated rule; each failure names the setting that differs', async () => {
  const service = await start('plain');
  const { credentials, url } = service;
  const headers = { 'Api-Version': catalogue.version };
  const results = await check({ baseUrl: url, credentials, headers }, 'default', ['brand']);
  expect(exitCode(results)).toBe(1);
  expect(statedFailures(results)).toEqual([]);
  const settings = against(results, 'fail').map(({ setting }) => setting);
  expect(settings).toEqual(
    expect.arrayContaining([
      'request.unknownFields',
      'response.total',
      'status.created',
      'status.deleted',
      'status.unknownRecord',
      'status.noOperation',
      'errors.form',
      'delete.effect',
      'delete.answer',
      'list.paging',
      'list.sort',
      'list.filter',
    ]),
  );
  const told = ['request.encoding', 'request.update', 'response.record', 'status.invalid', 'types.bool'];
  expect(settings.filter((setting) => told.includes(String(setting)))).toEqual([]);
});
