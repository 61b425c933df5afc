import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Done, Job, Kind } from './prove-worker.ts';

/** Workers that take jobs from a queue, one each at a time. */
export type Pool = {
  /** Gives what came of each job to `note`, in the order in which they are done. */
  run<One extends Kind>(jobs: readonly Job<One>[], note: (done: Done<One>) => void): Promise<void>;
  close(): Promise<void>;
};

export function createPool(workerData: { only?: string }): Pool {
  const script = new URL('./prove-worker.ts', import.meta.url);
  const workers = Array.from({ length: availableParallelism() }, () => new Worker(script, { workerData }));
  return {
    run: async (jobs, note) => {
      const waiting = [...jobs];
      await Promise.all(
        workers.map(async (worker) => {
          for (let job = waiting.shift(); job; job = waiting.shift()) {
            worker.postMessage(job);
            const [done] = await once(worker, 'message');
            note(done);
          }
        }),
      );
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
