import { expect, it } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { createProfile, DEFAULT_PROFILE, pagesOf } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../../testing/checks.ts';
import { demo } from '../../testing/demo.ts';
import { createInProcessTarget } from '../../testing/in-process-target.ts';
import {
  differences,
  HIDDEN,
  HIDDEN_BY_DEMO,
  HIDDEN_BY_EMPTINESS,
} from '../../testing/profile/learned-differences.ts';
import { FEW, farProfiles, observeAt, observeMock } from '../../testing/profile/learning.ts';

const [, far = DEFAULT_PROFILE] = farProfiles();

/** Each model is created, updated, deleted, and listed, once for all settings that it can show. */
const MOST_REQUESTS = 75 * catalogue.models.size;

it('learning from the mock sends the same requests for the same seed', async () => {
  const requests = async () => {
    const selected = new Set(['brand', 'locker', 'voucherType']);
    const { sent } = await observeMock(DEFAULT_PROFILE, 'demo', { selected });
    return sent.map(({ method, path, query, body }) => [method, path, query, body]);
  };
  expect(await requests()).toEqual(await requests());
});

it('learning from the mock finds the default profile', async () => {
  const { learned } = await observeMock(DEFAULT_PROFILE, 'demo');
  expect(differences(learned, DEFAULT_PROFILE, [...HIDDEN, ...HIDDEN_BY_DEMO])).toEqual([]);
  // No list of the demo records is as long as a page.
  const paging = { ...pagesOf(DEFAULT_PROFILE), default: 'unknown', max: 'unknown' };
  expect(learned.profile).toEqual({ ...DEFAULT_PROFILE, 'list.paging': paging });
  expect(learned.leftovers).toEqual([]);
  expect(learned.warning).toBeUndefined();
});

it.each([
  ['demo', HIDDEN_BY_DEMO],
  ['none', HIDDEN_BY_EMPTINESS],
] as const)(
  'learning from the mock finds each observable setting of a very different profile, with records: %s',
  async (records, hidden) => {
    const { learned, sent } = await observeMock(far, records);
    expect(differences(learned, far, [...HIDDEN, ...hidden])).toEqual([]);
    expect(learned.leftovers).toEqual([]);
    expect(sent.length).toBeLessThan(MOST_REQUESTS);
    expect(learned.requests).toBe(sent.length);
  },
);

it('learning from the mock leaves the records unchanged', async () => {
  const profile = createProfile({ delete: { effect: 'remove' } }, catalogue);
  const mock = await createMock({ catalogue, references, profile, fixtures: demo });
  const records = () => mock.state();
  const before = await records();
  await observeAt(createInProcessTarget(mock), { selected: FEW });
  expect(await records()).toEqual(before);
});

it('learning from the mock finds a value list only if a rejection names its values', async () => {
  const values = { 'customer.language': ['es', 'en', 'ca'] };
  const selected = new Set(['customer']);
  const named = await observeMock(createProfile({ values }, catalogue), 'demo', { selected });
  expect(named.learned.profile.values).toEqual(values);
  const unnamed = createProfile({ values, 'errors.form': 'empty' }, catalogue);
  const silent = await observeMock(unnamed, 'demo', { selected });
  expect(silent.learned.settings.get('values')).toEqual({
    kind: 'unknown',
    reason: expect.stringMatching(
      /^POST \/api\/model\/customer returned \d+, which does not list the values of customer\.language$/,
    ),
  });
});

it("learning from the mock reports the fields and models whose lists can't be filtered", async () => {
  const none = { 'list.filter': 'none' };
  const except = { 'supplier.email': none, 'supplier.phone': none, brand: none };
  const profile = createProfile({ request: { unknownFields: 'ignore' }, except }, catalogue);
  const selected = new Set(['brand', 'supplier', 'warehouse']);
  const { learned } = await observeMock(profile, 'none', { selected });
  expect(learned.profile.except).toEqual(except);
  expect(learned.deviations.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^supplier\.email uses list\.filter none; the \d+ others use contains$/),
  );
});

it('learning from the mock redacts values of records that another client created', async () => {
  const except = { 'customerToTag.start': { 'types.datetime': 'seconds' } };
  const selected = new Set(['customerToTag', 'customer', 'customerTag']);
  const { learned } = await observeMock(createProfile({ except }, catalogue), 'demo', { selected });
  expect(learned.deviations.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^customerToTag\.start is \[redacted\] \(types\.datetime seconds\); the \d+ others use iso$/,
    ),
  ]);
});

it('learning from the mock does not mistake records that it created for further pages of a list', async () => {
  const profile = createProfile({ delete: { effect: 'mark-listed' } }, catalogue);
  const mock = await createMock({ catalogue, references, profile });
  const selected = new Set(['brand', 'locker', 'warehouse']);
  for (const _ of ['first', 'second']) {
    const { learned } = await observeAt(createInProcessTarget(mock), { selected });
    expect(learned.settings.get('list.paging')).toMatchObject({
      value: { default: 'unknown', max: 'unknown' },
    });
  }
});

it('learning from the mock uses the given IDs of models outside the catalogue', async () => {
  const bindings = new Map([['product', [77]]]);
  const selected = new Set(['stockTransaction', 'voucherType']);
  const { sent } = await observeMock(DEFAULT_PROFILE, 'none', { bindings, selected });
  const isReadonly = (model = '') =>
    catalogue.models.get(model)?.fields.some(({ name, readonly }) => name === 'product' && readonly);
  const products = sent.flatMap(({ body, path }) =>
    isReadonly(/\/model\/(\w+)/.exec(path)?.[1]) ? [] : (/"product":(\d+)/.exec(body ?? '')?.[1] ?? []),
  );
  expect(new Set(products)).toEqual(new Set(['77']));
});

it('learning from the mock stops on an abort signal, and deletes the records it created', async () => {
  const stop = new AbortController();
  const { learned } = await observeMock(DEFAULT_PROFILE, 'demo', {
    selected: FEW,
    signal: stop.signal,
    onProgress: ({ settings }) => {
      if (settings.includes('request.update')) stop.abort();
    },
  });
  expect(learned.leftovers).toEqual([]);
  expect(learned.settings.get('request.encoding')).toMatchObject({ kind: 'found', value: 'json' });
  expect(learned.settings.get('transitions')).toMatchObject({ kind: 'unknown' });
});
