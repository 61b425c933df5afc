import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useMemo, useRef, useState } from 'preact/hooks';
import type { ContractFacts } from '../../../spec/meta/meta.ts';
import { bringIntoView, useListener, useOtherTheme } from '../../ui/browser.ts';
import { useText } from '../../ui/input.tsx';
import { Button, Dialog } from '../../ui/parts.tsx';
import { messageOf, visible } from '../../ui/text.ts';
import { ContractView } from '../views/contract/contract.tsx';
import { FaultsView } from '../views/faults/faults.tsx';
import { RecordsView } from '../views/records/records.tsx';
import { RequestsView } from '../views/requests/requests.tsx';
import { SessionsView } from '../views/sessions/sessions.tsx';
import { Action } from './action.tsx';
import { ApiError, type ConsoleApi, createApi, SHARED } from './api.ts';
import { type Command, type Confirmation, type Console, ConsoleContext, useLoad } from './context.ts';
import { Field, Form } from './form.tsx';
import { type Connection, useConnection } from './live.ts';
import { Palette } from './picker.tsx';
import { href, root, sessionOf, useRoute } from './route.ts';
import { InSession, SessionPicker } from './session-picker.tsx';

const VIEWS = [
  { name: 'requests', title: 'Requests', View: RequestsView },
  { name: 'records', title: 'Records', View: RecordsView },
  { name: 'faults', title: 'Faults and time', View: FaultsView },
  { name: 'sessions', title: 'Sessions', View: SessionsView },
  { name: 'contract', title: 'Contract', View: ContractView },
] as const;

/** Milliseconds for which a message is shown. */
const SHOWN = 8000;

/** A question that waits for its answer. */
type Asked<Answer> = { readonly answer: (answer: Answer) => void };
type Notice = { readonly text: string; readonly error?: unknown; readonly action?: Command | undefined };

export function App() {
  const session = sessionOf(useRoute());
  const token = useRef<string | undefined>(undefined);
  const waiting = useRef<Promise<string | undefined> | undefined>(undefined);
  const [asked, setAsked] = useState<Asked<string | undefined> & { readonly reason: string }>();
  const shared = useMemo(() => {
    const askToken = async (reason: string) => {
      // Several requests can fail at once. One dialog serves all.
      waiting.current ??= new Promise((answer) => setAsked({ reason, answer }));
      token.current = await waiting.current;
      waiting.current = undefined;
      setAsked(undefined);
      return token.current !== undefined;
    };
    return createApi({ root, session: SHARED, token: () => token.current, askToken });
  }, []);
  const api = useMemo(() => shared.in(session), [shared, session]);
  const connection = useConnection(shared);
  // The contract is the same in all sessions, also if the address names a session that can't exist.
  const { value, error, reload } = useLoad(
    () => shared.get<ContractFacts>('/contract'),
    [connection.turn],
    0,
  );
  return (
    <>
      {value ? (
        <Shell api={api} facts={value} connection={connection} />
      ) : (
        <main class="starting">
          <p class={error ? 'notice fail' : 'soft'}>{error?.message ?? 'Loading the contract…'}</p>
          {error && <Button title="Try again" run={reload} />}
        </main>
      )}
      {asked && <TokenDialog {...asked} />}
    </>
  );
}

/** Asks for the token of `--control-token`. The page keeps it in memory only. */
function TokenDialog({ reason, answer }: { reason: string; answer: (token: string | undefined) => void }) {
  const token = useText();
  return (
    <Dialog
      title="Control token"
      closing="Cancel"
      onClose={() => answer(undefined)}
      tools={<Button title="Use this token" kind="primary" form="token" />}
    >
      <p>{reason}</p>
      <Form id="token" submit={async () => answer(token.value)}>
        <Field label="Token of --control-token" kind="password" required {...token} />
      </Form>
    </Dialog>
  );
}

