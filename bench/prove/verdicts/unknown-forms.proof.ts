import { expect, test } from 'vitest';
import { learnedTerms } from '../../../conformance/learn/learn.ts';
import type { Results } from '../../../conformance/results/results.ts';
import type { TypeName } from '../../../spec/catalogue/field.ts';
import { against, catalogue, check, idsAgainst } from '../../../testing/checks.ts';
import { useClosing } from '../../../testing/closing.ts';
import { startMockService } from '../../../testing/mock-service.ts';
import { learn, readBack } from '../../../testing/use-foreign-service.ts';

const closing = useClosing();

/** Checks with the learned profile, as `check` does without a profile. */
async function learnAndCheck(url: string, models: readonly string[]): Promise<Results> {
  const learned = await learn(url, { models });
  const results = await check(url, { ...learnedTerms(learned), models });
  // A file with the learned profile gives the same verdict.
  const byFile = await check(url, { profile: readBack(learned), models });
  expect(idsAgainst(byFile)).toEqual(idsAgainst(results));
  return results;
}

function casesOf({ cases }: Results, key: string) {
  return cases.filter(({ field, model }) => `${model}.${field}` === key);
}

const DAYS = ['', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const refuse = () => undefined;
const turned = (day: string) => day.split('-').reverse().join('/');
const turnedBack = (sent: unknown) =>
  /^\d\d\/\d\d\/\d{4}$/.test(String(sent)) ? String(sent).split('/').reverse().join('-') : undefined;

const forms: readonly (Form & { readonly name: string; readonly field: string })[] = [
  { name: 'the day first', type: 'date', field: 'crmContact.birthdate', show: turned, take: turnedBack },
  {
    name: 'zoneless',
    type: 'datetime',
    field: 'customerToTag.start',
    show: (text: string) => text.slice(0, 19),
  },
  { name: 'a label', type: 'select', field: 'locker.status', show: (id: number) => ({ id, label: `${id}` }) },
  {
    name: 'names',
    type: 'daysOfWeek',
    field: 'voucher.daysOfWeek',
    show: (days: number[]) => days.map((day) => DAYS[day]),
    take: (sent) =>
      Array.isArray(sent) && sent.every((name) => DAYS.includes(name))
        ? sent.map((name) => DAYS.indexOf(name))
        : undefined,
  },
  { name: 'uploads', type: 'image', field: 'supplier.logo', show: (url: string) => url, take: refuse },
];

test.each(forms)('cases of the unknown form of $type, $name, are skipped', async ({ field, ...form }) => {
  const [model = ''] = field.split('.');
  const results = await learnAndCheck(await start(form), [model]);
  expect(against(results)).toEqual([]);
  const about = casesOf(results, field);
  expect(about.length).toBeGreaterThan(4);
  for (const { id, message, outcome } of about)
    expect({ id, outcome, message }).toEqual({
      id,
      outcome: 'skip',
      message: expect.stringContaining(`types.${form.type} could not be learned`),
    });
  expect(casesOf(results, `${model}.id`)).toContainEqual(expect.objectContaining({ outcome: 'pass' }));
  expect(results.leftovers).toEqual([]);
});

test('an unknown form of a type does not prevent other fields of a line from being judged', async () => {
  const url = await start({ type: 'currency', show: (sum: number) => ({ sum }) });
  const results = await learnAndCheck(url, ['stockInvoice']);
  expect(against(results)).toEqual([]);
  expect(results.cases.find(({ id }) => id === 'create.keeps-field:stockInvoice.lines')?.outcome).toBe(
    'pass',
  );
});

test('models that require a value of an unknown form are skipped, and the message names the type', async () => {
  const url = await start({
    type: 'currency',
    show: (amount: number) => ({ amount }),
    take: refuse,
  });
  const results = await learnAndCheck(url, ['deposit', 'brand']);
  expect(against(results)).toEqual([]);
  expect(results.cases.find(({ id }) => id === 'operations.create:deposit')).toMatchObject({
    outcome: 'skip',
    message: expect.stringMatching(/^deposit.balance needs a currency: types.currency could not be learned/),
  });
  expect(results.cases.find(({ id }) => id === 'operations.create:brand')?.outcome).toBe('pass');
});

test('an unknown form of a type is not assumed if no value was shown or rejected', async () => {
  const { settings } = await learn(await start({ type: 'currency', show: () => null }));
  expect(settings.get('types.currency')).not.toHaveProperty('otherForm');
});

type Form = {
  readonly type: TypeName;
  show(value: never): unknown;
  /**
   * Returns the value that the service stores for a sent one; undefined if it refuses it. Default: by the profile.
   */
  take?(sent: unknown): unknown;
};

/**
 * Starts a service with the default profile, except for the form of one type, which neither the source nor an option of
 * the profile has. No case judges it.
 */
async function start({ show, take = (sent) => sent, type }: Form): Promise<string> {
  const service = await startMockService({}, (answer) => async (request, body) => {
    const { fields = [] } = catalogue.models.get(request.url?.split(/[/?]/)[3] ?? '') ?? {};
    const parts = fields.flatMap(({ lines }) => catalogue.models.get(lines ?? '')?.fields ?? []);
    const names = [...fields, ...parts].filter((field) => field.type === type).map(({ name }) => name);
    let refused: string | undefined;
    const sent = change(body, names, (value, name) => {
      const taken = take(value);
      if (taken === undefined) refused = name;
      return taken;
    });
    if (refused !== undefined) return { status: 422, body: { detail: `${refused} is of another form` } };
    const reply = await answer(request, sent === undefined ? body : JSON.stringify(sent));
    return { ...reply, body: change(JSON.stringify(reply.body), names, (value) => show(value as never)) };
  });
  return closing(service).url;
}

/** Returns the value of a JSON text in which a function has changed the fields of these names; undefined if it is none. */
function change(text = '', names: readonly string[], to: (value: unknown, name: string) => unknown): unknown {
  try {
    return JSON.parse(text, (name, item) => (names.includes(name) && item !== null ? to(item, name) : item));
  } catch {
    return undefined;
  }
}
