import { expect, test } from 'vitest';
import { against, idsAgainst, pinsOf } from '../../../testing/checks.ts';
import type { At, Defect } from '../../../testing/services/defects/defect.ts';
import type { Service } from '../../../testing/services/service.ts';
import { useCommand } from '../../../testing/use-command.ts';
import { complaints, learnAndCheck, useForeignService } from '../../../testing/use-foreign-service.ts';

const { readResults, run } = useCommand();
const { start } = useForeignService();

/** Starts a foreign service that rejects some writes without naming the field. */
async function refusing(refuses: (at: At) => boolean, ...words: string[]): Promise<Service> {
  const isWrite = ({ on }: At) => on === 'create' || on === 'update';
  return start({ refuses: (at) => isWrite(at) && refuses(at) }, ...words);
}

const is = (at: At, model: string) => at.model.name === model;
const hasLetters = (value: unknown) => typeof value === 'string' && /\D/.test(value);

/** Selected, so that a run stays short. */
const rules = ['operations', 'create', 'update', 'required', 'values'];

test('a string that is rejected for its letters is reported, and the printed flag works', async () => {
  const key = 'crmContact.street';
  const [model = '', name = ''] = key.split('.');
  const { url } = await refusing((at) => is(at, model) && hasLetters(at.sent?.[name]));
  const command = ['check', url, '--models', model, '--rule', rules.join(','), '--json', 'results.json'];
  await run(...command);
  const { cases, leftovers } = readResults('results.json');
  expect(leftovers).toEqual([]);
  const told = cases.flatMap(
    ({ message }) => message?.match(/ was accepted: pass (--pin '?[^ ]*)$/)?.[1] ?? [],
  );
  expect(told.length).toBeGreaterThan(0);
  expect(cases.filter(({ outcome }) => outcome === 'blocked').map(({ message }) => message)).toEqual([]);
  for (const { message } of cases) expect(message ?? '').not.toContain('--bindings');
  const [flag = ''] = new Set(told);
  expect(flag).toContain(`${key}=`);

  const pin = flag.replace(/^--pin /, '').replaceAll("'", '');
  const { code } = await run(...command, '--pin', pin);
  expect({ code, against: against(readResults('results.json')) }).toEqual({ code: 0, against: [] });
});

test('a string that is rejected in an update is reported, and the printed flag works', async () => {
  const { url } = await refusing(
    (at) => is(at, 'crmContact') && (at.sent?.street ?? at.before?.street) !== (at.before ?? at.sent)?.street,
  );
  const selection = { models: ['crmContact'], rules: ['operations'] };
  const { cases } = await learnAndCheck(url, selection);
  const { message = '' } = cases.find(({ rule }) => rule === 'operations.update') ?? {};
  const [, key = '', text = ''] =
    /an update with "(?:.*)" was accepted: pass --pin '?(.*?)=(.*?)'?$/.exec(message) ?? [];
  expect(key).toBe('crmContact.street');
  const pins = pinsOf({ [key]: text.replaceAll('"', '') });
  expect(complaints(await learnAndCheck(url, { ...selection, pins }))).toEqual([]);
});

test('changes to records that link to a record are detected without links to disabled records', async () => {
  const defect: Partial<Defect> = {
    refuses: ({ on, sent, tables }) =>
      on === 'create' && tables.find('customer', Number(sent?.customer))?.disabled === true,
    after: ({ id, model, on, tables }) => {
      if (on !== 'update' || model.name !== 'customer') return;
      for (const row of tables.all('voucher'))
        if (row.customer === id) tables.change('voucher', Number(row.id), { comments: `changed ${id}` });
    },
  };
  const { url } = await start(defect);
  const results = await learnAndCheck(url, { models: ['customer'], rules: ['update'] });
  expect(idsAgainst(results)).toEqual(['update.keeps-other-records:customer']);
});

test('a rejected optional link outside the catalogue asks for its own IDs', async () => {
  const { url } = await refusing((at) => is(at, 'deposit') && (at.sent?.sale ?? 7) !== 7, 'begins=empty');
  const { cases } = await learnAndCheck(url, { models: ['deposit'], rules });
  const told = cases.flatMap(({ message }) => message?.match(/\bpass .*--bindings.*$/)?.[0] ?? []);
  expect([...new Set(told)]).toEqual(['pass IDs of sale with --bindings']);
  expect(cases.filter(({ outcome }) => outcome === 'blocked' || outcome === 'fail')).toEqual([]);
});

test.each<[what: string, taken: number, expected: readonly string[]]>([
  ['all IDs in existing records fails', 0, ['operations.create']],
  ['only some of these IDs passes', 2, []],
])('a service that rejects an optional link outside the catalogue with %s', async (_, taken, expected) => {
  const { url } = await refusing((at) => is(at, 'customerGroup') && (at.sent?.area ?? taken) !== taken);
  const results = await learnAndCheck(url, { models: ['customerGroup'], rules: ['operations'] });
  expect(against(results).map(({ rule }) => rule)).toEqual(expected);
});

test('a required link outside the catalogue gets an accepted ID, which the message names', async () => {
  const { url } = await refusing(
    (at) => is(at, 'voucherType') && at.sent?.product !== undefined && Number(at.sent.product) > 3,
    'begins=empty',
  );
  const models = ['voucherType'];
  const { cases } = await learnAndCheck(url, { models, rules });
  const told = cases.flatMap(({ message }) => message?.match(/ was accepted: (pass .*)$/)?.[1] ?? []);
  expect([...new Set(told)]).toEqual(['pass a file with "product: [1]" as --bindings']);
  const again = await learnAndCheck(url, { models, rules, bindings: new Map([['product', [1]]]) });
  expect(complaints(again)).toEqual([]);
});

test.each(['deposit', 'voucherType'])(
  'if all writes of %s are rejected, messages suggest no flags, and requests at most double',
  async (model) => {
    const count = async (refuses: (at: At) => boolean) => {
      const { url } = await refusing(refuses, 'begins=empty');
      return learnAndCheck(url, { models: [model] });
    };
    const healthy = await count(() => false);
    const results = await count((at) => is(at, model));
    expect(results.requests).toBeLessThan(2 * healthy.requests);
    const messages = against(results).flatMap(({ message = '' }) => message);
    expect(messages.length).toBeGreaterThan(5);
    for (const message of messages) expect(message).not.toMatch(/--bindings|--pin/);
    expect(messages.filter((message) => / no single field /.test(message)).length).toBeGreaterThan(5);
  },
);
