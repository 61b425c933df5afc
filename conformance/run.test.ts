import { afterEach, describe, expect, test } from 'vitest';
import { createProfile } from '../spec/profile/profile.ts';
import { against, catalogue, check, references } from '../testing/checks.ts';
import {
  type Asked,
  type RecordingProxy,
  type Reply,
  startRecordingProxy,
} from '../testing/proxies/recording-proxy.ts';
import type { Breaks } from '../testing/reference-service/records.ts';
import {
  type ReferenceService,
  startReferenceService,
} from '../testing/reference-service/reference-service.ts';
import type { CaseResult, Results } from './results/results.ts';
import { exitCode, headline } from './results/verdict.ts';
import { RULES } from './rules/rules.ts';
import { Unreachable } from './run.ts';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const server of open.splice(0).reverse()) await server.close();
});

type Meddle = (asked: Asked, index: number) => Reply | Error | undefined;

/** A service, and a recording proxy before it that notes what it is asked. */
async function start(meddle: Meddle = () => undefined, breaks: Partial<Breaks> = {}) {
  const service: ReferenceService = await startReferenceService({ catalogue, references, breaks });
  const recorder: RecordingProxy = await startRecordingProxy(service.url, meddle);
  open.push(service, recorder);
  return { service, url: recorder.url, asked: recorder.asked };
}

function find({ cases }: { readonly cases: readonly CaseResult[] }, id: string): CaseResult {
  const found = cases.find((result) => result.id === id);
  if (found) return found;
  throw new Error(`no case ${id}`);
}

const line = ({ body, method, path }: Asked) => `${method} ${path} ${body}`;
const isDelete = ({ method }: Asked) => method === 'DELETE';

/** The creates of this rule are sent at the same time, so that no order of theirs is the right one. */
const IN_TURN = RULES.map(({ id }) => id).filter((id) => id !== 'advice.create-at-once');

describe('a seed', () => {
  async function requestsOf(seed: number): Promise<string[]> {
    const { asked, url } = await start();
    await check(url, { seed, concurrency: 1, models: ['voucherType', 'warehouse'], rules: IN_TURN });
    return asked.map(line);
  }

  test('that is the same sends the same requests in the same order; another one sends other samples', async () => {
    const [first, second, other] = [await requestsOf(7), await requestsOf(7), await requestsOf(8)];
    expect(first.length).toBeGreaterThan(300);
    expect(second).toEqual(first);
    expect(other.filter((request) => request.startsWith('GET'))).toHaveLength(
      first.filter((request) => request.startsWith('GET')).length,
    );
    const bodies = (requests: string[]) => requests.filter((request) => request.includes('"name"'));
    expect(bodies(other)).not.toEqual(bodies(first));
  });

  test('sends the same to a model, whatever runs beside it', async () => {
    const alone = await start();
    await check(alone.url, { concurrency: 1, models: ['warehouse'], rules: IN_TURN });
    const together = await start();
    await check(together.url, { models: ['brand', 'warehouse', 'lockerType'], rules: IN_TURN });
    const ofWarehouse = ({ asked }: typeof alone) =>
      asked.filter(({ path }) => path.includes('/warehouse')).map(line);
    // The first request of all asks whether anything is there.
    expect(ofWarehouse(together)).toEqual(ofWarehouse(alone));
  });
});

describe('a read-only run', () => {
  test('sends nothing but GET, and blocks nothing on a service with records or without', async () => {
    const { asked, service, url } = await start();
    const before = service.count();
    const results = await check(url, { readOnly: true, connection: { readOnly: true } });
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(asked.length).toBeGreaterThan(catalogue.models.size);
    expect(results).toMatchObject({ readOnly: true, counts: { blocked: 0, error: 0, fail: 0 } });
    expect(results.knownRecords).toBeGreaterThan(0);
    expect(results.counts.pass).toBeGreaterThan(100);
    expect(service.count()).toBe(before);
    expect(find(results, 'operations.create:brand')).toMatchObject({
      outcome: 'skip',
      message: 'a read-only run sends no request but GET',
    });
    expect(find(results, 'operations.retrieve:subscriptionTask').outcome).toBe('pass');
    expect(find(results, 'operations.retrieve:brand').message).toMatch(/there is no brand to look at/);
  });

  test('still fails what GET shows to be wrong', async () => {
    const { url } = await start(undefined, { wrongType: 'subscriptionTask.createUser' });
    const results = await check(url, { readOnly: true, models: ['subscriptionTask'] });
    expect(against(results).map(({ id }) => id)).toContain('fields.type:subscriptionTask.createUser');
  });
});

