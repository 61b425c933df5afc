import { afterEach, expect, test } from 'vitest';
import { combineDecorations, type Decoration } from '../mock/decoration.ts';
import { isOne, onEngine } from '../mock/defects/on-engine.ts';
import { listen } from '../mock/http/server.ts';
import { createMock } from '../mock/mock.ts';
import { DEFAULT_PROFILE } from '../spec/profile/profile.ts';
import type { RecordValues } from '../spec/wire/record-codec.ts';
import { against, catalogue, check, references } from '../testing/checks.ts';
import { demo } from '../testing/demo.ts';

/** Services with their own rules in questions that the source leaves open. */
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

const PAIRS = [
  ['startDate', 'endDate'],
  ['start', 'end'],
  ['startTime', 'endTime'],
  ['minAge', 'maxAge'],
  ['date', 'deliveryDate'],
] as const;
const RANGES = [
  'voucher',
  'voucherType',
  'voucherPrice',
  'customerToTag',
  'lockerCustomer',
  'subscriptionAddon',
  'multipack',
  'stockOrder',
];

test.each([1000, 1])('the end of a range is never sent before its start, from number %i', async (seed) => {
  const url = await start(RANGES, (record) =>
    PAIRS.some(
      ([from, to]) => (record[to] ?? null) !== null && Number(key(record[to])) < Number(key(record[from])),
    ),
  );
  expect(against(await check(url, { models: RANGES, seed })).map(({ id }) => id)).toEqual([]);
});

const LINKS = ['shareTransfer', 'relationship', 'relationshipGroup', 'voucherBeneficiary'];

test('links of one record to records of one model are never sent with one id', async () => {
  const links = ['customer', 'customer1', 'customer2', 'customer3', 'seller', 'buyer', 'beneficiary'];
  const url = await start(LINKS, (record) => {
    const ids = links.map((name) => record[name] ?? null).filter((id) => id !== null);
    return new Set(ids).size < ids.length;
  });
  expect(against(await check(url, { models: LINKS })).map(({ id }) => id)).toEqual([]);
});

/** Returns a date, a time, or a number as a number. */
function key(value: unknown): string {
  return String(value ?? 0).replaceAll(/[^\d]/g, '');
}

/** Starts a service that refuses some records. */
async function start(models: readonly string[], isWrong: (record: RecordValues) => boolean): Promise<string> {
  const mock = await createMock({
    catalogue,
    references,
    profile: DEFAULT_PROFILE,
    fixtures: demo,
  });
  const strict = models.map((name) => refusing(name, isWrong));
  const server = await listen(await mock.fork(combineDecorations(strict)), { port: 0, host: '127.0.0.1' });
  open.push(server);
  return server.url;
}

function refusing(name: string, isWrong: (record: RecordValues) => boolean): Decoration {
  const model = catalogue.models.get(name);
  if (!model) throw new Error(`there is no ${name}`);
  const invalid = { kind: 'invalid', violations: [{ pointer: '', message: 'makes no sense' }] } as const;
  return onEngine(model, (inner) => ({
    create: async (draft) => (isWrong(draft.values) ? invalid : inner.create(draft)),
    update: async (id, draft) => {
      const before = await inner.retrieve(id);
      const after = isOne(before) ? { ...before.record, ...draft.values } : draft.values;
      return isWrong(after) ? invalid : inner.update(id, draft);
    },
  }));
}
