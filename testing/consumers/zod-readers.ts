import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { schemaName } from '../../spec/binding.ts';
import { type ConsumerTrial, type Outcome, writeDocument } from './consumer.ts';
import { readRecords } from './samples.ts';
import { generateWith, TOOL_MODULES } from './tools.ts';

type Schema = { safeParse(value: unknown): { readonly success: boolean; readonly error?: unknown } };

/** Reads all records of the mock with the Zod schemas of openapi-zod-client. */
export function readWithZodClient(trial: ConsumerTrial): Promise<Outcome> {
  const words = [writeDocument(trial), '-o', join(trial.directory, 'client.ts')];
  return generateWith('openapi-zod-client/bin.js', words, async () => {
    const { schemas } = await load<{ schemas: Record<string, Schema> }>(trial, 'client.ts');
    return readAll(trial, (model) => schemas[schemaName(model)]);
  });
}

/** The same with those of kubb. */
export async function readWithKubb(trial: ConsumerTrial): Promise<Outcome> {
  const { directory } = trial;
  const config = join(directory, 'kubb.config.mjs');
  const file = (path: string) => JSON.stringify({ path, barrelType: false });
  symlinkSync(TOOL_MODULES, join(directory, 'node_modules'));
  writeFileSync(
    config,
    `import { defineConfig } from '@kubb/core';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginZod } from '@kubb/plugin-zod';
export default defineConfig({
  root: ${JSON.stringify(directory)},
  input: { path: ${JSON.stringify(writeDocument(trial))} },
  output: { path: './sdk', barrelType: false },
  plugins: [
    pluginOas({ validate: false, generators: [] }),
    pluginTs({ output: ${file('ts.ts')} }),
    pluginZod({ output: ${file('zod.ts')} }),
  ],
});`,
  );
  const goOn = async () => {
    const schemas = await load<Record<string, Schema>>(trial, 'sdk/zod.ts');
    return readAll(trial, (model) => schemas[`${model}Schema`]);
  };
  return generateWith('@kubb/cli/bin/kubb.cjs', ['generate', '--config', config], goOn, directory);
}

/** Compiles a file, and imports it. */
async function load<Module>({ directory }: ConsumerTrial, input: string): Promise<Module> {
  const file = join(directory, 'schemas.mjs');
  const resolve = { modules: [TOOL_MODULES] };
  await build({
    input: join(directory, input),
    output: { file, codeSplitting: false },
    platform: 'node',
    resolve,
    logLevel: 'silent',
  });
  return import(file);
}

function readAll(trial: ConsumerTrial, schemaOf: (model: string) => Schema | undefined): Promise<Outcome> {
  return readRecords(trial, (model) => {
    const schema = schemaOf(model);
    if (!schema) throw new Error(`there is no schema of ${model}`);
    return (record) => {
      const { error, success } = schema.safeParse(record);
      return success ? undefined : JSON.stringify(error).slice(0, 300);
    };
  });
}
