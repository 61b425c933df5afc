import { expect, test } from 'vitest';
import { DEFAULT_PROFILE, type Profile } from '../spec/profile/profile.ts';
import { against, check } from '../testing/checks.ts';
import { checkMock, startMockService } from '../testing/mock-service.ts';
import { type At, type Defect, without } from '../testing/services/defects/defect.ts';
import { createAt } from '../testing/services/service.ts';
import { complaints, learnAndCheck, learnTerms, useForeignService } from '../testing/use-foreign-service.ts';
import { UNKNOWN_ID } from './records/identity.ts';

/** A service that shares no code with the suite refuses, or lacks, parts that the source states. */
const { closing, start } = useForeignService();

async function run(
  model: string,
  defect: Partial<Defect>,
  rules?: readonly string[],
  settings: Partial<Profile> = {},
) {
  const service = await start(defect, 'sort=field');
  const profile = { ...DEFAULT_PROFILE, ...settings };
  return check(service.url, { models: [model], ...(rules ? { rules } : {}), profile, looks: [0] });
}

const failed = (results: Awaited<ReturnType<typeof run>>) =>
  against(results)
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ id, message }) => `${id}: ${message}`);

const creates = (model: string, wrong: (sent: NonNullable<At['sent']>) => boolean) => (at: At) =>
  at.on === 'create' && at.model.name === model && wrong(at.sent ?? {});
const isFalse = (value: unknown) => value === false || value === 0;

test('a rejected create that stores an empty string for the only required field fails', async () => {
  const settings = { 'request.blankStrings': 'accept' } as const;
  const options = { models: ['taskComment'], rules: ['required.on-create'], looks: [0] };
  const results = await checkMock(
    options,
    (answer) => async (request, sent) => {
      const isEmpty = request.method === 'POST' && request.url?.endsWith('/taskComment') && sent === '{}';
      if (!isEmpty) return answer(request, sent);
      await answer(request, '{"body":""}');
      return { status: 422, body: { detail: 'body is required' } };
    },
    { settings },
  );
  expect(failed(results)).toEqual([
    'required.on-create:taskComment.body: the target stored a record that no accepted create sent',
  ]);
});

test('a required boolean that accepts only one value fails, and the message names both values', async () => {
  const refuses = creates('customerTag', (sent) => isFalse(sent.public));
  const results = await run('customerTag', { refuses }, ['operations']);
  expect(failed(results)).toContain(
    'operations.create-required:customerTag: a valid value is refused for customerTag.public: false; a create with true was accepted: pass --pin customerTag.public=true',
  );
  const exchange = results.cases.find(({ rule }) => rule === 'operations.create-required')?.exchanges?.at(-1);
  expect(JSON.parse(exchange?.request.body ?? '')).toEqual({
    name: expect.any(String),
    isDefault: expect.any(Boolean),
    public: false,
  });
});

test('if the service rejects a value once, the suite does not conclude that updates need all fields', async () => {
  let rejected = 0;
  const options = { models: ['locker'], rules: ['profile.request.update'], looks: [0] };
  const { counts } = await checkMock(options, (answer) => async (request, sent) => {
    const isSingle = /\/locker\/\d+$/.test(request.url ?? '') && /^\{[^,]+\}$/.test(sent);
    if (!isSingle || rejected++ > 0) return answer(request, sent);
    return { status: 409, body: { detail: 'Another record has this value.' } };
  });
  expect([rejected > 1, counts.fail, counts.flaky]).toEqual([true, 0, 0]);
});

