import { describe, expect, test } from 'vitest';
import type { Target } from '../../../conformance/target/target.ts';
import { delayLists } from '../../../conformance/trial/late-lists.ts';
import { against, check } from '../../../testing/checks.ts';
import { type At, type Defect, without } from '../../../testing/services/defects/defect.ts';
import { DEFECTS } from '../../../testing/services/defects/defects.ts';
import { readOptions } from '../../../testing/services/plain/options.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { BASE } from '../../../testing/services/service.ts';
import { startUnstable } from '../../../testing/services/unstable/unstable.ts';
import {
  complaints,
  learnAndCheck,
  learnTerms,
  useForeignService,
} from '../../../testing/use-foreign-service.ts';

const { closing, serve } = useForeignService();

describe('a form that the source does not show (2.12)', () => {
  const rules = ['fields.wrong-type-on-create', 'fields.wrong-type-on-update'];

  test('is not held against a service that takes any text for a duration', async () => {
    const results = await check(await serve('duration=text'), {
      models: ['voucherType', 'subscription'],
      rules,
    });
    expect(complaints(results)).toEqual([]);
    expect(
      results.cases.filter(({ field, outcome }) => field === 'expiration' && outcome === 'pass'),
    ).toHaveLength(4);
  });
});

test('optional links to what the source has no model of are left out where their ids are refused', async () => {
  const models = ['helpArticle', 'customerGroup'];
  const results = await check(await serve('linksLead=to records, and inside', 'begins=empty', 'sort=field'), {
    models,
  });
  expect(complaints(results)).toEqual([]);
  const [tags] = results.cases.filter(({ id }) => id === 'create.keeps-field:helpArticle.tags');
  expect(tags).toMatchObject({
    outcome: 'skip',
    message: expect.stringMatching(/pass IDs of article tag/),
  });
});

test('a delete of what never was that shows a record is a breach', async () => {
  const defect = DEFECTS.find(({ name }) => name === 'unknown-id-delete-answers');
  const service = closing(
    await startPlain({ ...(defect ? { defect } : {}), dialect: readOptions(['again=always fine']) }),
  );
  const results = await check(service.url, { models: ['customerGroup'], rules: ['absent'] });
  expect(against(results).map(({ id }) => id)).toEqual(['absent.record-delete:customerGroup']);
});

test('lines that a delete leaves under an ID that is used again are removed', async () => {
  const dialect = readOptions(['ids=used again', 'deletes=remove']);
  const defect: Defect = { name: 'delete-leaves-lines', rules: [], models: [], leavesLines: true };
  const service = closing(await startPlain({ dialect, defect }));
  const before = service.live();
  const { leftovers } = await learnAndCheck(service.url, { models: ['stockOrder', 'stockOrderLine'] });
  expect({ leftovers, live: service.live() }).toEqual({ leftovers: [], live: before });
});

test.each(['brand', 'schoolPlanningExercise', 'customerFile'])(
  'an update of a %s that stores the old row as another record fails',
  async (name) => {
    let old: NonNullable<At['before']> = {};
    const isUpdate = ({ model, on }: At) => on === 'update' && model.name === name;
    const defect: Defect = {
      name: 'update-copies-old-row',
      rules: ['update.keeps-other-records'],
      models: [name],
      values: (values, at) => {
        if (isUpdate(at)) old = { ...at.before };
        return values;
      },
      after: (at) => {
        if (isUpdate(at)) at.tables.insert(name, without(old, 'id'));
      },
    };
    const { url } = closing(await startPlain({ defect }));
    const rules = ['update.keeps-other-records'];
    const { cases } = await learnAndCheck(url, { models: [name], rules });
    expect(cases.map(({ id, outcome }) => [id, outcome])).toEqual([
      [`update.keeps-other-records:${name}`, 'fail'],
    ]);
  },
);

test('a record that another run made meanwhile is not removed, whatever it is like', async () => {
  const service = closing(await startPlain({ dialect: readOptions([]) }));
  const { url } = service;
  let theirs = '';
  const wrap = (target: Target): Target => ({
    ...target,
    async send(request, record) {
      const answer = await target.send(request, record);
      const body = request.method === 'POST' ? JSON.parse(request.body ?? '{}') : { name: 'none' };
      if (theirs !== '' || Object.hasOwn(body, 'name')) return answer;
      const made = await fetch(`${url}${BASE}/customerTag`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, name: 'Theirs' }),
      });
      theirs = `customerTag/${((await made.json()) as { id: number }).id}`;
      return answer;
    },
  });
  await check(url, { models: ['customerTag'], rules: ['required.on-create'], wrap, retry: false });
  expect(theirs).toMatch(/\d$/);
  expect(service.live()).toContain(theirs);
});

