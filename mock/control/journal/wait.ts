import type { WhenDone } from '../../http/http.ts';
import { ControlError } from '../endpoint.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { JournalFilter } from './journal-filter.ts';
import type { JournalView } from './journal-view.ts';

/**
 * The entries that match, once there are so many; at once when none are waited for. Rejects with ControlError 408 after
 * `timeout` milliseconds. Given up when who asked goes away.
 */
export function waitForRequests(
  journal: Journal,
  view: JournalView,
  filter: JournalFilter,
  { count, timeout, whenDone }: { count: number; timeout: number; whenDone?: WhenDone },
): Promise<readonly JournalEntry[]> {
  const find = () => journal.entries().filter((entry) => view.matches(entry, filter));
  const found = find();
  if (found.length >= count) return Promise.resolve(found);
  return new Promise((resolve, reject) => {
    const stop = journal.subscribe(() => {
      const now = find();
      if (now.length >= count) finish(() => resolve(now));
    });
    const giveUp = () => {
      const seen = find().length;
      finish(() =>
        reject(new ControlError(408, `${seen} requests matched in ${timeout} ms; expected ${count}.`)),
      );
    };
    const timer = setTimeout(giveUp, timeout);
    whenDone?.(giveUp);
    function finish(settle: () => void): void {
      clearTimeout(timer);
      stop();
      settle();
    }
  });
}
