/** Writes the other files of the package into `dist/`: data, documents, types, schemas, and the code of Swagger UI. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { exportContract } from '../../generator/export/export.ts';
import { generateDocument } from '../../generator/generate.ts';
import { serializeDocument } from '../../generator/serialize.ts';
import { schemaName } from '../../spec/binding.ts';
import { loadContract } from '../../spec/contract.ts';
import { readYamlFile, toBuilt } from '../../spec/files/yaml-file.ts';
import {
  type ContractFacts,
  describeContract,
  type FieldFacts,
  type ModelFacts,
} from '../../spec/meta/meta.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');
const contract = loadContract();
const records = loadFixtures('demo');

/** The comment of each export of `record-model-contract/meta`. */
const COMMENTS = {
  title: 'The title of the API.',
  version: 'The version label of the API.',
  base: 'The path before the name of a model.',
  areas: 'The areas with their models, in the order of the source.',
  models: 'The facts about each model and its fields, by name.',
  profile: 'The settings of the default profile, in their order.',
} as const satisfies Readonly<Record<keyof ContractFacts, string>>;

const TYPES = `/** The name of a model. */
export type ModelName = keyof typeof models;
/** The name of a field of a model. */
export type FieldName<Model extends ModelName> = keyof (typeof models)[Model]['fields'];
`;

function write(name: string, text: string): void {
  mkdirSync(dirname(join(DIST, name)), { recursive: true });
  writeFileSync(join(DIST, name), text);
}

for (const name of globSync('{spec,mock}/**/*.yaml', { cwd: ROOT, exclude: ['spec/openapi.yaml'] }))
  write(`data/${name}.json`, JSON.stringify(toBuilt(readYamlFile(join(ROOT, name)))));
for (const name of globSync('fixtures/demo/*.yaml', { cwd: ROOT }))
  write(`data/${name.replace('.yaml', '.json')}`, JSON.stringify(readYamlFile(join(ROOT, name)).value));
for (const [name, openapi] of [
  ['openapi.json', '3.1'],
  ['openapi-3.0.json', '3.0'],
] as const)
  write(name, serializeDocument(generateDocument(contract, { openapi, records }), 'json'));
const meta = renderMetaModule(describeContract(contract));
write('meta.js', meta.code);
write('meta.d.ts', meta.types);
write('types.d.ts', await exportContract('types', contract));
writeRecordShapes();
mkdirSync(join(DIST, 'swagger-ui'), { recursive: true });
for (const [name, text] of await exportContract('schemas', contract)) write(`schemas/${name}`, text);
// The page of `export html` holds it; the licenses go along.
for (const name of [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
])
  cpSync(join(ROOT, 'node_modules/swagger-ui-dist', name), join(DIST, 'swagger-ui', name));

/** Types that make `mock.records('brand')` return records of that type, and misspelled names errors. */
function writeRecordShapes(): void {
  const shapes = [...contract.catalogue.models.keys()].map(
    (name) => `    ${name}: types.${schemaName(name)};`,
  );
  const lines = [
    "import type * as types from '../types.js';",
    "declare module './control/records/records-api.js' {",
    '  interface RecordShapes {',
    ...shapes,
    '  }',
    '  interface OperationShapes extends types.operations {}',
    '}',
  ];
  write('mock/record-shapes.d.ts', `${lines.join('\n')}\n`);
  const declared = join(DIST, 'mock/control/records/records-api.d.ts');
  writeFileSync(declared, `import '../../record-shapes.js';\n${readFileSync(declared, 'utf8')}`);
}

/** Returns the module of the facts and its declarations, in which each value has its literal type. */
function renderMetaModule(facts: ContractFacts): { readonly code: string; readonly types: string } {
  const members = Object.entries({ ...facts, models: fieldsByName(facts.models) });
  const commented = (name: string, statement: string) =>
    `/** ${COMMENTS[name as keyof ContractFacts]} */\n${statement}\n`;
  return {
    code: members
      .map(([name, value]) => commented(name, `export const ${name} = ${JSON.stringify(value)};`))
      .join('\n'),
    types: [
      ...members.map(([name, value]) => commented(name, `export declare const ${name}: ${typeOf(value)};`)),
      TYPES,
    ].join('\n'),
  };
}

/** Programs look fields up by name. */
function fieldsByName(models: ContractFacts['models']) {
  const byName = ({ fields, ...model }: ModelFacts) => ({
    ...model,
    fields: Object.fromEntries(fields.map((field): [string, FieldFacts] => [field.name, field])),
  });
  return Object.fromEntries(Object.entries(models).map(([name, model]) => [name, byName(model)]));
}

/** Returns the TypeScript type that only this JSON value has. */
function typeOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `readonly [${value.map(typeOf).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, member]) => `readonly ${JSON.stringify(name)}: ${typeOf(member)}`,
  );
  return members.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${members.join('; ')} }`;
}
