import { extname } from 'node:path';
import { plural } from '../../conformance/report/text.ts';
import { readStoredState, writeStoredState } from '../../mock/stored-state.ts';
import { loadContract } from '../../spec/contract.ts';
import { checkFile, PRIVATE, saveFile } from '../../spec/files/save-file.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { ContractOptions } from '../options.ts';
import { say } from '../terminal/console.ts';
import { terminal } from '../terminal/terminal.ts';

type State = Awaited<ReturnType<typeof readStoredState>>;
type Writer = (state: State) => string;

const WRITERS: Readonly<Record<string, Writer>> = {
  '': writeYaml,
  '.yaml': writeYaml,
  '.yml': writeYaml,
  '.json': (state) => `${JSON.stringify(state, null, 1)}\n`,
};

/** Writes the records of a mock as fixtures. */
export async function dump(
  data: string,
  options: ContractOptions & { output: string; session?: string; models?: readonly string[] },
): Promise<void> {
  const { output } = options;
  const write = fixtureWriter(output, 'dump');
  const text = write(
    await readStoredState(
      data,
      loadContract({ catalogue: options.catalogue, profile: options.profile }),
      options.session,
      options.models,
    ),
  );
  if (output === '-') terminal().stdout.write(text);
  else saveFile(output, text, PRIVATE);
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
  for (const warning of loaded.warnings) say(`Warning: ${warning}`);
  say(`Loaded ${plural(loaded.records, 'record')}`);
}

/** Returns a function that writes fixtures for a file. Throws UsageError if they can't be written there. */
export function fixtureWriter(output: string, verb: string): Writer {
  const write = WRITERS[output === '-' ? '' : extname(output).toLowerCase()];
  if (!write)
    throw new UsageError(
      `"${verb}" can't write ${JSON.stringify(output)}. With -o, pass a file that ends with .yaml or .json.`,
    );
  if (output !== '-') checkFile(output, '-o');
  return write;
}

/** Writes one line of JSON per record, which is valid YAML and easy to compare line by line. */
function writeYaml(state: State): string {
  const models = Object.entries(state).map(
    ([model, records]) => `${model}:\n${records.map((one) => `  - ${JSON.stringify(one)}\n`).join('')}`,
  );
  return models.length === 0 ? '{}\n' : models.join('');
}
