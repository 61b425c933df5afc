import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Done, Job } from './prove-worker.ts';

/** Workers that take jobs from a queue, one each at a time. */
export type Pool = {
  /** Gives what came of each job to `note`, in the order in which they are done. */
  run(jobs: readonly Job[], note: (done: Done) => void): Promise<void>;
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
          for (let job = waiting.shift(); job; job = waiting.shift()) note(await ask(worker, job));
        }),
      );
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function ask(worker: Worker, job: Job): Promise<Done> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', take);
      worker.off('error', fail);
    };
    const take = (done: Done) => {
      settle();
      resolve(done);
    };
    const fail = (error: Error) => {
      settle();
      reject(error);
    };
    worker.on('message', take);
    worker.on('error', fail);
    worker.postMessage(job);
  });
}
