import { showPlace } from '../../mock/store/store.ts';
import { createStatus } from '../terminal/terminal.ts';

/** Milliseconds after which filling the data is worth a line. */
const LONG = 1000;

/** Milliseconds after which the speed is known. */
const KNOWN = 10_000;

const MINUTE = 60_000;

/** Shows how far new data is filled, if that takes long, and how long it still takes, if it takes more than a minute. */
export function createFillProgress(data = '') {
  const started = Date.now();
  const status = createStatus();
  let isShown = false;
  let isSlow = false;
  return {
    show: ({ records, total }: { readonly records: number; readonly total: number }) => {
      const passed = Date.now() - started;
      if (passed < LONG) return;
      isShown = true;
      const left = (passed * (total - records)) / records;
      isSlow ||= passed >= KNOWN && passed + left > MINUTE;
      const time = isSlow ? `, ${inWords(left)} left` : '';
      // The time comes before a long address, because a terminal shows one row.
      status.show(`Filling: ${grouped(records)} of ${grouped(total)} records${time}, in ${showPlace(data)}`);
    },
    clear: () => {
      if (isShown) status.clear();
    },
  };
}

function inWords(milliseconds: number): string {
  const minutes = Math.max(1, Math.round(milliseconds / MINUTE));
  return minutes < 100 ? `about ${minutes} min` : `about ${Math.round(minutes / 60)} h`;
}

/** Returns a number with commas, because a million is hard to read without. */
function grouped(number: number): string {
  return number.toLocaleString('en-US');
}
