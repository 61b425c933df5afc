import type { ComponentChildren } from 'preact';
import type { Standing } from '../../conformance/report/summary.ts';
import { SIGNS } from './data.ts';

/** A view of the report, below the number of its rows. */
export function Page({
  title,
  count,
  children,
}: {
  title?: string;
  count: string;
  children: ComponentChildren;
}) {
  return (
    <>
      <p class="count" role="status">
        {count}
      </p>
      <div id="view" tabIndex={-1}>
        {title !== undefined && <h2 class="hidden-text">{title}</h2>}
        {children}
      </div>
    </>
  );
}

/** The standing of a case, with its sign. */
export function Badge({ standing, text = standing }: { standing: Standing; text?: string }) {
  return (
    <span class={`badge ${standing}`}>
      {SIGNS[standing]} {text}
    </span>
  );
}
