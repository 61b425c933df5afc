import { useEffect, useState } from 'preact/hooks';
import { Action, actionsOf, advanceBy, STEPS } from '../../app/action.tsx';
import { useConsole, useLoad } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';

type ClockFacts = { readonly now: string; readonly frozen: boolean };
/** The clock, and the time of this page when it was loaded. */
type Seen = ClockFacts & { readonly seenAt: number };

/** The clock of the session: stop, set, advance. */
export function Clock() {
  const console = useConsole();
  const { api } = console;
  const { value, error } = useLoad(
    async (): Promise<Seen> => ({ ...(await api.get<ClockFacts>('/clock')), seenAt: Date.now() }),
    [api],
  );
  const [, tick] = useState(0);
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setInterval(() => tick((last) => last + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const { startClock, stopClock } = actionsOf(console);
  const frozen = value?.frozen ?? false;
  const now = value ? Date.parse(value.now) + (frozen ? 0 : Date.now() - value.seenAt) : undefined;
  return (
    <section class="card" aria-labelledby="clock">
      <h2 id="clock">Clock of the session</h2>
      {error && <p class="notice fail">{error.message}</p>}
      <p class="clock">
        <time>
          {now === undefined ? '–' : new Date(now).toISOString().replace('T', ' ').replace(/\..*/, ' UTC')}
        </time>{' '}
        <span class="soft">{frozen ? 'stopped' : 'runs'}</span>
      </p>
      <p class="tools">
        <Action {...(frozen ? startClock : stopClock)} />
        <span class="soft">Advance by</span>
        {STEPS.map((step) => (
          <Action key={step[0]} {...advanceBy(console, step)} />
        ))}
      </p>
      <Form
        title="Set"
        about="now"
        submit={() => api.put('/clock', { now: new Date(`${text}Z`).toISOString() })}
      >
        <Field
          label="Set to (UTC)"
          name="now"
          kind="datetime-local"
          step={1}
          required
          value={text}
          change={setText}
        />
      </Form>
    </section>
  );
}