test('amounts that are all rounded to whole ones have a form that is learned, and are not kept', async () => {
  const round = (value: unknown) =>
    /^\d+\.\d\d$/.test(String(value)) ? Number(value).toFixed(0).concat('.00') : value;
  const values: Defect['values'] = (row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'string' ? round(value) : value]),
    );
  const defect = { name: 'test', rules: [], models: [], values };
  const service = closing(
    await startPlain({ dialect: readOptions(['currency=string', 'begins=empty']), defect }),
  );
  const results = await learnAndCheck(service.url, {
    models: ['shareTransfer'],
    rules: ['create.keeps-field'],
  });
  expect(against(results).map(({ id }) => id)).toEqual(['create.keeps-field:shareTransfer.price']);
});

test('a total that is only rounded is none that the service works out', async () => {
  const service = closing(
    await startPlain({ defect: DEFECTS.find(({ name }) => name === 'money-rounded-to-whole') }),
  );
  const results = await check(service.url, { models: ['deposit'], rules: ['create.keeps-field'] });
  expect(against(results).map(({ id }) => id)).toEqual(['create.keeps-field:deposit.balance']);
});

test.each([
  ['page-misses-one', 'profile.list.paging:brand'],
  ['page-shows-first-twice', 'profile.list.paging:brand'],
  ['total-counts-the-page', 'profile.response.total:brand'],
])('pages that count from 0 are judged: %s', async (name, id) => {
  const dialect = readOptions(['paging=from zero']);
  const terms = await learnTerms(closing(await startPlain({ dialect })).url, { models: ['brand'] });
  const broken = closing(
    await startPlain({ dialect, defect: DEFECTS.find((defect) => defect.name === name) }),
  );
  const results = await check(broken.url, { models: ['brand'], rules: ['profile'], ...terms });
  expect(against(results).map((one) => one.id)).toContain(id);
});

describe('records under the name of their model', () => {
  const models = ['brand', 'lockerType', 'voucherCategory', 'subscriptionTask'];

  test.each([
    ['as HAL has them', ['envelope=hal'], ['response.records /_embedded/{model}List']],
    [
      'as Rails has them, on a new database',
      ['envelope=rails', 'begins=empty'],
      ['response.record /{model_name}', 'response.records /{model_names}'],
    ],
  ])('are learned and checked, %s', async (_, words, places) => {
    const results = await learnAndCheck(await serve(...words), { models });
    expect(complaints(results)).toEqual([]);
    expect(results.profile.differs).toEqual(expect.arrayContaining(places));
    expect(results.counts.pass).toBeGreaterThan(250);
  });
});

describe('a list that is behind', () => {
  const selection = { models: ['brand'], rules: ['list', 'create', 'delete', 'update'] };
  const serveLate = async () => {
    const service = closing(await startUnstable(await startPlain(), ['late-lists'], { late: 300 }));
    return service.url;
  };

  test('is waited for, where the user says how long', async () => {
    const wrap = (target: Target) => delayLists(target, { base: BASE, ms: 700 });
    expect(complaints(await check(await serveLate(), { ...selection, wrap }))).toEqual([]);
  });

  test('is no failure where the user says nothing, and told as advice', async () => {
    const results = await check(await serveLate(), { ...selection, looks: [700] });
    expect(complaints(results)).toEqual([]);
    expect(results.oddities).toEqual([expect.stringContaining('the list of brand is late')]);
  });

  test('is still held against the target for what it shows wrong at any time', async () => {
    const defect = DEFECTS.find(({ name }) => name === 'list-hides-new');
    const service = closing(await startUnstable(await startPlain({ defect }), ['late-lists'], { late: 60 }));
    const results = await check(service.url, { ...selection, models: ['lockerType'], looks: [400] });
    expect(against(results).map(({ id }) => id)).toContain('list.shows-record:lockerType');
  });
});

test('what a framework says about a record is no field of it, and told as advice', async () => {
  const results = await check(await serve(), {
    models: ['customerFile'],
    rules: ['fields.only', 'advice.fields-only'],
    wrap: (target) => ({
      ...target,
      send: async (...asked) => {
        const response = await target.send(...asked);
        return { ...response, body: response.body.replaceAll('{"id":', '{"_links":{},"id":') };
      },
    }),
  });
  expect(results.cases.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['fields.only:customerFile', 'pass'],
    ['advice.fields-only:customerFile', 'fail'],
  ]);
});
