import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadBindings } from '../../../conformance/records/links.ts';
import { pinsIn, readPins } from '../../../conformance/records/values/pins.ts';
import { against, catalogue, check, contract, references } from '../../../testing/checks.ts';
import { patternOf } from '../../../testing/docs/console-block.ts';
import { ROOT, readBlocks } from '../../../testing/docs/markdown.ts';
import type { At, Defect } from '../../../testing/services/defects/defect.ts';
import { createAt } from '../../../testing/services/service.ts';
import { useDirectory } from '../../../testing/temporary-directory.ts';
import { complaints, useForeignService } from '../../../testing/use-foreign-service.ts';

const { start: startForeign } = useForeignService();
const directory = useDirectory();
const PAGE = 'docs/how-to/business-rules.md';

/** The values of a record after a write. */
type Row = Readonly<Record<string, unknown>>;

type BusinessRule = {
  /** The heading of the rule on the page. */
  readonly heading: string;
  /** `model.field` of the field that the rule is about. */
  readonly key: string;
  readonly obeys: (row: Row, at: At) => boolean;
};

const isBetween = (value: unknown, from: number, to: number) => Number(value) >= from && Number(value) <= to;
const isFree = (name: string, row: Row, { id, model, tables }: At) =>
  !tables.all(model.name).some((other) => other.id !== id && other[name] === row[name]);

const RULES: readonly BusinessRule[] = [
  { heading: 'Positive balance', key: 'deposit.balance', obeys: ({ balance }) => isBetween(balance, 1, 500) },
  {
    heading: 'Unique email',
    key: 'customer.email',
    obeys: (row, at) => /^[a-z0-9-]+@club\.example$/.test(String(row.email)) && isFree('email', row, at),
  },
  {
    heading: 'Active customer',
    key: 'share.customer',
    obeys: ({ customer }, { tables }) => tables.find('customer', Number(customer))?.disabled === false,
  },
  {
    heading: 'Dates in order',
    key: 'lockerCustomer.end',
    obeys: ({ end, start }) => typeof end === 'string' && String(start) < end,
  },
  { heading: 'Number format', key: 'share.number', obeys: ({ number }) => /^\d{4}$/.test(String(number)) },
  {
    heading: 'Supported currencies',
    key: 'stockInvoice.currency',
    obeys: ({ currency }) => ['EUR', 'USD'].includes(String(currency)),
  },
];

/** Returns the blocks of a section of the page, by their language. */
function readSection(heading: string) {
  const lines = readFileSync(join(ROOT, PAGE), 'utf8').split('\n');
  const start = lines.indexOf(`## ${heading}`) + 1;
  expect(start, `the heading "${heading}" on ${PAGE}`).toBeGreaterThan(0);
  const next = lines.findIndex((line, index) => index >= start && line.startsWith('## '));
  const end = next < 0 ? lines.length : next;
  const blocks = readBlocks(PAGE).filter(({ line }) => line > start && line <= end);
  const text = (language: string) => blocks.find((block) => block.language === language)?.lines ?? [];
  return { file: text('yaml'), says: text('text') };
}

/** A customer that an employee has activated. */
const ACTIVE = {
  ...{ name: 'Ana', firstName: 'Ana', lastName: 'Vega', isCompany: false, taxExempt: false, onCredit: false },
  ...{ disableNotifications: false, disabled: false, autoCollect: false, sendInvoices: false },
};

const WRITES = ['operations', 'create', 'update.changes-field'];

/** Starts a service that enforces the rule, and can lose what an update or a create sends in the field of the rule. */
async function start({ key, obeys }: BusinessRule, { loses = false } = {}) {
  const [model = '', name = ''] = key.split('.');
  let isOpen = false;
  const defect: Partial<Defect> = {
    refuses: (at) =>
      isOpen &&
      at.model.name === model &&
      (at.on === 'create' || at.on === 'update') &&
      !obeys({ ...at.before, ...at.sent }, at),
    values(values, at) {
      // An employee activates a new customer.
      if (isOpen && at.on === 'create' && at.model.name === 'customer' && key === 'share.customer')
        return { ...values, disabled: true };
      if (!loses || at.model.name !== model || !Object.hasOwn(values, name)) return values;
      if (at.on === 'update') return { ...values, [name]: at.before?.[name] };
      return values[name] === true ? { ...values, [name]: false } : values;
    },
  };
  const service = await startForeign(defect, 'sort=field');
  await createAt(service.url, 'customer', ACTIVE);
  isOpen = true;
  return service;
}

test.each(RULES)(
  '$heading: check fails without the pin, passes with it, and still detects a defect',
  async (rule) => {
    const models = [rule.key.split('.')[0] ?? ''];
    const { file, says } = readSection(rule.heading);
    const path = directory.write('rules.yaml', `${file.join('\n')}\n`);
    const isBinding = file[0]?.includes('bindings');
    const given = isBinding
      ? { bindings: loadBindings(path, catalogue, references) }
      : { pins: readPins(pinsIn(path), contract) };
    const runOn = async (how: Parameters<typeof start>[1], more = {}) =>
      check((await start(rule, how)).url, { models, rules: WRITES, tag: 'b7', ...more });

    const without = await runOn({});
    const pinned = await runOn({}, given);
    const broken = await runOn({ loses: true }, given);

    const shown = patternOf(says.slice(0, 1), true);
    expect(against(without).map(({ id, message }) => `${id}: ${message}\n`)).toContainEqual(
      expect.stringMatching(shown),
    );
    expect(complaints(pinned)).toEqual([]);
    expect(pinned.counts.pass).toBeGreaterThan(9);
    const isRule = ({ id }: { readonly id: string }) => id.endsWith(`:${rule.key}`);
    expect(
      against(broken)
        .filter(isRule)
        .map(({ outcome }) => outcome),
    ).toContain('fail');
  },
);
