import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of this process's heap that are in use, without garbage. */
export function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return getHeapStatistics().used_heap_size;
}
