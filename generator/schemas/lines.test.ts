import fc from 'fast-check';
import { expect, it } from 'vitest';
import { schemaName } from '../../spec/binding.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import type { References } from '../../spec/references.ts';
import { useCatalogueFiles } from '../../testing/input-files/catalogue-files.ts';
import { generateDocument } from '../generate.ts';
import { validateDocument } from '../validate.ts';
import { identifiers } from './names.ts';

const { load } = useCatalogueFiles();

/** Members of a value list by their names. */
const named = (...names: string[]) => names.map((name, value) => ({ name, value }));

it('lines that contain each other are rejected, and the error names the circle', () => {
  const generate = () => documentOf({ order: 'part', part: 'order' });
  expect(generate).toThrow(UsageError);
  expect(generate).toThrow(
    'The lines of order contain order again (order → part → order). Set types.lines to ids in the profile, or change the line models.',
  );
});

it('lines that contain each other are accepted if they are IDs', async () => {
  const document = documentOf({ order: 'part', part: 'order' }, { 'types.lines': 'ids' });
  await validateDocument(document);
  expect(document.components.schemas).not.toHaveProperty('PartInOrder');
});

it('lines can contain lines', async () => {
  const references = new Map([['piece.name', { to: 'part', why: 'a test' }]]);
  const document = documentOf({ order: 'part', part: 'piece', piece: undefined }, {}, references);
  await validateDocument(document);
  expect(document.components.schemas).toHaveProperty('PieceInPart');
  expect(document.components.schemas?.PieceInPart).not.toHaveProperty('required');
  expect(document.components.schemas?.PieceCreate?.required).toEqual(['name']);
});

it('two schemas with the same name are rejected', () => {
  expect(() => documentOf({ order: undefined, orderCreate: undefined })).toThrow(/schema OrderCreate/);
  expect(() => documentOf({ problemDetails: undefined })).toThrow(/schema ProblemDetails/);
});

it('names are converted to ASCII and stay distinct', () => {
  expect(
    identifiers(named('15 días', 'Aceptado en otra opción', 'Español', 'español', 'ESPAÑOL'), 'Terms'),
  ).toEqual(['Terms15Dias', 'AceptadoEnOtraOpcion', 'Espanol', 'Espanol_2', 'ESPANOL']);
});

it('identifiers are distinct and valid for any names', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), (names) => {
      const made = identifiers(named(...names), 'List');
      expect(made).toHaveLength(names.length);
      expect(new Set(made).size).toBe(names.length);
      for (const name of made) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/);
    }),
    { seed: 2, numRuns: 300 },
  );
});

/** Generates the document of models by name, each with a required name, and lines of the model given. */
function documentOf(
  models: Readonly<Record<string, string | undefined>>,
  settings: Readonly<Record<string, unknown>> = {},
  references: References = new Map(),
) {
  const rows = Object.entries(models).map(
    ([name, line]) => `  ${name}: { name: int req${line ? `, lines: '${schemaName(line)}[]'` : ''} }\n`,
  );
  const catalogue = load({ 'things.yaml': `area: Orders\nmodels:\n${rows.join('')}` });
  return generateDocument({ catalogue, profile: createProfile(settings, catalogue), references });
}