function Shell({
  api,
  facts,
  connection,
}: {
  api: ConsoleApi;
  facts: ContractFacts;
  connection: Connection;
}) {
  const route = useRoute();
  const [isOpen, setIsOpen] = useState(false);
  const [notice, setNotice] = useState<Notice>();
  const [question, setQuestion] = useState<Asked<boolean> & Confirmation>();
  const [offered, setOffered] = useState<readonly Command[]>([]);
  const current = VIEWS.find(({ name }) => name === (route.path[0] ?? 'requests'));
  const console = useMemo(
    (): Console => ({
      api,
      facts,
      connection,
      say: (text, action) => setNotice({ text, action }),
      run: async (action, done) => {
        try {
          await action();
          if (done !== undefined) setNotice({ text: done });
        } catch (error) {
          setNotice({ text: messageOf(error), error });
        }
      },
      ask: async (asked) => {
        const isAgreed = await new Promise<boolean>((answer) => setQuestion({ ...asked, answer }));
        setQuestion(undefined);
        return isAgreed;
      },
      offer: (command) => {
        setOffered((last) => [...last, command]);
        return () => setOffered((last) => last.filter((one) => one !== command));
      },
    }),
    [api, facts, connection],
  );
  useEffect(() => {
    if (!notice || notice.error) return;
    const timer = setTimeout(() => setNotice(undefined), SHOWN);
    return () => clearTimeout(timer);
  }, [notice]);
  useEffect(() => {
    const isLost = (last: Notice | undefined) => last?.error instanceof ApiError && last.error.status === 0;
    if (connection.state === 'up') setNotice((last) => (isLost(last) ? undefined : last));
  }, [connection]);
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
  useListener('keydown', (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
    event.preventDefault();
    setIsOpen((last) => !last);
  });
  const theme = useOtherTheme();
  return (
    <ConsoleContext.Provider value={console}>
      <Button
        title="Skip to the view"
        kind="skip-link"
        run={() => document.getElementById('main')?.focus()}
      />
      <header class="tools top">
        <h1>
          Mock{' '}
          <span class="soft wide-only">
            of {facts.title} {facts.version}
          </span>
        </h1>
        <div class="tools">
          <SessionPicker />
          <button type="button" class="plain" aria-keyshortcuts="Control+K" onClick={() => setIsOpen(true)}>
            Find <kbd class="soft wide-only">Ctrl+K</kbd>
          </button>
          <Action {...theme} />
        </div>
      </header>
      <nav class="views" aria-label="Views">
        {VIEWS.map(({ name, title }) => (
          <a
            key={name}
            href={href([name])}
            aria-current={name === current?.name ? 'page' : undefined}
            // On a narrow screen, the links scroll.
            ref={name === current?.name ? bringIntoView : null}
          >
            {title.split(' ')[0]}
            <span class="wide-text">{title.slice(title.split(' ')[0]?.length)}</span>
          </a>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        {connection.state === 'lost' && (
          <p class="notice fail lost" role="alert">
            The mock does not respond. Start it again, and this page goes on.
          </p>
        )}
        <Boundary key={`${api.session} ${current?.name}`} place={place}>
          <InSession key={api.session}>
            {current ? (
              <current.View key={api.session} />
            ) : (
              <p>This address has no view. Choose one above.</p>
            )}
          </InSession>
        </Boundary>
      </main>
      <div class="message" role="status" aria-live="polite">
        {notice && (
          <p class={`notice ${notice.error ? 'fail' : 'pass'}`}>
            <span>{visible(notice.text)}</span>
            {notice.action && (
              <Button
                title={notice.action.title}
                kind="link"
                run={() => {
                  setNotice(undefined);
                  notice.action?.run();
                }}
              />
            )}
            <Button title="Close" name="Close the message" kind="link" run={() => setNotice(undefined)} />
          </p>
        )}
      </div>
      {isOpen && (
        <Palette
          offered={offered}
          views={VIEWS}
          view={current?.title ?? ''}
          onClose={() => setIsOpen(false)}
        />
      )}
      {question && (
        <Dialog
          title={question.title}
          closing="Cancel"
          onClose={() => question.answer(false)}
          tools={<Button title={question.action} kind="plain danger" run={() => question.answer(true)} />}
        >
          <p>{visible(question.text)}</p>
        </Dialog>
      )}
    </ConsoleContext.Provider>
  );
}

/** Shows the error of a view in its place, so that the other views still work. Another place shows the view again. */
function Boundary({ children, place }: { children: ComponentChildren; place: string }) {
  const [error, reset] = useErrorBoundary();
  useEffect(reset, [place]);
  if (error === undefined) return <>{children}</>;
  return (
    <>
      <p class="notice fail">The console can't show this view: {messageOf(error)}</p>
      <Button title="Try again" run={reset} />
    </>
  );
}