describe('an end before its time', () => {
  test('comes after the first failure when that is wanted', async () => {
    // The model with the most cases comes first.
    const { service, url } = await start(undefined, { createAnswers500: 'voucherType' });
    const before = service.count();
    const results = await check(url, { failFast: true, concurrency: 1, models: ['brand', 'voucherType'] });
    expect(results.counts.fail).toBe(1);
    expect(results.cases.at(-1)?.outcome).toBe('fail');
    expect(results.cases.length).toBeLessThan(10);
    expect(service.count()).toBe(before);
  });

  test('does not come after a failure that is excused, or advice', async () => {
    const { url } = await start(({ path }) => (/\/brand\/\d+\.5/.test(path) ? { status: 500 } : undefined), {
      allowPut: 'brand',
    });
    const baseline = [{ case: 'absent.put:brand', reason: 'we know', until: '2999-01-01' }];
    const options = { failFast: true, concurrency: 1, models: ['brand'], baseline };
    const results = await check(url, options);
    const failed = results.cases
      .filter(({ outcome }) => outcome === 'fail')
      .map(({ level, rule }) => [level, rule]);
    expect(failed).toContainEqual(['stated', 'absent.put']);
    expect(failed).toContainEqual(['advice', expect.stringMatching(/^advice\./)]);
    expect(results.cases.length).toBeGreaterThan(50);
  });

  test('by a signal removes all that was made, with what was made for others', async () => {
    const { asked, service, url } = await start();
    const before = service.count();
    const stop = new AbortController();
    let ended = 0;
    const results = await check(url, {
      models: ['voucher', 'customer', 'share'],
      signal: stop.signal,
      onEvent: ({ type }) => {
        if (type === 'case' && ++ended === 20) {
          expect(service.count()).toBeGreaterThan(before);
          stop.abort();
        }
      },
    });
    expect(asked.some(isDelete)).toBe(true);
    expect(service.count()).toBe(before);
    expect(results.leftovers).toEqual([]);
    expect(results.cases.length).toBeGreaterThanOrEqual(20);
    expect(results.cases.length).toBeLessThan(40);
  });

  test('by a signal that came first runs no case', async () => {
    const { service, url } = await start();
    const results = await check(url, { models: ['brand'], signal: AbortSignal.abort() });
    expect([results.cases, service.count()]).toEqual([[], 2]);
  });

  test('by a signal while failed cases are tried again tries no more', async () => {
    const stop = new AbortController();
    const { url } = await start(({ method, path }) =>
      method === 'GET' && /\/brand\/\d+$/.test(path) ? { status: 500 } : undefined,
    );
    let left = Number.POSITIVE_INFINITY;
    const results = await check(url, {
      models: ['brand'],
      rules: ['operations', 'fields', 'absent'],
      signal: stop.signal,
      concurrency: 1,
      onEvent: (event) => {
        if (event.type === 'plan') left = event.cases;
        // The last case has ended: what comes now are second tries.
        if (event.type === 'case' && --left === 0) stop.abort();
      },
    });
    expect(results.counts.fail).toBeGreaterThan(0);
    expect(results.cases.filter(({ retried }) => retried)).toEqual([]);
  });

  test.each([
    ['of a case', 'brand', /\/brand\/\d+$/],
    ['for what all cases need', 'locker', /\/lockerType$/],
  ])(
    'by a signal cuts a wait %s short; what waited was not tried, and is no error',
    async (_, model, busy) => {
      const stop = new AbortController();
      const { service, url } = await start(({ method, path }) =>
        busy.test(path) && method !== 'DELETE'
          ? { status: 429, headers: { 'retry-after': '30' } }
          : undefined,
      );
      const before = service.count();
      const results = await check(url, {
        models: [model],
        signal: stop.signal,
        connection: { signal: stop.signal, onWait: () => stop.abort() },
      });
      expect(results.cases.length).toBeLessThan(results.planned);
      expect(results.counts.error).toBe(0);
      expect(service.count()).toBe(before);
    },
  );

  test('by a target that lets nobody ask any more is lost, and what was made is removed as far as it lets one', async () => {
    let creates = 0;
    const { service, url } = await start(({ method }) =>
      method === 'POST' && ++creates > 20 ? { status: 429 } : undefined,
    );
    const before = service.count();
    let results: Results | undefined;
    const running = check(url, {
      models: ['locker', 'brand'],
      connection: { pauses: [0, 0] },
      onEvent: (event) => {
        if (event.type === 'end') results = event.results;
      },
    });
    await expect(running).rejects.toMatchObject({
      name: 'Unreachable',
      message: expect.stringMatching(/^POST \S+ answered 429 \(too many requests\), .*; --rate N /),
    });
    expect(results).toMatchObject({
      lost: expect.stringContaining('429'),
      counts: { fail: 0, blocked: 0, error: 0 },
      leftovers: [],
    });
    expect(service.count()).toBe(before);
  });

  test('by the time keeps to it with a profile of 60,000 values too', async () => {
    const { url } = await start();
    const list = Array.from({ length: 60_000 }, (_, index) => `value ${index}`);
    const profile = createProfile({ values: { 'customer.language': list } }, catalogue);
    const started = performance.now();
    const results = await check(url, { models: ['customer'], profile, signal: AbortSignal.timeout(2000) });
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(results).toMatchObject({ ended: 'out of time', leftovers: [], counts: { error: 0, fail: 0 } });
    expect(results.planned).toBeGreaterThan(60_000);
    expect(results.profile.differs.join('').length).toBeLessThan(300);
  });

  test('because nobody listens any more removes all that was made too', async () => {
    const { service, url } = await start();
    const before = service.count();
    const stopped = check(url, {
      models: ['voucher'],
      onEvent: ({ type }) => {
        if (type === 'case') throw new Error('enough');
      },
    });
    await expect(stopped).rejects.toThrow('enough');
    expect(service.count()).toBe(before);
  });
});

