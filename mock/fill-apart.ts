import { type ChildProcess, fork } from 'node:child_process';
import { FixtureError, sizeOfFixtures } from '../fixtures/fixtures.ts';
import { type Catalogue, isOfKit } from '../spec/catalogue/catalogue.ts';
import type { Contract } from '../spec/contract.ts';
import { kitFile } from '../spec/files/kit-file.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { type ReadOptions, startOf } from './mock-options.ts';
import { FixtureMistakes } from './seed/read-seeds.ts';
import type { Beginning } from './start-records.ts';

/** Number of records from which a separate process fills the store, because their memory would stay with the mock. */
const MANY = 20_000;

/** Bytes of a record in a file, for an estimate. */
const RECORD = 200;

/** How many records a store has, of all that it will have. */
export type Progress = { readonly records: number; readonly total: number };

/** The work of the process. All of it can be cloned. */
export type FillTask = {
  readonly options: Pick<
    ReadOptions,
    | 'checkLinks'
    | 'data'
    | 'dataSync'
    | 'fixtures'
    | 'forward'
    | 'lenient'
    | 'maxMemory'
    | 'now'
    | 'origin'
    | 'records'
    | 'seed'
  >;
  readonly contract: Omit<Contract, 'catalogue'> & {
    /** Absent if it is the kit's. */
    readonly catalogue?: Catalogue;
    /** The names of its models that are the kit's. */
    readonly kitModels: readonly string[];
  };
};

/** A report of the process: its progress, then its end. There is no beginning if another mock filled the store. */
export type FillReport =
  | { readonly progress: Progress }
  | { readonly beginning: Beginning | undefined }
  | { readonly error: FillError };

export type FillError = Pick<Error, 'name' | 'message' | 'stack'> & { readonly mistakes?: readonly string[] };

/** Whether the first records of a store are many. Records that were passed to this process are in its memory anyway. */
export function isLarge({ data, fixtures = [], records = 0 }: ReadOptions, { catalogue }: Contract): boolean {
  const sources = typeof fixtures === 'string' ? [fixtures] : fixtures;
  if (data === undefined || !Array.isArray(sources)) return false;
  const counts = typeof records === 'number' ? [records * catalogue.models.size] : Object.values(records);
  const generated = counts.reduce((sum, count) => sum + count, 0);
  return generated + sizeOfFixtures(sources) / RECORD > MANY;
}

/** Fills a store in a separate process. Rejects with the errors of the fill. */
export async function fillApart(options: ReadOptions, contract: Contract): Promise<Beginning | undefined> {
  const { checkLinks, data, dataSync, fixtures, forward, lenient, maxMemory } = options;
  const { onFill, origin, records, seed } = options;
  const { catalogue, profile, references } = contract;
  const task: FillTask = {
    options: {
      checkLinks,
      data,
      dataSync,
      fixtures,
      forward: forward && { url: forward.url, ...(forward.models && { models: forward.models }) },
      lenient,
      maxMemory,
      now: startOf(options, catalogue.version),
      origin,
      records,
      seed,
    },
    contract: {
      profile,
      references,
      ...(isOfKit(catalogue) ? {} : { catalogue }),
      kitModels: [...catalogue.models.values()].filter(isOfKit).map(({ name }) => name),
    },
  };
  const child = fork(kitFile(FILE), {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  try {
    return await follow(child, task, onFill);
  } finally {
    child.kill();
  }
}

const FILE = import.meta.filename.endsWith('.js') ? 'dist/mock/fill-process.js' : 'mock/fill-process.ts';

function follow(
  child: ChildProcess,
  task: FillTask,
  onFill: ReadOptions['onFill'],
): Promise<Beginning | undefined> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-MOST_SAID);
    });
    child.on('message', (report: FillReport) => {
      if ('progress' in report) onFill?.(report.progress);
      else if ('error' in report) reject(toError(report.error));
      else resolve(report.beginning);
    });
    child.on('error', reject);
    child.on('close', (code, signal) => reject(explainEnd(code, signal, said)));
    child.send(task);
  });
}

/** Maximum number of characters of the process that an error shows. */
const MOST_SAID = 4000;

/** Returns the error of a process that ended without a report. */
function explainEnd(code: number | null, signal: string | null, said: string): Error {
  if (signal === 'SIGKILL' || /out of memory/i.test(said))
    return new UsageError(
      'The records need more memory than there is. Load fewer records, or give Node more memory, such as with NODE_OPTIONS=--max-old-space-size=8192.',
    );
  const how = signal === null ? `with code ${code}` : `because of ${signal}`;
  return new Error(`The process that fills the data ended ${how}. ${said}`.trim());
}

function toError({ message, mistakes, name, stack }: FillError): Error {
  if (mistakes) return new FixtureMistakes(mistakes);
  if (name === 'UsageError') return new UsageError(message);
  if (name === 'FixtureError') return new FixtureError(message);
  return Object.assign(new Error(message), { name, stack });
}