test('a service passes that omits some unset fields, and restricts the values of one of them', async () => {
  const omit = (record: unknown) =>
    JSON.parse(JSON.stringify(record), (name, value) =>
      value === null && ['phone', 'street'].includes(name) ? undefined : value,
    );
  // A profile from learn lacks the phone, because no response shows it.
  const except = { 'crmContact.street': { 'response.unset': 'absent' } };
  const rules = ['operations', 'fields', 'profile.response.unset'];
  const plan = { settings: { except }, models: ['crmContact'], rules, looks: [0] };
  const results = await checkMock(plan, (answer) => async (request, sent) => {
    if (/"phone":"(?!\d{3}")/.test(sent)) return { status: 422, body: { detail: 'phone is not a number' } };
    const reply = await answer(request, sent);
    return { ...reply, body: omit(reply.body) };
  });
  expect([against(results), results.counts.flaky]).toEqual([[], 0]);
  const shown = results.cases.find(({ id }) => id === 'fields.shown:crmContact.phone');
  expect(shown?.message).toMatch(/^no response shows crmContact.phone, .*--pin crmContact.phone=/);
});

test('if a create needs an optional field, the failure names the field', async () => {
  const refuses = creates('voucherPrice', (sent) => sent.maxAge === undefined);
  expect(failed(await run('voucherPrice', { refuses }, ['operations', 'create']))).toEqual([
    'operations.create-required:voucherPrice: a create without the optional maxAge is rejected',
  ]);
});

test('an optional boolean that accepts only one value is left out, and only its cases are skipped', async () => {
  const refuses = creates(
    'subscriptionAddon',
    (sent) => sent.accumulative === true || sent.accumulative === 1,
  );
  const results = await run('subscriptionAddon', { refuses }, ['operations', 'create', 'update', 'fields']);
  expect(complaints(results)).toEqual([]);
  const skipped = results.cases.filter(({ message }) => message?.includes('is left out'));
  expect(new Set(skipped.map(({ field }) => field))).toEqual(new Set(['accumulative']));
});

test.each([6, 1, 0])(
  'six fields with undocumented formats are left out if a rejection names %i of them',
  async (most) => {
    const formats = ['phone', 'phone2', 'street', 'street2', 'city', 'zipCode'];
    const service = await startMockService({}, (answer) => async (request, sent) => {
      const names = formats.filter((name) => new RegExp(`"${name}":"(?!\\d{3}")`).test(sent));
      const named = names.slice(0, most).map((name) => [name, 'This phone has another format.']);
      return names.length > 0 ? { status: 422, body: Object.fromEntries(named) } : answer(request, sent);
    });
    const rules = ['operations', 'create', 'update', 'fields'];
    const results = await check(closing(service).url, { models: ['crmContact'], rules, looks: [0] });
    expect([complaints(results), results.counts.blocked]).toEqual([[], 0]);
    const skipped = results.cases.filter(({ message }) => message?.includes('is left out'));
    expect(new Set(skipped.map(({ field }) => field))).toEqual(new Set(formats));
  },
);

test('a field whose whole value list is rejected fails for each value, and blocks no cases', async () => {
  const refuses = creates('crmContact', ({ language }) => (language ?? null) !== null);
  const results = await run('crmContact', { refuses });
  expect(results.counts.blocked).toBe(0);
  expect(failed(results)).toEqual([
    'operations.create:crmContact: a valid value is refused for crmContact.language: "es"; no other value of its list was accepted',
    'values.accepted:crmContact.language=es: the target does not accept language "es"',
    'values.accepted:crmContact.language=en: the target does not accept language "en"',
  ]);
  const { exchanges } =
    results.cases.find(({ id }) => id.startsWith('values.accepted:crmContact.lang')) ?? {};
  expect(Object.keys(JSON.parse(exchanges?.at(-1)?.request.body ?? '{}'))).toEqual(['name', 'language']);
});

test('a repeated 5xx fails the operation if it prevents other cases from being judged', async () => {
  const breaks = creates('warehouse', ({ name }) => String(name).startsWith('0'));
  expect(failed(await run('warehouse', { breaks }))).toContainEqual(
    expect.stringMatching(/^operations\.create:warehouse: .*\b500\b/),
  );
});