describe('a case', () => {
  test('that meets what nobody expected is an error of the suite, with its stack, and no failure', async () => {
    const { url } = await start();
    const results = await check(url, {
      models: ['warehouse'],
      rules: ['operations'],
      // A mistake in the suite, for want of a real one.
      wrap: (target) => ({
        ...target,
        send: (request, record) => {
          if (request.method === 'POST') throw new TypeError('out of order');
          return target.send(request, record);
        },
      }),
    });
    expect(find(results, 'operations.create:warehouse')).toMatchObject({
      outcome: 'error',
      message: expect.stringMatching(/^TypeError: out of order\n\s+at /),
    });
    expect([results.counts.error > 0, results.counts.fail]).toEqual([true, 0]);
    expect(find(results, 'operations.list:warehouse').outcome).toBe('pass');
  });

  test('that fails again alone is reproduced', async () => {
    const { url } = await start(undefined, { allowPut: 'brand' });
    const results = await check(url, { models: ['brand'], rules: ['absent'] });
    expect(find(results, 'absent.put:brand')).toMatchObject({ outcome: 'fail', retried: 'reproduced' });
  });

  test('that fails once only is flaky, which shows both answers and decides nothing', async () => {
    let times = 0;
    const { url } = await start(({ method }) =>
      method === 'PUT' && times++ === 0 ? { status: 200, body: {} } : undefined,
    );
    const results = await check(url, { models: ['brand'], rules: ['absent'] });
    const flaky = find(results, 'absent.put:brand');
    expect(flaky).toMatchObject({ outcome: 'flaky', retried: 'not reproduced' });
    const answers = (exchanges: CaseResult['exchanges'] = []) =>
      exchanges.filter(({ request }) => request.method === 'PUT').map(({ response }) => response.status);
    expect([answers(flaky.exchanges), answers(flaky.again)]).toEqual([[200], [405, 405, 405]]);
    expect([exitCode(results), headline(results)]).toEqual([4, 'INCONCLUSIVE']);
    expect(find(results, 'absent.patch:brand')).toMatchObject({ outcome: 'pass' });
  });

  test('that fails once only is proven by an answer of the wrong shape', async () => {
    let times = 0;
    const wrong = { id: 'seven', name: 'x' };
    const { url } = await start(({ method, path }) =>
      method === 'GET' && /\/brand\/\d+$/.test(path) && times++ === 0
        ? { status: 200, body: wrong }
        : undefined,
    );
    const results = await check(url, { models: ['brand'], rules: ['fields.type'], concurrency: 1 });
    expect(find(results, 'fields.type:brand.id')).toMatchObject({
      outcome: 'fail',
      retried: 'not reproduced',
    });
    expect(exitCode(results)).toBe(1);
  });

  test('that fails is not tried again when that is not wanted', async () => {
    const { asked, url } = await start(undefined, { allowPut: 'brand' });
    const results = await check(url, { models: ['brand'], rules: ['absent.put'], retry: false });
    expect(find(results, 'absent.put:brand')).not.toHaveProperty('retried');
    expect(asked.filter(({ method }) => method === 'PUT')).toHaveLength(1);
  });

  test('that was blocked has a second chance', async () => {
    let times = 0;
    const { url } = await start(({ method, path }) =>
      method === 'POST' && path.endsWith('/brand') && times++ === 0 ? { status: 500 } : undefined,
    );
    const results = await check(url, { models: ['brand'], rules: ['absent.put'] });
    expect(times).toBeGreaterThan(1);
    expect(find(results, 'absent.put:brand').outcome).toBe('pass');
  });

  test('that stays blocked says what stood in its way', async () => {
    const { url } = await start(undefined, { createAnswers500: 'brand' });
    const results = await check(url, { models: ['brand'], rules: ['absent.put'] });
    expect(find(results, 'absent.put:brand')).toMatchObject({
      outcome: 'blocked',
      message: expect.stringMatching(
        /a valid brand could not be made: POST \/api\/model\/brand answered 500: /,
      ),
    });
  });

  test('keeps its exchanges where it failed; where it passed, only when that is wanted', async () => {
    const { url } = await start(undefined, { allowPut: 'brand' });
    const options = { models: ['brand'], rules: ['absent'] };
    const [plain, kept] = [await check(url, options), await check(url, { ...options, keepExchanges: true })];
    expect(find(plain, 'absent.put:brand').exchanges?.map(({ request }) => request.method)).toContain('PUT');
    expect(find(plain, 'absent.patch:brand')).not.toHaveProperty('exchanges');
    expect(find(kept, 'absent.patch:brand').exchanges?.length).toBeGreaterThan(1);
  });

  test('quotes the target without the secrets it repeats', async () => {
    const secret = 't0ps3cret-t0k3n';
    const { url } = await start(({ headers, method }) =>
      method === 'POST'
        ? { status: 500, body: { error: `no such token: ${headers.authorization}` } }
        : undefined,
    );
    const connection = { credentials: { authorization: `Bearer ${secret}` } };
    const results = await check(url, { models: ['brand', 'locker'], connection, keepExchanges: true });
    expect(JSON.stringify(results)).toContain('no such token: [redacted]');
    expect(JSON.stringify(results)).not.toContain(secret);
  });
});

