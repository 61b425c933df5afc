import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { exportContract } from '../../generator/export/export.ts';
import { createMock } from '../../mock/mock.ts';
import { hasId, METHODS, operationId, templateOf } from '../../spec/binding.ts';
import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { placeIn } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { stringifyForm } from '../../spec/wire/form.ts';
import { splitPointer } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { type ConsumerTrial, type Outcome, selectionOf, writeDocument } from './consumer.ts';
import { exampleBodies, headersOf } from './crud-loop.ts';
import { compileTypeScript, generateWith, toolPath } from './tools.ts';

const TYPES = join(import.meta.dirname, '../../node_modules/@types');

/** The types of the contract and openapi-fetch: a program that asks every operation, compiled, and run on the mock. */
export async function runExportedTypes(trial: ConsumerTrial): Promise<Outcome> {
  const { contract, directory, models } = trial;
  const selection = selectionOf(models);
  writeFileSync(join(directory, 'api.d.ts'), await exportContract('types', contract, { selection }));
  return runProgram(trial);
}

/** The same with the types that openapi-typescript makes of the document. */
export function runOpenapiTypescript(trial: ConsumerTrial): Promise<Outcome> {
  const words = [writeDocument(trial), '-o', join(trial.directory, 'api.d.ts')];
  return generateWith('openapi-typescript/bin/cli.js', words, () => runProgram(trial));
}

/** The same with the functions that hey-api makes of the document. */
export function runHeyApi(trial: ConsumerTrial): Promise<Outcome> {
  const { directory } = trial;
  const words = ['-i', writeDocument(trial), '-o', join(directory, 'sdk'), '-c', '@hey-api/client-fetch'];
  return generateWith('@hey-api/openapi-ts/bin/run.js', words, () => runProgram(trial, HEY_API), directory);
}

/** The same with the functions that orval makes of the document. */
export function runOrval(trial: ConsumerTrial): Promise<Outcome> {
  const { directory } = trial;
  const config = join(directory, 'orval.config.mjs');
  const output = { target: join(directory, 'sdk/api.ts'), client: 'fetch', baseUrl: NOWHERE };
  const api = { input: writeDocument(trial), output };
  writeFileSync(config, `export default ${JSON.stringify({ api })};`);
  return generateWith('orval/dist/bin/orval.mjs', ['--config', config], () => runProgram(trial, ORVAL));
}

async function runProgram(trial: ConsumerTrial, style: Style = OPENAPI_FETCH): Promise<Outcome> {
  const { contract, directory, records } = trial;
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(TYPES, join(directory, 'node_modules/@types'));
  symlinkSync(toolPath('openapi-fetch'), join(directory, 'node_modules/openapi-fetch'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(join(directory, 'client.ts'), programOf(trial, style));
  const flags = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit', '--skipLibCheck'];
  const strict = ['--allowImportingTsExtensions', '--noUncheckedIndexedAccess', '--types', 'node'];
  const wrong = await compileTypeScript(directory, ['client.ts'], ...flags, ...strict);
  if (wrong.length > 0) return { count: 0, faults: wrong };
  await using mock = await createMock({ ...contract, fixtures: records, requestLog: 0 });
  const { url } = await mock.listen();
  const program = join(directory, 'client.mjs');
  const output = { file: program, codeSplitting: false } as const;
  await build({ input: join(directory, 'client.ts'), output, platform: 'node', logLevel: 'silent' });
  const { life } = await import(program);
  const isForm = contract.profile['request.encoding'] === 'form';
  const headers = {
    ...headersOf(contract),
    'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
  };
  return await life(url, headers, isForm ? stringifyForm : JSON.stringify);
}

/** A program that lists, creates, reads, updates and deletes each model, with no assertion about types. */
function programOf({ contract, document, models }: ConsumerTrial, { callOf, head }: Style): string {
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
  return `${head}
  const faults: string[] = [];
  let count = 0;
  type Asked = { response?: { ok: boolean; status: number } | undefined; error?: unknown };
  const check = (name: string, { response, error }: Asked) => {
    count += 1;
    if (!response?.ok) faults.push(name + ': ' + response?.status + ' ' + JSON.stringify(error));
  };
  ${parts.join('\n  ')}
  return { count, faults };
}
`;
}

/** How a program asks by a client, and how it begins. */
type Style = {
  readonly head: string;
  callOf(operation: Operation, model: Model, contract: Contract, body?: object): string;
};

const LIFE =
  'export async function life(baseUrl: string, headers: Record<string, string>, bodySerializer: (body: unknown) => string) {';

const OPENAPI_FETCH: Style = {
  head: `import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';
${LIFE}
  const client = createClient<paths>({ baseUrl, headers, bodySerializer });`,
  callOf: (operation, model, contract, body) => {
    const path = templateOf(contract.catalogue.base, model, operation);
    const params = `params: { ${paramsOf(operation, contract).join(', ')} }`;
    return `client.${METHODS[operation].toUpperCase()}('${path}', { ${[params, ...bodyOf(body)].join(', ')} })`;
  },
};

const HEY_API: Style = {
  head: `import * as sdk from './sdk/index';
import { client } from './sdk/client.gen';
${LIFE}
  client.setConfig({ baseUrl, headers, bodySerializer });`,
  callOf: (operation, model, contract, body) => {
    const given = [...paramsOf(operation, contract, 'headers'), ...bodyOf(body)];
    return `sdk.${operationId(operation, model.name)}({ ${given.join(', ')} })`;
  },
};

/** Its functions are written for a base URL that is known before. */
const NOWHERE = 'http://mock.invalid';

const ORVAL: Style = {
  head: `import * as sdk from './sdk/api';
${LIFE}
  const { 'content-type': _, ...own } = headers;
  const plainFetch = globalThis.fetch;
  const asked = async <T extends { status: number; data: unknown }>(call: () => Promise<T>) => {
    globalThis.fetch = (url, init) => plainFetch(String(url).replace('${NOWHERE}', baseUrl), {
      ...init,
      headers: { ...own, ...(init?.headers as object) },
    });
    const { data, status } = await call().finally(() => {
      globalThis.fetch = plainFetch;
    });
    return { response: { ok: status < 300, status }, data: data as Extract<T, { status: 200 | 201 }>['data'] | undefined, error: data };
  };`,
  callOf: (operation, model, _, body) => {
    const given = [hasId(operation) ? 'id' : '', body ? JSON.stringify(body) : ''].filter(Boolean);
    return `asked(() => sdk.${operationId(operation, model.name)}(${given.join(', ')}))`;
  },
};

function paramsOf(operation: Operation, { catalogue, profile }: Contract, header = 'header'): string[] {
  const place = placeIn(profile.version);
  const version = `{ ${JSON.stringify(place?.name)}: ${JSON.stringify(catalogue.version)} }`;
  return [
    hasId(operation) ? 'path: { id }' : '',
    place ? `${place.in === 'header' ? header : 'query'}: ${version}` : '',
  ].filter((part) => part !== '');
}

function bodyOf(body?: object): string[] {
  return body ? [`body: ${JSON.stringify(body)}`] : [];
}
