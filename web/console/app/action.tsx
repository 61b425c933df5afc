import { useEffect, useId, useRef } from 'preact/hooks';
import { Button, type ButtonProps } from '../../ui/parts.tsx';
import { type Console, useConsole } from './context.ts';
import { CLEARED } from './live.ts';
import { sessionsOf } from './session-picker.tsx';

export type ActionProps = ButtonProps & {
  /** What is lost. The reader has to confirm it. */
  readonly warning?: string | undefined;
};

/** Runs an action, after the reader has confirmed it if needed. */
export async function perform({ name, run, title, warning }: ActionProps, { ask }: Console): Promise<void> {
  if (warning !== undefined && !(await ask({ title: `${name ?? title}?`, text: warning, action: title })))
    return;
  await run?.();
}

/** A button or a link, which is also a command of the palette while it is shown. */
export function Action({ warning, run, ...button }: ActionProps) {
  const console = useConsole();
  const { disabled, name, title } = button;
  const id = useId();
  const isBusy = useRef(false);
  const act = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    await perform({ title, name, warning, run }, console);
    isBusy.current = false;
  };
  const command = name ?? title;
  const { offer } = console;
  useEffect(
    () => (disabled ? undefined : offer({ title: command, run: () => document.getElementById(id)?.click() })),
    [offer, command, disabled],
  );
  return <Button {...button} id={id} run={run && act} />;
}

/** The steps by which the reader can move the clock. */
const STEPS: readonly (readonly [title: string, ms: number])[] = [
  ['1 minute', 60_000],
  ['1 hour', 3_600_000],
  ['1 day', 86_400_000],
  ['30 days', 30 * 86_400_000],
];

/** Lets the reader save text as a file. */
function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** The actions on the current session, which views show as buttons and the palette has in each view. */
export function actionsOf({ api, run }: Console) {
  return {
    reset: {
      title: 'Reset',
      name: 'Reset the session',
      kind: 'plain danger',
      warning: 'Its records, IDs, clock, faults, and request log will be as they were at its start.',
      run: () =>
        run(async () => {
          await api.post('/reset');
          dispatchEvent(new Event(CLEARED));
        }, 'The session is as it was at its start.'),
    },
    download: {
      title: 'Download all as fixtures',
      run: () =>
        run(async () => saveFile('fixtures.json', `${JSON.stringify(await api.get('/state'), null, 2)}\n`)),
    },
    clearLog: {
      title: 'Clear',
      name: 'Clear the request log',
      run: () =>
        run(async () => {
          for (const { name } of await sessionsOf(api)) await api.in(name).delete('/requests');
          dispatchEvent(new Event(CLEARED));
        }),
    },
    deleteFaults: {
      title: 'Delete all',
      name: 'Delete all faults',
      kind: 'plain danger',
      warning: 'All faults of the session will be deleted.',
      run: () => run(() => api.delete('/faults'), 'All faults are deleted.'),
    },
    stopClock: {
      title: 'Stop the clock',
      run: () => run(() => api.put('/clock', { frozen: true }), 'The clock is stopped.'),
    },
    startClock: {
      title: 'Let the clock run',
      run: () => run(() => api.put('/clock', { frozen: false }), 'The clock runs.'),
    },
    advanceClock: STEPS.map(([title, ms]) => ({
      title,
      name: `Advance the clock by ${title}`,
      run: () => run(() => api.post('/clock/advance', { ms }), `The clock is ${title} later.`),
    })),
  } satisfies Readonly<Record<string, ActionProps | readonly ActionProps[]>>;
}
