import { describe, expect, test } from 'vitest';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { against, check, pinsOf } from '../../../testing/checks.ts';
import { after, changing } from '../../../testing/proxies/wrap.ts';
import { type At, type Defect, without } from '../../../testing/services/defects/defect.ts';
import { startExpress } from '../../../testing/services/express/express.ts';
import { createAt } from '../../../testing/services/service.ts';
import {
  complaints,
  learnAndCheck,
  learnTerms,
  useForeignService,
} from '../../../testing/use-foreign-service.ts';

const { closing, serve, start } = useForeignService();

test.each([
  ['a list without a record is null', 'noRecords=null'],
  ['a list without a record is left out', 'noRecords=left out', 'envelope=data'],
  ['a delete of what never was is fine', 'again=always fine'],
])('a service passes where %s', async (_, ...manners) => {
  const url = await serve('begins=empty', ...manners);
  // Something has to show that this is the service.
  await createAt(url, 'lockerType', { name: 'old' });
  const results = await learnAndCheck(url, {
    models: ['brand', 'stockOrder', 'subscriptionTask'],
    rules: ['operations', 'absent', 'list', 'required', 'profile'],
  });
  expect(complaints(results)).toEqual([]);
});

test.each([
  ['decimals are taken as numbers alone and shown as texts', 'shareTransfer.price', 'decimals as texts'],
  ['links are taken as ids alone and shown as objects', 'customer.tags', 'links as objects'],
])('a service passes where %s', async (_, field, manner) => {
  const [model = '', name] = field.split('.');
  const results = await learnAndCheck(await serve(`shows=${manner}`), { models: [model] });
  expect(complaints(results)).toEqual([]);
  const about = results.cases.filter((one) => one.field === name && one.rule === 'create.keeps-field');
  expect(about.map(({ outcome }) => outcome)).toEqual(['skip']);
});

test('days that are shown at midnight are judged', async () => {
  const results = await learnAndCheck(await serve('shows=days at midnight'), { models: ['multipack'] });
  expect(complaints(results)).toEqual([]);
  const about = results.cases.filter(({ field, rule }) => field === 'start' && /field/.test(rule));
  expect(about.length).toBeGreaterThan(3);
  expect(about.every(({ outcome }) => outcome === 'pass')).toBe(true);
});

test('a service that keeps two decimals of money and percentages is advised of it', async () => {
  const results = await learnAndCheck(await serve('money=two decimals'), { models: ['stockInvoiceLine'] });
  expect(complaints(results)).toEqual([]);
  const told = results.cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
  expect(told).toContain('advice.edge-kept:stockInvoiceLine.taxRate');
});

