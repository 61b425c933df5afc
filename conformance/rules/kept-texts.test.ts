import { expect, test } from 'vitest';
import type { Field } from '../../spec/catalogue/field.ts';
import { isText } from '../../spec/types/types.ts';
import { catalogue } from '../../testing/checks.ts';
import type { Defect } from '../../testing/services/defects/defect.ts';
import { startPlain } from '../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

const MODELS = ['crmContact', 'stock'];
const RULES = { create: 'create.keeps-field', update: 'update.changes-field' } as const;

const ASCII = /[\0-\x7f]+/g;
const BEYOND = /[^\0-\x7f]+/g;

/** Changes that services make to stored texts. */
const FOLDS = {
  'lowers ASCII, as SQLite does': (text) => text.replace(ASCII, (part) => part.toLowerCase()),
  'lowers all but ASCII': (text) => text.replace(BEYOND, (part) => part.toLowerCase()),
  'writes compatible letters': (text) => text.normalize('NFKC'),
  'drops zeros in front': (text) => text.replace(/^0+(?=\d)/, ''),
} satisfies Record<string, (text: string) => string>;

const TIDIES = {
  'trims texts': (text) => text.trim(),
  'composes letters': (text) => text.normalize('NFC'),
} satisfies Record<string, (text: string) => string>;

const fields = MODELS.flatMap((name) => catalogue.models.get(name)?.fields ?? []).filter(
  (field) => !field.readonly,
);
const texts = fields.filter(isText);
const addresses = fields.filter(({ type }) => type === 'image' || type === 'url');

test.each(inTurns(FOLDS))('a service that %s on %s fails in each text field', async (kind, on) => {
  const failed = await failing(on, FOLDS[kind]);
  expect(texts.filter(({ key }) => !failed.has(`${RULES[on]}:${key}`)).map(({ key }) => key)).toEqual([]);
});

test.each(['create', 'update'] as const)(
  'a service that lowers addresses on %s fails in each',
  async (on) => {
    const failed = await failing(on, (text) => text.toLowerCase(), addresses);
    expect(addresses.filter(({ key }) => !failed.has(`${RULES[on]}:${key}`)).map(({ key }) => key)).toEqual(
      [],
    );
  },
);

test.each(inTurns(TIDIES))('a service that %s on %s gets advice for each text field', async (kind, on) => {
  const failed = await failing(on, TIDIES[kind]);
  expect(texts.filter(({ key }) => !failed.has(`advice.text-kept:${key}`)).map(({ key }) => key)).toEqual([]);
});

/** Each kind, alternating between creates and updates. */
function inTurns<Kind extends string>(kinds: Record<Kind, unknown>): [Kind, 'create' | 'update'][] {
  return (Object.keys(kinds) as Kind[]).map((kind, index) => [kind, index % 2 === 0 ? 'create' : 'update']);
}

/** The cases that fail at a service that stores the texts of creates, or of updates, otherwise than they were sent. */
async function failing(
  on: 'create' | 'update',
  change: (text: string) => string,
  wanted: readonly Field[] = texts,
): Promise<Set<string>> {
  const defect: Defect = {
    name: 'changes-texts',
    rules: [],
    models: MODELS,
    values: (values, at) => {
      const changed = Object.entries(values).map(([name, value]) => {
        const isOne = wanted.some(({ key }) => key === `${at.model.name}.${name}`);
        return [name, isOne && at.on === on && typeof value === 'string' ? change(value) : value];
      });
      return Object.fromEntries(changed);
    },
  };
  const service = closing(await startPlain({ defect }));
  const rules = [RULES[on], 'advice.text-kept'];
  const { cases } = await learnAndCheck(service.url, { models: MODELS, rules });
  return new Set(cases.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id));
}
