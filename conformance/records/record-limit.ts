import type { Watcher } from '../api/api.ts';
import { Skip } from '../assert/failure.ts';
import { mayCreate } from './journal.ts';

/** Returns a watcher that stops creates beyond a number. */
export function limitRecords(most: number): Watcher {
  let sent = 0;
  return {
    before(call) {
      if (mayCreate(call) && ++sent > most)
        throw new Skip(`the run reached its limit of ${most} created records (--max-records)`);
    },
  };
}
