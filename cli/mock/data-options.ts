import { getHeapStatistics } from 'node:v8';
import { isPostgres, showPlace } from '../../mock/store/place.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { terminal } from '../terminal/terminal.ts';

export type DataOptions = { data?: string; dataSync?: 'normal' | 'full'; watch?: true; maxMemory?: number };

/** Returns where records are kept. The environment hides a password from other users, the command line does not. */
export function dataOf({ data = terminal().env.RECORD_MODEL_DATA }: DataOptions): Pick<DataOptions, 'data'> {
  return data ? { data } : {};
}

/** Throws UsageError for options that contradict each other. */
export function refuseDataOptions({ data, dataSync, watch }: DataOptions): void {
  if (watch && data !== undefined)
    throw new UsageError(
      "--watch and --data (or RECORD_MODEL_DATA) can't be used together: --watch reloads fixtures, and fixtures apply only to new data. Remove one of them.",
    );
  if (dataSync !== undefined && (data === undefined || isPostgres(data)))
    throw new UsageError(
      '--data-sync applies only to a SQLite file. Pass the file with --data, or remove --data-sync.',
    );
}

/** Describes where records are kept, for the ready message. */
export function describeData(data: string, isKept: boolean): string {
  return `${showPlace(data)}: ${isKept ? 'existing records; fixtures apply only to new data' : 'new, filled from the fixtures'}`;
}

/** Returns the limit of the heap in MiB. The rest is for requests. */
export function memoryOf({ maxMemory }: DataOptions): number {
  return maxMemory ?? Math.floor((0.5 * getHeapStatistics().heap_size_limit) / 2 ** 20);
}
