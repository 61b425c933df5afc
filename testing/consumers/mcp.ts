import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createMock } from '../../mock/mock.ts';
import { operationId } from '../../spec/binding.ts';
import type { Operation } from '../../spec/catalogue/catalogue.ts';
import { valueAt } from '../../spec/wire/json-pointer.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import { type ConsumerTrial, type Outcome, writeDocument } from './consumer.ts';
import { exampleBodies } from './crud-loop.ts';
import { generateWith, TOOL_MODULES, toolPath } from './tools.ts';

/** Language models reject longer names of tools. */
const LONGEST_NAME = 64;

type Tool = { readonly name: string; readonly description?: string };
type Called = { readonly isError?: boolean; readonly content: readonly { readonly text?: string }[] };

/** Makes a server for language models of the document, and calls its tools for each operation of each model. */
export function callTools(trial: ConsumerTrial): Promise<Outcome> {
  const words = ['-i', writeDocument(trial), '-o', join(trial.directory, 'server'), '--force'];
  const tool = 'openapi-mcp-generator/bin/openapi-mcp-generator.js';
  return generateWith(tool, words, () => callServer(trial));
}

async function callServer({
  contract,
  directory,
  document,
  models,
  records,
}: ConsumerTrial): Promise<Outcome> {
  // Node removes the types itself.
  symlinkSync(TOOL_MODULES, join(directory, 'server/node_modules'));
  const server = join(directory, 'server/src/index.ts');
  await using mock = await createMock({ ...contract, fixtures: records, requestLog: 0 });
  const { url } = await mock.listen();
  const { Client } = await import(toolPath('@modelcontextprotocol/sdk/dist/esm/client/index.js'));
  const { StdioClientTransport } = await import(
    toolPath('@modelcontextprotocol/sdk/dist/esm/client/stdio.js')
  );
  const client = new Client({ name: 'consumer', version: '1' });
  const env = { ...process.env, API_BASE_URL: url };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [server], env, stderr: 'ignore' }),
  );
  const faults: string[] = [];
  let count = 0;
  try {
    const { tools }: { tools: readonly Tool[] } = await client.listTools();
    faults.push(
      ...tools.filter(({ name }) => name.length > LONGEST_NAME).map(({ name }) => `${name} is too long`),
    );
    for (const model of models) {
      const can = (operation: Operation) => model.operations.includes(operation);
      const ask = async (operation: Operation, given: object = {}) => {
        const name = operationId(operation, model.name);
        const { content, isError }: Called = await client.callTool({ name, arguments: given });
        const text = content.map((part) => part.text ?? '').join('');
        count += 1;
        if (isError || !/Status: 20\d/.test(text)) faults.push(`${name}: ${text.slice(0, 300)}`);
        const json = text.slice(text.search(/[[{]/));
        return json.startsWith('{') || json.startsWith('[') ? JSON.parse(json) : undefined;
      };
      const listed = can('list') ? await ask('list') : undefined;
      const [body = {}] = exampleBodies('create', model, document);
      const created = can('create') ? await ask('create', { requestBody: body }) : undefined;
      const { 'response.record': one, 'response.records': all } = contract.profile;
      const id = can('create')
        ? valueAt(created, `${pointerFor(one, model.name)}/id`)
        : valueAt(listed, `${pointerFor(all, model.name)}/0/id`);
      if (id === undefined) continue;
      const [change = {}] = exampleBodies('update', model, document);
      if (can('retrieve')) await ask('retrieve', { id });
      if (can('update')) await ask('update', { id, requestBody: change });
      if (can('delete')) await ask('delete', { id });
    }
  } finally {
    await client.close();
  }
  return { count, faults };
}
