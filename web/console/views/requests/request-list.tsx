import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { countOf, visible } from '../../../ui/text.ts';
import { shownName } from '../../app/api.ts';
import { useConsole } from '../../app/context.ts';
import { go, readRoute, replace } from '../../app/route.ts';
import { keyOf, type RequestEntry, tone } from './request-log.ts';

/** Height of a row in pixels. The list draws only the rows in view. */
const ROW = 30;
/** Rows that are drawn above and below the view. */
const MARGIN = 12;

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };

type ListProps = {
  readonly entries: readonly RequestEntry[];
  /** The key of the open request. */
  readonly chosen: string;
  readonly empty: string;
};

/** The list of requests. Arrow keys move through it, and open the request that they reach. */
export function RequestList({ entries, chosen, empty }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const place = useRef(0);
  const first = useRef<string>('');
  // The request that was open last: keys can come faster than the view is drawn, and go on from it after Back.
  const current = useRef(chosen);
  useLayoutEffect(() => {
    if (chosen !== '') current.current = chosen;
  }, [chosen]);
  useEffect(() => {
    const list = box.current;
    if (!list) return;
    const watch = new ResizeObserver(() => {
      // On a narrow screen, an open request hides the list, which then forgets its place.
      if (list.clientHeight === 0) return;
      list.scrollTop = place.current;
      setHeight(list.clientHeight);
    });
    watch.observe(list);
    return () => watch.disconnect();
  }, []);
  // New requests come first. At the top they come into view, and elsewhere the rows in view stay where they are.
  useLayoutEffect(() => {
    const list = box.current;
    const added = entries.findIndex((entry) => keyOf(entry) === first.current);
    if (list && added > 0 && list.scrollTop > 0) list.scrollTop += added * ROW;
    first.current = entries[0] ? keyOf(entries[0]) : '';
  }, [entries]);
  // The address can name a request that is far below.
  const isPlaced = useRef(false);
  useLayoutEffect(() => {
    const at = isPlaced.current ? -1 : entries.findIndex((entry) => keyOf(entry) === chosen);
    if (at < 0 || !box.current) return;
    isPlaced.current = true;
    const { clientHeight, scrollTop } = box.current;
    const isInView = at * ROW >= scrollTop && (at + 1) * ROW <= scrollTop + clientHeight;
    if (!isInView) box.current.scrollTop = (at - 3) * ROW;
  }, [entries, chosen]);
  const from = Math.max(0, Math.floor(top / ROW) - MARGIN);
  const shown = entries.slice(from, from + Math.ceil(height / ROW) + 2 * MARGIN);
  const open = (index: number) => {
    const entry = entries[Math.max(0, Math.min(index, entries.length - 1))];
    if (!entry || !box.current) return;
    // Back leads to the list, and not through all requests that were open.
    const show = current.current === '' ? go : replace;
    current.current = keyOf(entry);
    show(['requests', entry.session, entry.id], readRoute().query);
    const at = entries.indexOf(entry) * ROW;
    if (at < box.current.scrollTop) box.current.scrollTop = at;
    else if (at + ROW > box.current.scrollTop + height - ROW) box.current.scrollTop = at + 2 * ROW - height;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const index = entries.findIndex((entry) => keyOf(entry) === current.current);
    const step = STEPS[event.key];
    const next = step === undefined ? { Home: 0, End: entries.length - 1 }[event.key] : index + step;
    if (next === undefined) return;
    event.preventDefault();
    open(next);
  };
  return (
    <div class="table requests" role="table" aria-label="Requests" aria-rowcount={entries.length + 1}>
      <div class="row head" role="row">
        {['Time', 'Method', 'Path', 'Status', 'ms', 'Session', 'Notes'].map((title) => (
          <span
            key={title}
            role="columnheader"
            class={title.toLowerCase()}
            {...(title === 'Time' && { title: 'UTC, by the clock of the session' })}
          >
            {title}
          </span>
        ))}
      </div>
      <div
        class="rows"
        role="rowgroup"
        aria-label={countOf(entries.length, 'request')}
        ref={box}
        tabIndex={0}
        onScroll={({ currentTarget }) => {
          if (currentTarget.clientHeight === 0) return;
          place.current = currentTarget.scrollTop;
          setTop(currentTarget.scrollTop);
        }}
        onKeyDown={onKeyDown}
      >
        {entries.length === 0 && <p class="soft empty">{empty}</p>}
        <div role="presentation" style={{ height: `${entries.length * ROW}px`, position: 'relative' }}>
          {shown.map((entry, index) => (
            <Row
              key={keyOf(entry)}
              entry={entry}
              index={from + index}
              isChosen={keyOf(entry) === chosen}
              open={() => open(from + index)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

type RowProps = {
  readonly entry: RequestEntry;
  readonly index: number;
  readonly isChosen: boolean;
  readonly open: () => void;
};

function Row({ entry, index, isChosen, open }: RowProps) {
  const { base } = useConsole().facts;
  const { at, detail = '', fault, method, ms, path, request, status, violations = [] } = entry;
  const session = shownName(entry.session);
  // The rows differ in what comes after the part that all paths have.
  const rest = path.startsWith(`${base}/`) ? path.slice(base.length) : path;
  const notes = [
    ...(fault === undefined ? [] : [`fault ${fault}`]),
    ...(violations.length === 0 ? [] : [`${violations.length} invalid`]),
    ...(entry.forwarded ? ['forwarded'] : []),
  ].join(', ');
  const cells: readonly (readonly [name: string, content: ComponentChildren, title?: string])[] = [
    ['time soft', at.slice(11, 19)],
    [`${method === 'GET' ? 'soft' : 'method'} ${method.toLowerCase()}`, visible(method)],
    [
      'path',
      [visible(rest), <span class="soft">{visible(request.query)}</span>],
      visible(path + request.query),
    ],
    ['status', <span class={`badge ${tone(status)}`}>{status === 0 ? 'dropped' : status}</span>],
    ['ms', ms],
    ['session', session, session],
    ['notes', [notes, <span class="reason soft"> {visible(detail)}</span>], visible(detail)],
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      class={`row ${tone(status)}-row${isChosen ? ' chosen' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      aria-current={isChosen ? 'true' : undefined}
      style={{ top: `${index * ROW}px` }}
      onClick={open}
    >
      {cells.map(([name, content, title]) => (
        <span key={name} role="cell" class={name} title={title}>
          {content}
        </span>
      ))}
    </div>
  );
}