test('a repeated 5xx is a failure, even if only a link to a missing record causes it', async () => {
  const breaks = creates('stockInvoiceLine', (sent) => Object.values(sent).includes(UNKNOWN_ID));
  const rules = ['profile.request.references', 'operations.create'];
  const settings = { 'request.references': 'reject' } as const;
  const results = await run('stockInvoiceLine', { breaks }, rules, settings);
  expect(failed(results)).toEqual([expect.stringMatching(/^operations\.create:stockInvoiceLine: /)]);
  expect(results.cases.map(({ outcome }) => outcome)).toEqual(['fail', 'skip']);
});

/** Every body that the service finds invalid, readonly fields among them, is answered with the status. */
async function refuseWith(status: number): Promise<string> {
  const settings = { 'request.readonlyFields': 'reject' };
  const service = await startMockService({ settings }, (answer) => async (request, body) => {
    const reply = await answer(request, body);
    return reply.status === 422 ? { status, body: { code: '42501', message: 'permission denied' } } : reply;
  });
  return closing(service).url;
}

const MODELS = ['brand', 'locker'];

test.each([401, 404])(
  'an invalid body counts as rejected with the status %i if valid bodies are accepted',
  async (status) => {
    const rules = ['operations', 'readonly', 'required', 'fields'];
    const results = await learnAndCheck(await refuseWith(status), { models: MODELS, rules });
    expect(complaints(results)).toEqual([]);
    const judged = results.cases.filter(({ rule }) => /^(readonly|required|fields\.wrong)/.test(rule));
    expect(judged.filter(({ outcome }) => outcome === 'pass').length).toBe(judged.length);
  },
);

test('a request that is refused only for what is in it counts as refused with 403 where no other update is sent', async () => {
  const url = await refuseWith(403);
  const terms = await learnTerms(url, { models: MODELS });
  for (const rule of ['readonly.on-update', 'fields.wrong-type-on-update', 'required.on-update'])
    expect(complaints(await check(url, { ...terms, models: MODELS, rules: [rule] }))).toEqual([]);
});

test('a request that is refused only for what is in it does not count as refused with 425', async () => {
  const rules = ['readonly', 'required.on-create', 'required.on-update', 'fields.wrong-type-on-create'];
  const { counts } = await check(await refuseWith(425), { models: ['brand'], rules });
  expect(counts).toMatchObject({ pass: 0, fail: 0 });
  expect(counts.blocked).toBeGreaterThan(5);
});

test('if the credentials permit no writes, the cases are blocked, whatever the status', async () => {
  const plan = { models: ['brand'], rules: ['readonly', 'required'] };
  const { cases } = await checkMock(plan, (answer) => async (request, body) => {
    return request.method === 'GET' ? answer(request, body) : { status: 403 };
  });
  expect(new Set(cases.map(({ outcome }) => outcome))).toEqual(new Set(['blocked']));
});

test('if a service requires If-Match, the cases are blocked and name the header to pass', async () => {
  const service = await startMockService({}, (answer) => async (request, sent) => {
    const isOfRecord = request.method !== 'GET' && /\/brand\/\d+$/.test(request.url ?? '');
    return isOfRecord && !request.headers['if-match'] ? { status: 428 } : answer(request, sent);
  });
  const { url } = closing(service);
  const plan = { models: ['brand'], rules: ['operations', 'required'], looks: [0] };
  const wrong = against(await check(url, plan));
  expect(wrong.map(({ id }) => id)).toContain('operations.update:brand');
  expect(wrong.map(({ outcome }) => outcome)).toEqual(wrong.map(() => 'blocked'));
  expect(wrong[0]?.message).toMatch(/pass --header 'If-Match: \*': POST .* returned 428$/);
  const connection = { headers: { 'If-Match': '*' } };
  expect(against(await check(url, { ...plan, connection }))).toEqual([]);
});

