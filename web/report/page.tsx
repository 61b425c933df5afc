import type { ComponentChildren } from 'preact';
import type { Standing } from '../../conformance/report/summary.ts';
import { visible } from '../ui/text.ts';
import { go, type ReportState, SIGNS } from './data.ts';

type PageProps = { readonly title?: string; readonly count: string; readonly children: ComponentChildren };

/** A view of the report, below the number of its rows. */
export function Page({ title, count, children }: PageProps) {
  return (
    <>
      <p class="soft count" role="status">
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

/** Two texts next to each other. */
export function ExpectedFound({
  expected,
  found,
}: Partial<Record<'expected' | 'found', string | undefined>>) {
  if (expected === undefined && found === undefined) return null;
  return (
    <div class="sides pair">
      <div>
        <h3>Expected</h3>
        <pre class="expected">{visible(expected ?? '–')}</pre>
      </div>
      <div>
        <h3>Found</h3>
        <pre class="found">{visible(found ?? '–')}</pre>
      </div>
    </div>
  );
}

/** Opens the cases that meet filters, and moves the keyboard to them. */
export function openCases(filters: Partial<ReportState>): void {
  go({ view: 'cases', ...filters });
  scrollTo(0, 0);
  queueMicrotask(() => document.getElementById('view')?.focus({ preventScroll: true }));
}