describe('what was made', () => {
  const options = { models: ['voucher'], rules: ['operations', 'absent'] };

  test('and is not let go is named: the target refuses to delete', async () => {
    const { service, url } = await start((asked) => (isDelete(asked) ? { status: 403 } : undefined));
    const before = service.count();
    const results = await check(url, options);
    expect(results.leftovers.length).toBe(service.count() - before);
    expect(new Set(results.leftovers.map((item) => item.split('/')[0]))).toContain('customer');
    expect(results.leftovers[0]).toMatch(/^[a-zA-Z]+\/\d+$/);
    expect(new Set(results.leftovers).size).toBe(results.leftovers.length);
  });

  test('and is not let go is named: a delete says yes and does nothing', async () => {
    const { service, url } = await start(undefined, { keepDeleted: 'voucher' });
    const before = service.count();
    const results = await check(url, { ...options, looks: [0, 5, 5] });
    expect(results.leftovers.length).toBe(service.count() - before);
    expect(results.leftovers.every((item) => item.startsWith('voucher/'))).toBe(true);
    expect(results.leftovers.length).toBeGreaterThan(0);
  });

  test('is named where the target goes away in the middle, without waiting for it again and again', async () => {
    let deaf = false;
    const { asked, url } = await start(() => (deaf ? new Error('gone') : undefined));
    let cases = 0;
    let results: Results | undefined;
    const run = check(url, {
      models: ['voucher', 'share'],
      connection: { connections: 2 },
      onEvent: (event) => {
        deaf ||= event.type === 'case' && ++cases === 5;
        if (event.type === 'end') results = event.results;
      },
    });
    const error = await run.then(String, (reason: unknown) => reason);
    expect(error).toBeInstanceOf(Unreachable);
    expect((error as Error).message).toMatch(/the connection was closed.*; not removed: .*customer\/\d+/);
    const deafFrom = asked.findLastIndex(({ method }) => method !== 'DELETE');
    // The lanes find out on their own; what is left after that is not asked for.
    expect(asked.length - deafFrom).toBeLessThan(30);
    // What was tried is there all the same.
    expect(results).toMatchObject({ lost: expect.stringMatching(/the connection was closed/) });
    expect(results?.cases.length).toBeGreaterThanOrEqual(5);
    expect(results?.cases.length).toBeLessThan(results?.planned ?? 0);
    expect(results?.leftovers.length).toBeGreaterThan(0);
  });
});
