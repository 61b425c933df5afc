import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportContract } from '../../generator/export/export.ts';
import { createMock } from '../../mock/mock.ts';
import { hasId, METHODS, operationId, templateOf } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { stringifyForm } from '../../spec/wire/form.ts';
import { splitPointer } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { type Outcome, selectionOf, type Trial } from './consumer.ts';
import { exampleBodies, headersOf } from './crud-loop.ts';
import { compileTypeScript, complaintsOf, toolPath } from './tools.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');

/** The types of the contract and openapi-fetch: a program that asks every operation, compiled, and run on the mock. */
export async function runExportedTypes(trial: Trial): Promise<Outcome> {
  const { contract, directory, models } = trial;
  const selection = selectionOf(models);
  writeFileSync(join(directory, 'api.d.ts'), await exportContract('types', contract, { selection }));
  return runProgram(trial);
}

/** The same with the types that openapi-typescript makes of the document. */
export async function runOpenapiTypescript(trial: Trial): Promise<Outcome> {
  const file = join(trial.directory, 'openapi.json');
  writeFileSync(file, JSON.stringify(trial.document));
  const command = toolPath('openapi-typescript/bin/cli.js');
  const faults = await complaintsOf(process.execPath, [
    command,
    file,
    '-o',
    join(trial.directory, 'api.d.ts'),
  ]);
  return faults.length > 0 ? { count: 0, faults } : runProgram(trial);
}

async function runProgram(trial: Trial): Promise<Outcome> {
  const { contract, directory, records } = trial;
  symlinkSync(MODULES, join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(join(directory, 'client.ts'), programOf(trial));
  const flags = ['--module', 'nodenext', '--noEmit', '--allowImportingTsExtensions', '--skipLibCheck'];
  const wrong = await compileTypeScript(
    directory,
    ['client.ts', 'api.d.ts'],
    ...flags,
    '--noUncheckedIndexedAccess',
    '--types',
    'node',
  );
  if (wrong.length > 0) return { count: 0, faults: wrong };
  await using mock = await createMock({ ...contract, fixtures: records, journal: 0 });
  const { url } = await mock.listen();
  const { life } = await import(join(directory, 'client.ts'));
  const isForm = contract.profile['request.encoding'] === 'form';
  const headers = {
    ...headersOf(contract),
    'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
  };
  return await life(url, headers, isForm ? stringifyForm : JSON.stringify);
}

/** A program that lists, creates, reads, updates and deletes each model, with no assertion about types. */
function programOf({ contract, document, models }: Trial): string {
  const { profile } = contract;
  const parts = models.map((model) => {
    const [body = {}] = exampleBodies('create', model, document);
    const [change = {}] = exampleBodies('update', model, document);
    const ask = (operation: Operation, sent?: Readonly<Record<string, Value>>) =>
      model.operations.includes(operation)
        ? `check('${operationId(operation, model.name)}', await ${callOf(operation, model, contract, sent)});`
        : '';
    const isMade = model.operations.includes('create');
    const found = isMade ? 'made.data' : 'listed.data';
    const place = isMade ? profile['response.record'] : `${profile['response.records']}/0`;
    return `{
      const listed = await ${callOf('list', model, contract)};
      check('${operationId('list', model.name)}', listed);
      ${isMade ? `const made = await ${callOf('create', model, contract, body)};` : ''}
      ${isMade ? `check('${operationId('create', model.name)}', made);` : ''}
      const r = ${found}${splitPointer(pointerFor(place, model.name))
        .map((name) => `?.[${/^\d+$/.test(name) ? name : JSON.stringify(name)}]`)
        .join('')};
      if (r) {
        const id: number = r.id;
        if (r.created) new Date(r.created);
        ${ask('retrieve')}
        ${ask('update', change)}
        ${ask('delete')}
      }
    }`;
  });
  return `import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';
export async function life(baseUrl: string, headers: Record<string, string>, bodySerializer: (body: unknown) => string) {
  const client = createClient<paths>({ baseUrl, headers, bodySerializer });
  const faults: string[] = [];
  let count = 0;
  const check = (name: string, { response, error }: { response: Response; error?: unknown }) => {
    count += 1;
    if (!response.ok) faults.push(name + ': ' + response.status + ' ' + JSON.stringify(error));
  };
  ${parts.join('\n  ')}
  return { count, faults };
}
`;
}

function callOf(operation: Operation, model: Model, { catalogue, profile }: Contract, body?: object): string {
  const version = `{ ${JSON.stringify(profile['version.name'])}: ${JSON.stringify(catalogue.version)} }`;
  const params = [
    hasId(operation) ? 'path: { id }' : '',
    profile['version.in'] === 'none' ? '' : `${profile['version.in']}: ${version}`,
  ].filter((part) => part !== '');
  const path = templateOf(catalogue.base, model, operation);
  const given = [`params: { ${params.join(', ')} }`, ...(body ? [`body: ${JSON.stringify(body)}`] : [])];
  return `client.${METHODS[operation].toUpperCase()}('${path}', { ${given.join(', ')} })`;
}
