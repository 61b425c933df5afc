import { getHeapStatistics } from 'node:v8';
import { isPostgres, showPlace } from '../../mock/store/place.ts';
import { UsageError } from '../../spec/files/usage-error.ts';

export type DataOptions = { data?: string; dataSync?: 'normal' | 'full'; watch?: true; maxMemory?: number };

/** Throws UsageError for options that say nothing together. */
export function refuseDataOptions({ data, dataSync, watch }: DataOptions): void {
  if (watch && data !== undefined)
    throw new UsageError(
      '--watch and --data are both given; expected one: what --data keeps is not made anew',
    );
  if (dataSync !== undefined && (data === undefined || isPostgres(data)))
    throw new UsageError('--data-sync is given without a file; expected --data with the path of one');
}

/** What the ready line says of the place where records are kept. */
export function describeData(data: string, isKept: boolean): string {
  return `${showPlace(data)}: ${isKept ? 'as it was left; fixtures fill a new one alone' : 'new, filled with the fixtures'}`;
}

/** How much of the heap may be in use, in MiB; what is left is for requests, and for what is in use beside records. */
export function memoryOf({ maxMemory }: DataOptions): number {
  return maxMemory ?? Math.floor((0.5 * getHeapStatistics().heap_size_limit) / 2 ** 20);
}
