import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ContractFacts } from '../../../spec/meta/meta.ts';
import { ThemeButton } from '../../ui/parts.tsx';
import { visible } from '../../ui/text.ts';
import { ContractView } from '../views/contract/contract.tsx';
import { FaultsView } from '../views/faults/faults.tsx';
import { RecordsView } from '../views/records/records.tsx';
import { RequestsView } from '../views/requests/requests.tsx';
import { SessionsView } from '../views/sessions/sessions.tsx';
import { type Api, createApi, SHARED } from './api.ts';
import { Boundary } from './boundary.tsx';
import { type Command, type Console, ConsoleContext, useLoad } from './context.ts';
import { RECONNECTED } from './live.ts';
import { Palette } from './palette.tsx';
import { root } from './place.ts';
import { go, href, sessionOf, useRoute } from './route.ts';
import { InSession, SessionPicker } from './session-picker.tsx';
import { TokenDialog } from './token.tsx';

const VIEWS = [
  { name: 'requests', title: 'Requests', View: RequestsView },
  { name: 'records', title: 'Records', View: RecordsView },
  { name: 'faults', title: 'Faults and time', View: FaultsView },
  { name: 'sessions', title: 'Sessions', View: SessionsView },
  { name: 'contract', title: 'Contract', View: ContractView },
] as const;

/** Milliseconds for which a message is shown. */
const SHOWN = 8000;

type Asked = { readonly reason: string; readonly answer: (token: string | undefined) => void };
type Notice = {
  readonly text: string;
  readonly isBad: boolean;
  readonly action?: { readonly title: string; readonly run: () => void } | undefined;
};

export function App() {
  const route = useRoute();
  const session = sessionOf(route);
  const token = useRef<string | undefined>(undefined);
  const waiting = useRef<Promise<boolean> | undefined>(undefined);
  const [asked, setAsked] = useState<Asked>();
  const askToken = useCallback((reason: string) => {
    // Several requests can fail at once. One dialog serves all.
    waiting.current ??= new Promise<boolean>((resolve) => {
      setAsked({
        reason,
        answer: (given) => {
          token.current = given;
          waiting.current = undefined;
          setAsked(undefined);
          resolve(given !== undefined);
        },
      });
    });
    return waiting.current;
  }, []);
  const api = useMemo(
    () => createApi({ root, session, token: () => token.current, askToken }),
    [session, askToken],
  );
  const known = useRef<ContractFacts | undefined>(undefined);
  const {
    value: facts,
    error,
    reload,
  } = useLoad(async () => {
    // The contract is the same in all sessions, also if the address names a session that can't exist.
    const next = await api.in(SHARED).get<ContractFacts>('/contract');
    // The same object keeps what the reader has entered in the forms that are made from it.
    if (JSON.stringify(next) !== JSON.stringify(known.current)) known.current = next;
    return known.current ?? next;
  }, []);
  useEffect(() => {
    addEventListener(RECONNECTED, reload);
    return () => removeEventListener(RECONNECTED, reload);
  }, [reload]);
  return (
    <>
      {facts ? (
        <Shell api={api} facts={facts} />
      ) : (
        <main class="starting">
          {error ? (
            <>
              <p class="notice bad">{error.message}</p>
              <button type="button" class="plain" onClick={reload}>
                Try again
              </button>
            </>
          ) : (
            <p class="soft">Loading the contract…</p>
          )}
        </main>
      )}
      {asked && <TokenDialog reason={asked.reason} onDone={asked.answer} />}
    </>
  );
}

function Shell({ api, facts }: { api: Api; facts: ContractFacts }) {
  const route = useRoute();
  const [isOpen, setIsOpen] = useState(false);
  const [notice, setNotice] = useState<Notice>();
  const offered = useRef(new Set<readonly Command[]>());
  const current = VIEWS.find(({ name }) => name === (route.path[0] ?? 'requests'));
  const shared = useMemo((): Console => {
    const show = (next: Notice) => setNotice(next);
    return {
      api,
      facts,
      say: (text, action) => show({ text, isBad: false, action }),
      fail: (error) => show({ text: error instanceof Error ? error.message : String(error), isBad: true }),
      offer: (commands) => {
        offered.current.add(commands);
        return () => offered.current.delete(commands);
      },
    };
  }, [api, facts]);
  useEffect(() => {
    if (!notice || notice.isBad) return;
    const timer = setTimeout(() => setNotice(undefined), SHOWN);
    return () => clearTimeout(timer);
  }, [notice]);
  useEffect(() => {
    const names = [current?.title ?? 'No view', ...route.path.slice(1)];
    document.title = `${names.map(visible).join(' · ')} · Mock console`;
  }, [current, route]);
  const place = route.path.join('/');
  const lastPlace = useRef(place);
  useEffect(() => {
    const main = document.getElementById('main');
    if (!main || lastPlace.current === place) return;
    lastPlace.current = place;
    main.scrollTop = 0;
    // The link that led here can be gone, and the keyboard would start at the top of the page.
    if (document.activeElement === document.body) main.focus({ preventScroll: true });
  }, [place]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setIsOpen((last) => !last);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  const { View } = current ?? { View: NoView };
  return (
    <ConsoleContext.Provider value={shared}>
      <button type="button" class="skip-link" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the view
      </button>
      <header class="top">
        <h1>
          Mock{' '}
          <span class="soft wide-only">
            of {facts.title} {facts.version}
          </span>
        </h1>
        <div class="tools">
          <SessionPicker />
          <button type="button" class="plain" aria-keyshortcuts="Control+K" onClick={() => setIsOpen(true)}>
            Find <kbd class="wide-only">Ctrl+K</kbd>
          </button>
          <ThemeButton />
        </div>
      </header>
      <nav class="views" aria-label="Views">
        {VIEWS.map(({ name, title }) => (
          <a
            key={name}
            href={href([name])}
            aria-current={name === current?.name ? 'page' : undefined}
            ref={name === current?.name ? bringIntoView : null}
          >
            {title}
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <Boundary key={`${api.session} ${current?.name}`} place={place}>
          <InSession key={api.session}>
            <View key={api.session} />
          </InSession>
        </Boundary>
      </main>
      <div class="message" role="status" aria-live="polite">
        {notice && (
          <p class={`notice${notice.isBad ? ' bad' : ''}`}>
            <span>{visible(notice.text)}</span>
            {notice.action && (
              <button
                type="button"
                class="link"
                onClick={() => {
                  setNotice(undefined);
                  notice.action?.run();
                }}
              >
                {notice.action.title}
              </button>
            )}
            <button
              type="button"
              class="link"
              aria-label="Close the message"
              onClick={() => setNotice(undefined)}
            >
              Close
            </button>
          </p>
        )}
      </div>
      {isOpen && (
        <Palette
          commands={[...[...offered.current].flat(), ...usual(facts)]}
          onClose={() => setIsOpen(false)}
        />
      )}
    </ConsoleContext.Provider>
  );
}

function NoView() {
  return <p>This address has no view. Choose one above.</p>;
}

/** On a narrow screen, the links scroll. */
function bringIntoView(link: HTMLElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** The commands that every view has. */
function usual(facts: ContractFacts): Command[] {
  return [
    ...VIEWS.map(({ name, title }): Command => ({ title, group: 'View', run: () => go([name]) })),
    ...Object.keys(facts.models).flatMap((model): Command[] => [
      { title: model, group: 'Records', run: () => go(['records', model]) },
      { title: model, group: 'Contract', run: () => go(['contract', model]) },
    ]),
  ];
}
