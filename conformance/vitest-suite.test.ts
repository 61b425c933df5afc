import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue } from '../testing/checks.ts';
import { type Run, runVitest } from '../testing/consumers/run-vitest.ts';
import { type ServiceOptions, startMockService } from '../testing/mock-service.ts';
import { type RecordingProxy, startRecordingProxy } from '../testing/proxies/recording-proxy.ts';
import { describeConformance } from './vitest.ts';

/** The number of records at the start. */
const RECORDS = 2;
const CREATE_BRAND = { models: ['brand'], rules: ['operations.create'] };
const NOBODY = 'http://127.0.0.1:9';
const open: { close(): unknown }[] = [];

afterAll(async () => {
  for (const item of open.splice(0)) await item.close();
});

async function start(options: ServiceOptions = {}) {
  const service = await startMockService(options);
  open.push(service);
  return service;
}

/** A service that closes in the middle of a run. */
async function startLeaving(): Promise<RecordingProxy> {
  const service = await start();
  let creates = 0;
  const proxy = await startRecordingProxy(service.url, ({ method }, _, { close }) => {
    if (method === 'POST' && ++creates >= 20) close();
    return undefined;
  });
  open.push(proxy);
  return proxy;
}

type Started = Awaited<ReturnType<typeof start>>;

// The suite as tests of this file.
describeConformance({
  baseUrl: (await start()).url,
  selection: { models: ['brand'], rules: ['operations', 'fields'] },
});

let run: Run;
let service: Started;
let elsewhere: Started;
let broken: Started;
beforeAll(async () => {
  [service, elsewhere] = [await start(), await start()];
  const given = await start();
  const settings = { 'delete.effect': 'remove', auth: 'bearer' };
  broken = await start({ defect: 'absent.put-works:brand', settings });
  const keeping = await start({ defect: 'delete.does-nothing:brand' });
  const gone = await start();
  await gone.close();
  const leaving = await startLeaving();
  run = await runVitest(
    {
      here: { baseUrl: service.url, selection: { models: ['brand', 'locker'] } },
      elsewhere: {
        baseUrl: 'http://service.invalid',
        proxy: { http: elsewhere.url },
        selection: { models: ['brand'], rules: ['operations'] },
      },
      given: { baseUrl: given.url, selection: CREATE_BRAND, bindings: { product: [1, 2] } },
      broken: {
        baseUrl: broken.url,
        credentials: broken.credentials,
        profile: settings,
        selection: { models: ['brand', 'lockerType'], rules: ['operations', 'absent'] },
      },
      keeping: {
        baseUrl: keeping.url,
        selection: { models: ['brand'], rules: ['operations.create-required'] },
      },
      gone: { baseUrl: gone.url, selection: { models: ['brand'] } },
      leaving: { baseUrl: leaving.url, selection: { models: ['brand'] } },
      id: { baseUrl: NOBODY, selection: CREATE_BRAND, bindings: { produkt: [1] } },
      option: { baseUrl: NOBODY, selektion: {} },
      model: { baseUrl: NOBODY, selection: { models: ['brnd'] } },
      setting: { baseUrl: NOBODY, profile: { 'delete.efect': 'mark' } },
      address: { baseUrl: 'http://me:s3cret@127.0.0.1:9' },
    },
    // The timeout of the target applies, not those of vitest for a test or a hook.
    '--testTimeout=1',
    '--hookTimeout=1',
  );
});

test('a conformant service passes in Vitest, with one test per case, and keeps its records', async () => {
  const { failed, passed } = run.of('here');
  expect(failed).toEqual([]);
  expect(passed.length).toBeGreaterThan(150);
  const title = `${catalogue.title} ${catalogue.version} at ${service.url}`;
  expect(passed.map(({ fullName }) => fullName)).toContain(`${title} brand operations.create:brand`);
  expect(await service.count()).toBe(RECORDS);
});

test('on another machine, the suite sends only reads and skips the other cases', async () => {
  const { failed, passed, results } = run.of('elsewhere');
  // The reference service treats the absolute address that a proxy gets as a path.
  expect([failed, passed.length]).toEqual([[], 1]);
  expect(results.length).toBeGreaterThan(4);
  expect(await elsewhere.count()).toBe(RECORDS);
});

test('a conformant service passes with given IDs to link to', () => {
  expect(run.of('given')).toMatchObject({ failed: [], passed: [expect.anything()] });
});

test('a failed case fails its test with the expected and found values', async () => {
  const { failed } = run.of('broken');
  expect([run.code, failed.map(({ fullName }) => fullName.split(' ').at(-1))]).toEqual([
    1,
    ['absent.put:brand'],
  ]);
  const [message] = failed[0]?.failureMessages ?? [];
  expect(message).toMatch(
    /Error: fail: the target does not reject PUT on a record\nexpected a 4xx status, or 501\nfound status 200/,
  );
  expect(message).not.toContain('letmein');
  expect(await broken.count()).toBe(RECORDS);
});

test("records that can't be deleted are reported as an error", () => {
  const { errors, failed } = run.of('keeping');
  expect([failed, errors.length]).toEqual([[], 1]);
  expect(errors[0]).toMatch(
    /^Error: These records were not deleted: (brand\/\d+(, )?){3}\. Delete them yourself\.$/,
  );
});

test('an unreachable service is reported as a single error', () => {
  const { errors, failed, results } = run.of('gone');
  expect([failed, errors.length]).toEqual([[], 1]);
  expect(errors[0]).toMatch(/^Error: The target can't be reached: GET \S+: nothing listens there/);
  expect(results.length).toBeGreaterThan(50);
});

test('a service that disappears during the run is reported as one failure', () => {
  const failures = run.of('leaving').failed.flatMap(({ failureMessages }) => failureMessages);
  expect(failures.filter((message) => message.includes("can't be reached"))).toEqual([
    expect.stringMatching(/^Error: The target can't be reached: \w+ \S+: nothing listens there/),
  ]);
  expect(failures.length).toBeLessThan(4);
});

test.each([
  ['id', /^bindings:\d+: Unknown name "produkt"\. Did you mean "product"\?$/],
  ['option', /^Unknown option "selektion" of describeConformance\. Did you mean "selection"\?$/],
  ['model', /^Unknown model "brnd" in --models\. Did you mean "brand"\?$/],
  ['setting', /^profile:\d+: Unknown setting "delete\.efect"\. Did you mean "delete\.effect"\?$/],
  ['address', /^The base URL contains a user name or password\. Pass --basic USER:PASSWORD instead\.$/],
])('an invalid %s is reported while Vitest collects the file', (name, message) => {
  expect(run.of(name)).toMatchObject({ message: expect.stringMatching(message), results: [] });
  expect(run.output).not.toContain('s3cret');
});