test.each(['local', 'seconds', 'milliseconds'])('a point in time of the form %s is judged', async (form) => {
  const models = ['customerToTag', 'voucherTransaction'];
  const results = await learnAndCheck(await serve(`datetime=${form}`), { models, rules: ['create'] });
  expect(complaints(results)).toEqual([]);
  expect(results.cases.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
});

describe('is not held against a service', () => {
  test('that its ids have sixteen digits', async () => {
    const results = await check(await serve('ids=large', 'sort=field'), { models: ['brand', 'locker'] });
    expect(complaints(results)).toEqual([]);
    expect(results.counts.pass).toBeGreaterThan(100);
  });

  test.each([
    ['', 'echo=stored'],
    [', and an answer to a write repeats what was sent', 'echo=sent'],
  ])('that it works totals, balances and names of linked records out by itself%s', async (_, echo) => {
    const models = ['stockInvoice', 'stockInvoiceLine', 'voucherTransaction'];
    const rules = [
      'create.keeps-field',
      'create.distinct',
      'update.changes-field',
      'update.keeps-other-fields',
    ];
    const results = await check(await serve('totals=worked out', echo), { models, rules });
    expect(complaints(results)).toEqual([]);
    const skipped = results.cases.filter(({ outcome }) => outcome === 'skip').map(({ id }) => id);
    expect(skipped).toEqual([
      'create.keeps-field:stockInvoiceLine.totalBeforeTaxes',
      'create.keeps-field:stockInvoiceLine.total',
      'update.changes-field:stockInvoiceLine.totalBeforeTaxes',
      'update.changes-field:stockInvoiceLine.total',
      'create.keeps-field:voucherTransaction.customerName',
      'update.changes-field:voucherTransaction.customerName',
    ]);
  });

  test.each(['in the status', 'in the body'])('that it refuses %s what changes nothing', async (refusals) => {
    const results = await check(await serve('noChange=refused', 'sort=field', `refusals=${refusals}`), {
      models: ['customerFile'],
      rules: ['operations.update', 'update.keeps-origin', 'list.shows-update', 'profile.status.updated'],
    });
    expect(complaints(results)).toEqual([]);
    const skipped = results.cases.filter(({ message }) => message?.includes('has none to send'));
    expect(skipped.map(({ rule }) => rule)).toContain('operations.update');
  });

  test('that a duration which nobody gave is an empty text', async () => {
    const results = await check(await serve('unset=blank', 'duration=text'), {
      models: ['subscription'],
      rules: ['fields.type', 'create.keeps-field'],
    });
    expect(complaints(results)).toEqual([]);
  });

  test('that only some of the fields that look like links are links', async () => {
    const service = closing(await startExpress());
    const results = await learnAndCheck(service.url, {
      models: ['lockerType', 'stockInvoiceLine'],
      rules: ['profile.request.references'],
    });
    expect(results.cases.map(({ outcome }) => outcome).sort()).toEqual(['pass', 'skip']);
  });

  test('that others typed no address where one belongs', async () => {
    const url = await serve();
    const made = await createAt(url, 'crmContact', { name: 'Old', email: 'none', avatar: 'n/a' });
    expect(made).toMatchObject({ email: 'none' });
    const results = await check(url, { models: ['crmContact'], rules: ['fields.type'] });
    expect(complaints(results)).toEqual([]);
    const addresses = results.cases.filter(({ field }) => field === 'email' || field === 'avatar');
    expect(addresses.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
  });

  const filter = ['profile.list.filter'];

  test.each<[what: string, words: string[], model: string, rules?: string[]]>([
    ['a filtered list has parts nobody can ask for', ['paging=cursor', 'size=2'], 'customerTag', filter],
    ['a filtered list has an unknown size', ['size=2', 'tooMany=refused', 'most=50'], 'customerTag', filter],
    ['a list in the order of changes shows an update on a later page', ['order=changed'], 'customer'],
  ])('that %s', async (_, words, model, rules = []) => {
    const selection = { models: [model], ...(rules.length > 0 ? { rules } : {}) };
    expect(complaints(await learnAndCheck(await serve(...words), selection))).toEqual([]);
  });

  test('that its columns are short', async () => {
    const url = await serve('columns=short', 'sort=field');
    const results = await learnAndCheck(url, { models: ['customer'], rules: ['create', 'operations'] });
    expect(complaints(results)).toEqual([]);
    const left = results.cases.filter(({ outcome }) => outcome === 'skip').map(({ id }) => id);
    expect(left).toEqual([]);
  });

  test.each(['simple', 'problem', 'list', 'fields', 'empty'])(
    'that a refusal stands beside a status of success, as %s',
    async (errors) => {
      const url = await serve(
        'refusals=in the body',
        `errors=${errors}`,
        'readonlyFields=reject',
        'sort=field',
      );
      const results = await learnAndCheck(url, { models: ['locker'] });
      expect(complaints(results)).toEqual([]);
      expect(results.counts.pass).toBeGreaterThan(60);
    },
  );

  test('that an empty text has to be unique too', async () => {
    const url = await serve('unique=names', 'empty=kept');
    const outcomes = async () => {
      const results = await check(url, {
        models: ['brand', 'taskComment'],
        rules: ['profile.request.blankStrings'],
        profile: { ...DEFAULT_PROFILE, 'request.blankStrings': 'accept' },
      });
      return results.cases.map(({ message, outcome }) => message ?? outcome);
    };
    expect(await outcomes()).toEqual(['pass', 'pass']);
    const taken = 'name must be unique, and another record might have the empty string';
    expect((await outcomes()).toSorted()).toEqual([taken, 'pass']);
  });

  test('that only some values of a text are taken, as a pin says', async () => {
    const results = await check(await serve('empty=kept'), {
      models: ['brand'],
      rules: ['profile.request.blankStrings'],
      pins: pinsOf({ 'brand.name': 'Own' }),
    });
    expect(results.cases.map(({ outcome }) => outcome)).toEqual(['skip']);
  });

  test('that texts of the greatest length have to be unique too', async () => {
    const results = await check(await serve('unique=names in any case', 'textLimit=255'), {
      models: ['brand', 'locker'],
      rules: ['profile.limits.text'],
      profile: { ...DEFAULT_PROFILE, 'limits.text': 255 },
    });
    expect(complaints(results)).toEqual([]);
    expect(results.counts.pass).toBe(2);
  });
});

const rules = ['fields.wrong-type-on-create', 'fields.wrong-type-on-update'];

test('a form that the source does not show (2.12) is not held against a service that takes any text for a duration', async () => {
  const results = await check(await serve('duration=text'), {
    models: ['voucherType', 'subscription'],
    rules,
  });
  expect(complaints(results)).toEqual([]);
  expect(
    results.cases.filter(({ field, outcome }) => field === 'expiration' && outcome === 'pass'),
  ).toHaveLength(4);
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
  const { url } = await start('unknown-id-delete-answers', 'again=always fine');
  const results = await check(url, { models: ['customerGroup'], rules: ['absent'] });
  expect(against(results).map(({ id }) => id)).toEqual(['absent.record-delete:customerGroup']);
});

test('lines that a delete leaves under an ID that is used again are removed', async () => {
  const service = await start({ leavesLines: true }, 'ids=used again', 'deletes=remove');
  const before = service.live();
  const { leftovers } = await learnAndCheck(service.url, { models: ['stockOrder', 'stockOrderLine'] });
  expect({ leftovers, live: service.live() }).toEqual({ leftovers: [], live: before });
});

test.each(['brand', 'schoolPlanningExercise', 'customerFile'])(
  'an update of a %s that stores the old row as another record fails',
  async (name) => {
    let old: NonNullable<At['before']> = {};
    const isUpdate = ({ model, on }: At) => on === 'update' && model.name === name;
    const defect: Partial<Defect> = {
      values: (values, at) => {
        if (isUpdate(at)) old = { ...at.before };
        return values;
      },
      after: (at) => {
        if (isUpdate(at)) at.tables.insert(name, without(old, 'id'));
      },
    };
    const { url } = await start(defect);
    const rules = ['update.keeps-other-records'];
    const { cases } = await learnAndCheck(url, { models: [name], rules });
    expect(cases.map(({ id, outcome }) => [id, outcome])).toEqual([
      [`update.keeps-other-records:${name}`, 'fail'],
    ]);
  },
);

test('a record that another run made meanwhile is not removed, whatever it is like', async () => {
  const service = await start();
  const { url } = service;
  let theirs = '';
  const wrap = after(async (request) => {
    const body = request.method === 'POST' ? JSON.parse(request.body ?? '{}') : { name: 'none' };
    if (theirs !== '' || Object.hasOwn(body, 'name')) return;
    const { id } = await createAt(url, 'customerTag', { ...body, name: 'Theirs' });
    theirs = `customerTag/${id}`;
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
  const { url } = await start({ values }, 'currency=string', 'begins=empty');
  const results = await learnAndCheck(url, {
    models: ['shareTransfer'],
    rules: ['create.keeps-field'],
  });
  expect(against(results).map(({ id }) => id)).toEqual(['create.keeps-field:shareTransfer.price']);
});

test('a total that is only rounded is none that the service works out', async () => {
  const { url } = await start('money-rounded-to-whole');
  const results = await check(url, { models: ['deposit'], rules: ['create.keeps-field'] });
  expect(against(results).map(({ id }) => id)).toEqual(['create.keeps-field:deposit.balance']);
});

test.each([
  ['page-misses-one', 'profile.list.paging:brand'],
  ['page-shows-first-twice', 'profile.list.paging:brand'],
  ['total-counts-the-page', 'profile.response.total:brand'],
])('pages that count from 0 are judged: %s', async (name, id) => {
  const terms = await learnTerms(await serve('paging=from zero'), { models: ['brand'] });
  const { url } = await start(name, 'paging=from zero');
  const results = await check(url, { models: ['brand'], rules: ['profile'], ...terms });
  expect(against(results).map((one) => one.id)).toContain(id);
});

const models = ['brand', 'lockerType', 'voucherCategory', 'subscriptionTask'];

test.each([
  ['as HAL has them', ['envelope=hal'], ['response.records /_embedded/{model}List']],
  [
    'as Rails has them, on a new database',
    ['envelope=rails', 'begins=empty'],
    ['response.record /{model_name}', 'response.records /{model_names}'],
  ],
])('records under the name of their model are learned and checked, %s', async (_, words, places) => {
  const results = await learnAndCheck(await serve(...words), { models });
  expect(complaints(results)).toEqual([]);
  expect(results.profile.differs).toEqual(expect.arrayContaining(places));
  expect(results.counts.pass).toBeGreaterThan(250);
});

test('what a framework says about a record is no field of it, and told as advice', async () => {
  const results = await check(await serve(), {
    models: ['customerFile'],
    rules: ['fields.only', 'advice.fields-only'],
    wrap: changing(({ body }) => ({ body: body.replaceAll('{"id":', '{"_links":{},"id":') })),
  });
  expect(results.cases.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['fields.only:customerFile', 'pass'],
    ['advice.fields-only:customerFile', 'fail'],
  ]);
});
