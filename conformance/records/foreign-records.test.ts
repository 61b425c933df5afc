import { afterEach, expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { against, catalogue, check, pinsOf, references } from '../../testing/checks.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { BASE, type Service } from '../../testing/services/service.ts';
import { complaints, learnAndCheck } from '../../testing/use-foreign-service.ts';
import { createWireCheck } from '../assert/wire-check.ts';
import type { Exchange } from '../target/exchange.ts';
import type { Target, TargetRequest } from '../target/target.ts';
import { createRecords } from './records.ts';

let service: Service | undefined;
afterEach(() => service?.close());

test('the deposit of another client with the pinned balance is neither removed nor held against the target', async () => {
  service = await startPlain();
  const { url } = service;
  const theirs: string[] = [];
  let valid: object | undefined;
  const wrap = (target: Target): Target => ({
    ...target,
    async send(request, record) {
      const answer = await target.send(request, record);
      if (request.method !== 'POST' || !request.path.endsWith('/deposit')) return answer;
      const body = JSON.parse(request.body ?? '{}');
      if (answer.status < 300) valid = body;
      else if (valid && Object.hasOwn(body, 'balance')) {
        const made = await fetch(`${url}${BASE}/deposit`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...valid, ...body }),
        });
        theirs.push(`deposit/${((await made.json()) as { id: number }).id}`);
      }
      return answer;
    },
  });
  const { cases } = await check(url, {
    models: ['deposit'],
    rules: ['required.on-create'],
    pins: pinsOf({ 'deposit.balance': 5000 }),
    tag: 'k4w9',
    wrap,
    retry: false,
  });
  expect(theirs.length).toBeGreaterThan(0);
  const { live } = service;
  expect(theirs.filter((one) => !live().includes(one))).toEqual([]);
  expect(cases.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
});

test('what others make with the values of a refused create is not held against the target', async () => {
  service = await startPlain();
  const { url } = service;
  let body = '';
  // The only values of a group can be those of another client too.
  const wrap = (target: Target): Target => ({
    ...target,
    async send(request, record) {
      const answer = await target.send(request, record);
      if (request.method !== 'POST' || answer.status < 400) return answer;
      body = request.body ?? '';
      await make();
      return answer;
    },
  });
  const make = async () => {
    if (body === '') return;
    const sent = { group: 1, customer: 1, ...JSON.parse(body) };
    await fetch(`${url}${BASE}/customerGroupItem`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    }).catch(() => {});
  };
  const timer = setInterval(make, 20);
  const results = await check(url, {
    models: ['customerGroupItem'],
    rules: ['required'],
    wrap,
    retry: false,
  });
  clearInterval(timer);
  expect(service.live().filter((name) => name.startsWith('customerGroupItem')).length).toBeGreaterThan(3);
  expect(against(results).map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
});

const WITHOUT_TEXT = [
  'accessControlLog',
  'consumerHomeItem',
  'schoolPlanningExercise',
  'multipackResourceType',
];

test('two runs at once fail none of the models without texts, and leave nothing', async () => {
  service = await startPlain();
  const { live, url } = service;
  const before = live();
  const runs = await Promise.all(
    ['a1b2', 'c3d4'].map((tag) =>
      learnAndCheck(url, { models: WITHOUT_TEXT, tag, tagIsUnique: true, looks: [0, 300] }),
    ),
  );
  expect(runs.flatMap(complaints)).toEqual([]);
  expect(live()).toEqual(before);
});

test('a copy of a record without texts is a failure, although its values identify no run', async () => {
  const copies: Defect = {
    name: 'create-makes-two',
    rules: ['create.distinct'],
    models: ['schoolPlanningExercise'],
    after: ({ id = 0, model, on, tables }) => {
      if (on !== 'create' || model.name !== 'schoolPlanningExercise') return;
      const { id: _, ...row } = tables.find(model.name, id) ?? {};
      tables.insert(model.name, row);
    },
  };
  service = await startPlain({ defect: copies });
  const results = await learnAndCheck(service.url, {
    models: ['schoolPlanningExercise'],
    rules: ['create.distinct'],
  });
  expect(results.cases.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['create.distinct:schoolPlanningExercise', 'fail'],
  ]);
});

test.each([
  ['is shown', { body: { id: 7, created: '2020-01-01T00:00:00+00:00' } }, true],
  ['shows its id alone', { body: {}, location: `${BASE}/stockOrder/7` }, false],
])(
  'the lines of a record that was given a deleted id are not removed, where the first one %s',
  async (_, first, isShown) => {
    const sent: string[] = [];
    const model = catalogue.models.get('stockOrder');
    if (!model) throw new Error('no model');
    const lines = model.fields.find((field) => field.lines !== undefined);
    const theirs = { id: 7, created: '2024-05-05T05:05:05+00:00', [lines?.name ?? '']: [{ id: 99 }] };
    const answers: { status: number; body: object; location?: string }[] = [
      // The run creates and deletes a record; then another client creates one, just before the second delete.
      { status: 201, ...first },
      // A response without the sent values proves the ID only if a retrieve shows them.
      ...(isShown ? [{ status: 200, ...first }] : []),
      { status: 200, body: {} },
      { status: 404, body: {} },
      { status: 409, body: { error: 'has lines' } },
      { status: 200, body: theirs },
    ];
    const target: Target = {
      url: 'http://127.0.0.1',
      requests: () => sent.length,
      async send({ method, path }: TargetRequest, record) {
        record({ request: {}, response: { headers: {} } } as Exchange);
        const isList = method === 'GET' && !/\d$/.test(path);
        if (!isList) sent.push(`${method} ${path.slice(BASE.length + 1)}`);
        const none = { status: 200, body: [], location: undefined };
        const { body, location, status } = (isList ? undefined : answers.shift()) ?? none;
        return {
          status,
          headers: { 'content-type': 'application/json', ...(location ? { location } : {}) },
          body: JSON.stringify(body),
        };
      },
      close: async () => {},
    };
    const contract = { catalogue, profile: DEFAULT_PROFILE, references };
    const wireCheck = createWireCheck(contract);
    const { records } = createRecords({
      plan: () => contract,
      target,
      check: () => wireCheck,
      seed: 1,
    }).open(model, 'test', {});
    await records.create({});
    await records.delete(7);
    await expect(records.delete(7)).rejects.toThrow(
      `after its delete, stockOrder/7 might be another client's record, so the run sends no write to it`,
    );
    expect(sent).toEqual([
      'POST stockOrder',
      ...(isShown ? ['GET stockOrder/7'] : []),
      'DELETE stockOrder/7',
      'GET stockOrder/7',
      'DELETE stockOrder/7',
      'GET stockOrder/7',
    ]);
  },
);