test('a retrieve that returns a record of another model fails', async () => {
  const service = await startMockService({}, (answer) => async (request, sent) => {
    const reply = await answer(request, sent);
    const [, id] = /locker\/(\d+)$/.exec(request.url ?? '') ?? [];
    if (request.method !== 'GET' || !id || reply.status !== 404) return reply;
    return answer(Object.assign(request, { url: `/api/model/lockerType/${id}` }), '');
  });
  closing(service);
  // The IDs of lockers are lower.
  for (let made = 0; made < 20; made++) await createAt(service.url, 'lockerType', { name: 'A' });
  const results = await check(service.url, { models: ['locker', 'brand'], rules: ['absent'], looks: [0] });
  expect(failed(results)).toEqual([
    expect.stringMatching(
      /^absent.record-retrieve:locker: a retrieve of a locker returns a lockerType with the ID/,
    ),
  ]);
});

test('if the service rejects a boundary value, the result names it', async () => {
  const refuses = creates('deposit', ({ endDate }) => String(endDate).endsWith('-02-29'));
  const { cases } = await run('deposit', { refuses }, ['advice.edge-kept']);
  const message = expect.stringMatching(/^the target rejects endDate "\d{4}-02-29"$/);
  expect(cases.find(({ field }) => field === 'endDate')).toMatchObject({ outcome: 'skip', message });
});

test("a model whose records the run can't create is judged by existing records", async () => {
  const service = await startMockService({}, (answer) => async (request, sent) => {
    const reply = await answer(request, sent);
    const withTextId = (_: string, value: unknown) => (typeof value === 'number' ? String(value) : value);
    return request.method === 'GET'
      ? { ...reply, body: JSON.parse(JSON.stringify(reply.body), withTextId) }
      : reply;
  });
  await createAt(closing(service).url, 'deposit', { customer: 1, balance: 5 });
  const settings = { 'types.currency': 'unknown' };
  const results = await check(service.url, { models: ['deposit'], settings, rules: ['fields', 'create'] });
  expect(failed(results)).toContainEqual(expect.stringMatching(/^fields.type:deposit.id: /));
  expect(results.cases.find(({ rule }) => rule === 'create.keeps-field')).toMatchObject({
    outcome: 'skip',
    message: expect.stringContaining('types.currency'),
  });
});

test.each<[string, Readonly<Record<string, number>>, string]>([
  ['crashes on null', { city: 500 }, 'update.changes-field:crmContact.city: the target crashes'],
  ['keeps a value', { phone: 422, city: 200 }, 'profile.request.null:crmContact.city: the target uses'],
])('a service that %s in only one field fails for this field', async (_, statuses, message) => {
  const options = {
    models: ['crmContact'],
    rules: ['update.changes-field', 'profile.request.null'],
    looks: [0],
  };
  const results = await checkMock(options, (answer) => async (request, sent) => {
    const isUpdate = request.method === 'POST' && /crmContact\/\d/.test(request.url ?? '');
    const values = Object.entries(isUpdate ? JSON.parse(sent) : {}).filter(([, value]) => value === null);
    const status = Math.max(0, ...values.map(([name]) => statuses[name] ?? 0));
    if (status > 200) return { status, body: {} };
    const { city, ...rest } = JSON.parse(sent || '{}');
    return answer(request, status === 200 && city === null ? JSON.stringify(rest) : sent);
  });
  expect(failed(results)).toEqual([expect.stringContaining(message)]);
});

const ZEROS: readonly (readonly [string, unknown])[] = [
  ['shareTransfer.price', 0],
  ['locker.status', 0],
  ['metricData.result', ''],
  ['subscriptionCustomer.start', '1970-01-01'],
];

/** A service that accepts null for a required field in one of the writes, and stores something else or nothing new. */
const nulling = (key: string, writes: readonly string[], stored: (rest: object, name: string) => object) => {
  const [model = '', name = ''] = key.split('.');
  const isHere = (one: { readonly name: string }, on: string) => one.name === model && writes.includes(on);
  const defect: Partial<Defect> = {
    forgives: ({ field, kind, model: at, on }) => isHere(at, on) && field.name === name && kind === 'null',
    values: (values, at) =>
      isHere(at.model, at.on) && values[name] === null ? { ...stored(without(values, name), name) } : values,
  };
  return { model, defect };
};

