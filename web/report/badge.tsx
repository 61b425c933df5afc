import type { Standing } from '../../conformance/report/summary.ts';
import { SIGNS } from './data.ts';

/** The standing of a case, with its sign. */
export function Badge({ standing, text = standing }: { standing: Standing; text?: string }) {
  return (
    <span class={`badge ${standing}`}>
      {SIGNS[standing]} {text}
    </span>
  );
}
