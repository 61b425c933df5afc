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
import { describeContract } from '../../spec/meta/meta.ts';
import { renderMetaModule } from './meta-module.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');
const contract = loadContract();
const records = loadFixtures('demo');

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