test.each(ZEROS)(
  'a service that stores null for the required %s as %j fails in a create and an update',
  async (key, zero) => {
    const { defect, model } = nulling(key, ['create', 'update'], (rest, name) => ({ ...rest, [name]: zero }));
    expect(failed(await run(model, defect, ['required']))).toEqual([
      expect.stringMatching(
        `^required.null-on-create:${key}: a create with .* null (stores a value that|left it wi)`,
      ),
      expect.stringMatching(
        `^required.on-update:${key}: an update with .* null (stores a value that|left it wi)`,
      ),
    ]);
  },
);

test.each<[string, string, string[], Parameters<typeof nulling>[2], Partial<Profile>?]>([
  ['ignores it in an update', 'shareTransfer.price', ['update'], (rest) => rest],
  ['ignores it in an update', 'metricData.result', ['update'], (rest) => rest],
  [
    'stores an accepted empty string',
    'brand.name',
    ['create'],
    (rest) => ({ ...rest, name: '' }),
    { 'request.blankStrings': 'accept' },
  ],
  [
    'computes a value',
    'voucherTransaction.customerName',
    ['create'],
    (rest) => ({ ...rest, customerName: 'Ana' }),
  ],
])(
  'if null is sent for a required field, a service passes that %s: %s',
  async (_, key, on, stored, terms) => {
    const { defect, model } = nulling(key, on, stored);
    expect(against(await run(model, defect, ['required', 'update.changes-field'], terms))).toEqual([]);
  },
);

test.each([0, 1, 2, 3])(
  'if only an update of a status to %i is rejected, only its case fails',
  async (status) => {
    const refuses = ({ model, on, sent }: At) =>
      model.name === 'stockOrder' && on === 'update' && sent?.status === status;
    const results = await run('stockOrder', { refuses });
    expect(results.cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)).toEqual([
      `profile.transitions:stockOrder.status=to-${status}`,
    ]);
  },
);

test('a boolean that only an update rejects fails and is named', async () => {
  const refuses = ({ model, on, sent }: At) =>
    model.name === 'customerTag' && on === 'update' && isFalse(sent?.public ?? true);
  expect(failed(await run('customerTag', { refuses }, ['update']))).toContainEqual(
    expect.stringMatching(
      /^update.keeps-other-records:.*: a valid value is refused for customerTag.public: false/,
    ),
  );
});

test('a lost update is reported as a changed value, not as null that keeps a value', async () => {
  const values: Defect['values'] = (sent, { model, on }) =>
    model.name === 'supplier' && on === 'update' ? without(sent, 'zipCode') : sent;
  expect(failed(await run('supplier', { values }, ['update']))).toEqual([
    expect.stringMatching(/^update.changes-field:supplier.zipCode: .* shows another value/),
  ]);
});

test.each(['updated', 'updateUser'])(
  'a service that sets %s to null in an update gets advice',
  async (name) => {
    const after: Defect['after'] = ({ id = 0, model, on, tables }) => {
      if (model.name !== 'customer') return;
      const { created } = tables.find('customer', id) ?? {};
      const before = name === 'updated' ? created : 1;
      tables.change('customer', id, { [name]: on === 'update' ? null : before });
    };
    const { cases } = await run('customer', { after }, ['advice.updated-rises']);
    const message = expect.stringMatching(`^an update sets ${name} to null`);
    expect(cases).toMatchObject([{ outcome: 'fail', message }]);
  },
);

test('an update with status 200 and an error in the body fails the rule about the status', async () => {
  const plan = { models: ['locker'], rules: ['profile.status.invalid'], looks: [0] };
  const results = await checkMock(plan, (answer) => async (request, sent) => {
    const reply = await answer(request, sent);
    const isUpdate = request.method === 'POST' && /locker\/\d/.test(request.url ?? '');
    return isUpdate && reply.status === 422 ? { status: 200, body: { error: 'invalid' } } : reply;
  });
  expect(failed(results)).toEqual([
    expect.stringMatching(/^profile.status.invalid:locker: only the body of POST .* shows that/),
  ]);
});
