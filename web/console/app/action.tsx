import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Button, type ButtonProps } from '../../ui/parts.tsx';
import { addressOf } from './api.ts';
import { type Command, type Console, useConsole } from './context.ts';
import { CLEARED } from './live.ts';
import { go } from './route.ts';
import { sessionsOf } from './session-picker.tsx';

export type ActionProps = Pick<ButtonProps, 'title' | 'name'> & {
  readonly run: () => unknown;
  /** What is lost. The reader has to confirm it. */
  readonly warning?: string | undefined;
};

/** Runs an action, after the reader has confirmed it if needed. */
export async function perform({ name, run, title, warning }: ActionProps, { ask }: Console): Promise<void> {
  if (warning !== undefined && !(await ask({ title: `${name ?? title}?`, text: warning, action: title })))
    return;
  await run();
}

/** A button, which is also a command of the palette while it is shown. */
export function Action({ warning, run, ...button }: ButtonProps & Pick<Partial<ActionProps>, 'warning'>) {
  const console = useConsole();
  const { disabled, form = '', name, title } = button;
  const send = () => (document.getElementById(form) as HTMLFormElement | null)?.requestSubmit();
  const isBusy = useRef(false);
  const act = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    await perform({ title, name, warning, run: run ?? send }, console);
    isBusy.current = false;
  };
  useCommand(name ?? title, act, disabled);
  return <Button {...button} run={run && act} />;
}

/** A link that looks like a button, and is also a command of the palette. */
export function LinkAction({
  name,
  to,
  kind = 'plain',
  children,
}: {
  name: string;
  to: string;
  kind?: string;
  children: ComponentChildren;
}) {
  useCommand(name, () => {
    location.hash = new URL(to, location.href).hash;
  });
  return (
    <a class={kind} href={to}>
      {children}
    </a>
  );
}

function useCommand(title: string, run: () => unknown, disabled = false): void {
  const { offer } = useConsole();
  const latest = useRef(run);
  latest.current = run;
  useEffect(
    () => (disabled ? undefined : offer({ title, run: () => latest.current() })),
    [offer, title, disabled],
  );
}

/** The steps by which the reader can move the clock. */
export const STEPS: readonly (readonly [title: string, ms: number])[] = [
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
  } satisfies Readonly<Record<string, ActionProps>>;
}

export function advanceBy({ api, run }: Console, [title, ms]: (typeof STEPS)[number]): ActionProps {
  return {
    title,
    name: `Advance the clock by ${title}`,
    run: () => run(() => api.post('/clock/advance', { ms }), `The clock is ${title} later.`),
  };
}

/** The commands that every view has. */
export function usualCommands(
  console: Console,
  views: readonly { readonly name: string; readonly title: string }[],
): Command[] {
  const { api, facts } = console;
  const actions: ActionProps[] = [
    ...Object.values(actionsOf(console)),
    ...STEPS.map((step) => advanceBy(console, step)),
  ];
  return [
    ...views.map(({ name, title }) => ({ title, group: 'View', run: () => go([name]) })),
    ...actions.map((action) => ({
      title: action.name ?? action.title,
      group: 'Session',
      run: () => perform(action, console),
    })),
    { title: 'Profile', group: 'Contract', run: () => go(['contract', 'profile']) },
    {
      title: 'Swagger UI',
      group: 'Contract',
      run: () => {
        location.href = `${addressOf(api)}__mock/docs`;
      },
    },
    ...Object.keys(facts.models).flatMap((model): Command[] => [
      { title: model, group: 'Records', run: () => go(['records', model]) },
      { title: model, group: 'Contract', run: () => go(['contract', model]) },
      { title: `New ${model}`, group: 'Records', run: () => go(['records', model, 'new']) },
    ]),
  ];
}
