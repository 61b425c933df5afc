import { showPlace } from '../../mock/store/place.ts';
import { createStatus } from '../terminal/console.ts';

/** Milliseconds after which filling the data is worth a line. */
const LONG = 1000;

/** Shows how far new data is filled, if that takes long. */
export function createFillProgress(data = '') {
  const started = Date.now();
  const status = createStatus();
  let isShown = false;
  return {
    show: ({ records, total }: { readonly records: number; readonly total: number }) => {
      if (Date.now() - started < LONG) return;
      isShown = true;
      status.show(`Filling ${showPlace(data)}: ${grouped(records)} of ${grouped(total)} records`);
    },
    clear: () => {
      if (isShown) status.clear();
    },
  };
}

/** Returns a number with commas, because a million is hard to read without. */
function grouped(number: number): string {
  return number.toLocaleString('en-US');
}
