import { extname } from 'node:path';
import { plural } from '../conformance/results/text.ts';
import { type StatePart, writeJson } from '../mock/control/sessions/state.ts';
import { readStoredState, writeStoredState } from '../mock/start-records.ts';
import { loadContract } from '../spec/contract.ts';
import { checkFile, PRIVATE, saveParts } from '../spec/files/save-file.ts';
import type { ContractOptions } from './options.ts';
import { checkEnding } from './output.ts';
import { say, terminal, warn } from './terminal/terminal.ts';

/** Writes the records of a mock as fixtures. */
export async function dump(
  data: string,
  options: ContractOptions & { output: string; session?: string },
): Promise<void> {
  const { catalogue, models, output, profile, session } = options;
  const use = fixtureWriter(output, 'dump');
  await readStoredState(data, loadContract({ catalogue, profile }), { models, session, use });
}

/** Loads fixtures into the data of a mock. */
export async function load(
  data: string,
  fixtures: readonly string[],
  options: ContractOptions & { replace?: true; lenient?: true; references: 'warn' | 'check' },
): Promise<void> {
  const { lenient, references, replace } = options;
  const contract = loadContract({ catalogue: options.catalogue, profile: options.profile });
  const loaded = await writeStoredState(data, contract, {
    fixtures,
    checkLinks: references === 'check',
    lenient,
    replace,
  });
  warn(loaded.warnings);
  say(`Loaded ${plural(loaded.records, 'record')}`);
}

/** Returns a function that writes fixtures to a file, or to the output. Throws UsageError if they can't be written there. */
export function fixtureWriter(
  output: string,
  verb: string,
): (parts: AsyncIterable<StatePart>) => Promise<void> {
  checkEnding(output, verb);
  const write = extname(output).toLowerCase() === '.json' ? writeJsonFile : writeYaml;
  if (output !== '-') checkFile(output, '-o');
  return async (parts) => {
    if (output !== '-') await saveParts(output, write(parts), PRIVATE);
    else for await (const text of write(parts)) await print(text);
  };
}

/** Writes to the output, and waits for a slow reader, or until it is gone. */
async function print(text: string): Promise<void> {
  const { stdout } = terminal();
  if (stdout.write(text) !== false || !stdout.on) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['drain', 'close'] as const;
  for (const event of events) stdout.on(event, resolve);
  await promise;
  for (const event of events) stdout.off?.(event, resolve);
}

async function* writeJsonFile(parts: AsyncIterable<StatePart>): AsyncGenerator<string> {
  yield* writeJson(parts, 1);
  yield '\n';
}

/** Writes one line of JSON per record, which is valid YAML and easy to compare line by line. */
async function* writeYaml(parts: AsyncIterable<StatePart>): AsyncGenerator<string> {
  let before: string | undefined;
  for await (const { model, records } of parts) {
    const lines = records.map((record) => `  - ${JSON.stringify(record)}\n`).join('');
    yield model === before ? lines : `${model}:\n${lines}`;
    before = model;
  }
  if (before === undefined) yield '{}\n';
}
