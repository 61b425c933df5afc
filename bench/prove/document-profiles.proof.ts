import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { type ContractDocument, generateDocument } from '../../generator/generate.ts';
import { validateDocument } from '../../generator/validate.ts';
import { createProfile, DEFAULT_PROFILE, type Profile, SETTINGS } from '../../spec/profile/profile.ts';
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
  expect(duplicateParameters(document)).toEqual([]);
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

/** Returns the errors in examples, by operation. A body without an example is an error, too. */
function wrongExamples(document: ContractDocument): string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajvFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  const wrong: string[] = [];
  for (const [path, item] of Object.entries(document.paths))
    for (const method of ['get', 'post', 'delete'] as const) {
      const operation = item?.[method];
      if (!operation) continue;
      const at = ['paths', path, method];
      if (operation.requestBody) wrong.push(...check([...at, 'requestBody'], operation.requestBody));
      for (const [status, response] of Object.entries(operation.responses ?? {}))
        wrong.push(...check([...at, 'responses', status], response));
    }
  for (const [name, response] of Object.entries(document.components.responses ?? {}))
    wrong.push(...check(['components', 'responses', name], response));
  return wrong;

  function check(at: readonly string[], holder: object): string[] {
    const content = 'content' in holder ? (holder.content as Record<string, MediaType>) : {};
    return Object.entries(content).flatMap(([mediaType, media]) => {
      const steps = [...at, 'content', mediaType, 'schema'];
      const validate = ajv.compile({ $ref: `contract#/${steps.map(escapeStep).join('/')}` });
      const examples = Object.entries(media.examples ?? {});
      if (examples[0]?.[0] !== 'default') return [`${at.join(' ')}: no example called default`];
      return examples.flatMap(([name, example]) =>
        validate(shownValue(example)) ? [] : [`${at.join(' ')} ${name}: ${ajv.errorsText(validate.errors)}`],
      );
    });
  }

  function shownValue(example: Example): unknown {
    if (example.$ref === undefined) return example.value;
    const shared = document.components.examples?.[example.$ref.split('/').at(-1) ?? ''];
    return shared && 'value' in shared ? shared.value : undefined;
  }
}

type Example = { $ref?: string; value?: unknown };
type MediaType = { examples?: Record<string, Example> };

/** A step of a JSON pointer in the fragment of a URI. */
function escapeStep(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function duplicateParameters(document: ContractDocument): string[] {
  return Object.values(document.paths).flatMap((item) => {
    const names = (item?.get?.parameters ?? []).flatMap((parameter) =>
      '$ref' in parameter ? [] : [`${parameter.in} ${parameter.name}`],
    );
    return names.filter((name, index) => names.indexOf(name) !== index);
  });
}
