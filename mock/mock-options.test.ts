import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exportContract } from '../generator/export/export.ts';
import { generateDocument } from '../generator/generate.ts';
import { loadContract } from '../spec/contract.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { useDirectory } from '../testing/temporary-directory.ts';
import { createMock, type MockOptions } from './mock.ts';

const directory = useDirectory();

test('a mock can be created without options, from settings and records, or from files', async () => {
  directory.write('mine.yaml', 'delete.effect: remove\n');
  directory.write('brands.yaml', 'brand: [{ id: 3, name: c }]\n');
  const made = await Promise.all(
    [
      {},
      { profile: { 'delete.effect': 'remove' }, fixtures: { brand: [{ id: 3, name: 'c' }] } },
      { profile: directory.path('mine.yaml'), fixtures: directory.path('brands.yaml') },
      { profile: { delete: { effect: 'remove' } }, fixtures: 'demo' },
    ].map(async (options) => {
      await using mock = await createMock(options);
      const brands = (await mock.state(['brand'])).brand?.map(({ id }) => id);
      return [mock.profile['delete.effect'], mock.base, brands?.slice(0, 1)];
    }),
  );
  expect(made).toEqual([
    ['mark', '/api/model', []],
    ['remove', '/api/model', [3]],
    ['remove', '/api/model', [3]],
    ['remove', '/api/model', [1]],
  ]);
});

test('a mock accepts the directory of a catalogue, and a time as string', async () => {
  mkdirSync(directory.path('own'));
  directory.write(
    'own/common.yaml',
    "title: Own\nversion: '1'\nbase: /api\ncommon:\n  id: int ro\n  made: datetime ro\nroles: { created: made }\n",
  );
  directory.write('own/club.yaml', 'area: Club\nmodels:\n  member:\n    name: string req\n');
  const catalogue = directory.path('own');
  await using mock = await createMock({ catalogue, now: '2026-01-01T00:00:00Z' });
  expect(Object.keys(mock.document.paths)).toEqual(['/api/member', '/api/member/{id}']);
  expect((await mock.clock.now()).toISOString()).toMatch(/^2026-01-01T00:00:0/);
  await using day = await createMock({ now: new Date('2026-02-01') });
  expect((await day.clock.now()).toISOString()).toMatch(/^2026-02-01T00:00:0/);
  for (const document of [
    generateDocument({ catalogue }),
    generateDocument({ catalogue, profile: { 'delete.effect': 'remove' } }),
  ])
    expect(Object.keys(document.paths)).toEqual(['/api/member', '/api/member/{id}']);
  expect(await exportContract('types', { catalogue })).toContain('export interface Member ');
});

const TIME = 'a Date or a time from 1970 to 9999, such as 2026-01-01T00:00:00Z';
const COUNT = 'a whole number from 0';
/** Wrong values of each option, and the expected form in the message. */
const WRONG: Record<keyof MockOptions, readonly [string, ...unknown[]]> = {
  catalogue: ['a catalogue or the path of its directory', 5, {}, { models: {} }, null],
  references: ['references, as loadContract returns them', 'file.yaml', {}],
  profile: ['a profile, its settings, or the path of a file', 5, true, []],
  fixtures: ['demo, paths, or records by model', 5, true, [{}]],
  records: ['a whole number from 0, or one for each of some models', -1, 1.5, 'ten', { brand: 'x' }],
  data: ['the path of a file or the address of a database', 5, ''],
  dataSync: ['normal or full', 'none', true],
  origin: ['a URL such as http://127.0.0.1:4010', 'localhost', 4010],
  lenient: ['true or false', 'yes', 1],
  checkLinks: ['true or false', 'yes', 1],
  now: [TIME, 'tomorrow', '2026-13-01', 5, new Date(Number.NaN), '+020000-01-01', '1960-01-01'],
  clock: ['a function that returns a Date', new Date(0), 'now'],
  users: ['a list of users or the path of a file', 5, {}],
  bodyLimit: [COUNT, -1, '1 MB', Number.NaN],
  maxMemory: ['a number above 0', 0, -1, '1 GB', Number.NaN],
  requestLog: [COUNT, -1, 1.5, 'all'],
  maxSessions: [COUNT, -1, 1.5],
  sessionIdle: ['a number of milliseconds from 0', -1, '1 hour', Number.NaN],
  faults: ['a list of faults', {}, 'faults.yaml'],
  latency: ['milliseconds from 0 to 600000, or { min, max }', -1, 'slow', { min: 5 }, { min: 9, max: 3 }],
  seed: ['a whole number', 0.5, 'x'],
  control: ['{ token } or false', true, 'token', { token: 5 }],
  forward: ['an object with the url of a service', 'http://127.0.0.1:1', true, [], {}],
  routes: [
    'functions by method and path, such as { "POST /api/login": (request) => new Response() }',
    5,
    { 'POST /api/login': 'token' },
  ],
  onFill: ['a function', 5],
  onExchange: ['a function', 5],
  onError: ['a function', 5],
  decoration: ['an object', 5],
};

describe.each(Object.entries(WRONG))('the option %s', (name, [expected, ...wrong]) => {
  test.each(wrong.map((value) => [value]))('rejects %j and names the expected form', async (value) => {
    await expect(createMock({ [name]: value })).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(`^Option ${name} must be ${literal(expected)}, but is `),
    });
  });
});

test.each([
  [{ title: 5 }, 'Option title must be a string, but is 5.'],
  [{ contact: 'me' }, 'Option contact must be an object, but is "me".'],
  [{ license: 'MIT' }, 'Option license must be an object, but is "MIT".'],
  [{ selection: ['brand'] }, 'Option selection must be { models, areas }, but is ["brand"].'],
  [{ selection: { models: 'brand' } }, 'Option selection must be { models, areas }, but is '],
  [{ servers: 'http://a' }, 'Option servers must be a list of URLs, but is "http://a".'],
  [{ records: {} }, 'Option records must be a Map of records by model, but is {}.'],
  [{ tags: 'none' }, 'Option tags must be model or area, but is "none".'],
  [{ openapi: '2.0' }, 'Option openapi must be 3.1 or 3.0, but is "2.0".'],
  [{ title: 'a', servrs: [] }, 'Unknown option "servrs". Did you mean "servers"?'],
])('generateDocument rejects the options %j', (options, message) => {
  expect(() => generateDocument({}, options as never)).toThrow(message);
});

test.each([
  [{ catalogue: 5 }, 'Option catalogue must be a catalogue or the path of its directory, but is 5.'],
  [{ catalogue: '/nowhere' }, "/nowhere can't be read because there is no such file or directory."],
  [{ profile: 5 }, 'Option profile must be a profile, its settings, or the path of a file, but is 5.'],
])('generateDocument rejects the contract %j', (contract, message) => {
  for (const make of [() => generateDocument(contract as never), () => loadContract(contract as never)])
    expect(make).toThrow(message);
  expect(() => generateDocument(contract as never)).toThrow(UsageError);
});

test('an unknown option is rejected with a suggestion', async () => {
  await expect(createMock({ fixture: 'demo' } as object)).rejects.toThrow(
    'Unknown option "fixture". Did you mean "fixtures"?',
  );
});

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
