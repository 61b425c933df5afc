import { useEffect, useState } from 'preact/hooks';
import { useConsole, useLoad } from '../../app/context.ts';
import { Form, TextRow } from '../../app/form.tsx';

type ClockFacts = { readonly now: string; readonly frozen: boolean };
/** The clock, and the time of this page when it was loaded. */
type Seen = ClockFacts & { readonly seenAt: number };

const STEPS: readonly (readonly [title: string, ms: number])[] = [
  ['1 minute', 60_000],
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 30 * 86_400_000],
];

/** The clock of the session: stop, set, advance. */
export function Clock() {
  const { api, fail } = useConsole();
  const { value, error, reload } = useLoad(
    async (): Promise<Seen> => ({ ...(await api.get<ClockFacts>('/clock')), seenAt: Date.now() }),
    [api],
  );
  const [, tick] = useState(0);
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setInterval(() => tick((last) => last + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const run = async (action: () => Promise<unknown>) => {
    try {
      await action();
    } catch (error) {
      fail(error);
    }
    reload();
  };
  const frozen = value?.frozen ?? false;
  const now = value ? Date.parse(value.now) + (frozen ? 0 : Date.now() - value.seenAt) : undefined;
  return (
    <section class="card" aria-labelledby="clock">
      <h2 id="clock">Clock of the session</h2>
      {error && <p class="notice bad">{error.message}</p>}
      <p class="clock">
        <time>
          {now === undefined ? '–' : new Date(now).toISOString().replace('T', ' ').replace(/\..*/, ' UTC')}
        </time>{' '}
        <span class="soft">{frozen ? 'stopped' : 'runs'}</span>
      </p>
      <p class="tools">
        <button type="button" class="plain" onClick={() => run(() => api.put('/clock', { frozen: !frozen }))}>
          {frozen ? 'Let it run' : 'Stop it'}
        </button>
        <span class="soft">Advance by</span>
        {STEPS.map(([title, ms]) => (
          <button
            key={ms}
            type="button"
            class="plain"
            onClick={() => run(() => api.post('/clock/advance', { ms }))}
          >
            {title}
          </button>
        ))}
      </p>
      <Form
        title="Set"
        submit={() => run(() => api.put('/clock', { now: new Date(`${text}Z`).toISOString() }))}
      >
        <TextRow
          label="Set to (UTC)"
          type="datetime-local"
          step={1}
          required
          value={text}
          onChange={setText}
        />
      </Form>
    </section>
  );
}
