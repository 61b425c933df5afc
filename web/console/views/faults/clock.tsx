import { useEffect, useState } from 'preact/hooks';
import { useText } from '../../../ui/input.tsx';
import { Card } from '../../../ui/parts.tsx';
import { Action, actionsOf } from '../../app/action.tsx';
import { useConsole, useLoad } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';

/** The clock of the session: stop, set, advance. */
export function Clock() {
  const console = useConsole();
  const { api } = console;
  const { value, error } = useLoad(async () => {
    const { frozen, now } = await api.get<{ readonly now: string; readonly frozen: boolean }>('/clock');
    return { frozen, now: Date.parse(now), seenAt: Date.now() };
  }, [api]);
  const [, tick] = useState(0);
  const text = useText();
  useEffect(() => {
    const timer = setInterval(() => tick((last) => last + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const { advanceClock, startClock, stopClock } = actionsOf(console);
  const frozen = value?.frozen ?? false;
  const now = value && value.now + (frozen ? 0 : Date.now() - value.seenAt);
  return (
    <Card title="Clock of the session" error={error}>
      <p class="clock">
        <time>
          {now === undefined ? '–' : new Date(now).toISOString().replace('T', ' ').replace(/\..*/, ' UTC')}
        </time>{' '}
        <span class="soft">{frozen ? 'stopped' : 'runs'}</span>
      </p>
      <p class="tools">
        <Action {...(frozen ? startClock : stopClock)} />
        <span class="soft">Advance by</span>
        {advanceClock.map((action) => (
          <Action key={action.title} {...action} />
        ))}
      </p>
      <Form
        title="Set"
        about="now"
        submit={() => api.put('/clock', { now: new Date(`${text.value}Z`).toISOString() })}
      >
        <Field label="Set to (UTC)" name="now" kind="datetime-local" step={1} required {...text} />
      </Form>
    </Card>
  );
}
