import { expect, it } from 'vitest';
import { type ContractDocument, generateDocument } from '../../generator/generate.ts';
import { validateDocument } from '../../generator/validate.ts';
import { createAjv } from '../../spec/json-schema.ts';
import { createProfile, DEFAULT_PROFILE, type Profile, SETTINGS } from '../../spec/profile/profile.ts';
import { joinPointer, valueAt } from '../../spec/wire/json-pointer.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, few, references } from '../../testing/mocks/mocks.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';

/** Profiles in which each option of each setting is spoken at least once. */
const profiles = takeWhileNew(coverProfiles(catalogue));

const UNLIKE_DEFAULT = {
  ...Object.fromEntries(SETTINGS.map((setting) => [setting.name, setting.variants.at(-1)])),
  'response.records': '/result/records',
  'response.total': '/total',
  'delete.answer': 'flag',
  'list.paging': { style: 'page', default: 10 },
  'list.sort': 'field sort',
  'list.filter': 'equality',
  'status.deleted': 200,
  'errors.form': 'simple',
};

/** Models and fields that differ, in settings whose parts models share otherwise. */
const EXCEPT = {
  customer: {
    'list.paging': { style: 'page', default: 10 },
    'list.sort': 'field sort',
    'errors.form': 'simple',
    'status.invalid': 400,
    'delete.answer': 'flag',
  },
  'customer.disabled': { 'types.bool': 'int' },
  'customer.birthdate': { 'response.unset': 'absent' },
  'customer.gender': { 'types.select': 'object' },
  warehouse: { 'delete.answer': 'flag', 'response.total': '/total', 'response.records': '/items' },
  'warehouse.deleted': { 'types.bool': 'int' },
  'stockInvoice.lines': { 'types.lines': 'ids' },
};

it('the document is valid, with valid examples, under exceptions', async () => {
  const profile = createProfile({ except: EXCEPT }, catalogue);
  for (const openapi of ['3.1', '3.0'] as const) {
    const document = generateDocument({ catalogue: few, profile, references }, { openapi });
    await validateDocument(document);
    expect(wrongExamples(document)).toEqual([]);
  }
});

it.each([
  ...profiles.map((profile, index) => [`profile ${index}`, profile, few] as const),
  ['the default profile, for all models', DEFAULT_PROFILE, catalogue] as const,
  [
    'a profile that differs from the default, for all models',
    createProfile(UNLIKE_DEFAULT, catalogue),
    catalogue,
  ] as const,
])('the document is valid, with valid examples, under %s', async (_, profile, models) => {
  const isWhole = models === catalogue;
  const document = generateDocument(
    { catalogue: models, profile, references },
    isWhole ? { records: demo } : {},
  );
  await validateDocument(document);
  expect(wrongExamples(document)).toEqual([]);
});

/** Returns the profiles that have an option that no earlier profile has. */
function takeWhileNew(all: readonly Profile[]): Profile[] {
  const seen = new Set<string>();
  return all.filter((profile) => {
    const before = seen.size;
    for (const choice of Object.entries(profile)) seen.add(JSON.stringify(choice));
    return seen.size > before;
  });
}

/** Returns the errors in examples, by place. A body without an example is an error, too. */
function wrongExamples(document: ContractDocument): string[] {
  const ajv = createAjv({ strict: false, allErrors: true });
  ajv.addSchema(document, 'contract');
  const { responses } = document.components;
  return mediaIn({ paths: document.paths, components: { responses } }).flatMap(
    ([place, { examples = {} }]) => {
      const validate = ajv.compile({ $ref: `contract#${place}/schema` });
      if (Object.keys(examples)[0] !== 'default') return [`${place}: no example called default`];
      return Object.entries(examples).flatMap(([name, { $ref, value }]) => {
        const example = $ref === undefined ? value : valueAt(document, `${$ref.slice(1)}/value`);
        return validate(example) ? [] : [`${place} ${name}: ${ajv.errorsText(validate.errors)}`];
      });
    },
  );
}

type Example = { readonly $ref?: string; readonly value?: unknown };
type MediaType = { readonly examples?: Readonly<Record<string, Example>> };

/** Returns each body, with its place as a JSON pointer in the fragment of a URI. */
function mediaIn(part: unknown, place = ''): [place: string, media: MediaType][] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, inner]) => {
    const below = place + encodeURI(joinPointer([name]));
    return place.endsWith('/content') ? [[below, inner]] : mediaIn(inner, below);
  });
}
