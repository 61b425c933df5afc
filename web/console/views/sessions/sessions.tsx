import { useText } from '../../../ui/input.tsx';
import { Card } from '../../../ui/parts.tsx';
import { Action, actionsOf } from '../../app/action.tsx';
import { nameOf, SHARED } from '../../app/api.ts';
import { useConsole, useGet, useLoad } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { go, inSession } from '../../app/route.ts';
import { sessionsOf } from '../../app/session-picker.tsx';

/** The sessions and snapshots. */
export function SessionsView() {
  const console = useConsole();
  const { api, run, say } = console;
  const shared = api.in(SHARED);
  const sessions = useLoad(() => sessionsOf(api), [api]);
  const snapshots = useGet<{ readonly snapshots: readonly string[] }>('/snapshots');
  const names = snapshots.value?.snapshots ?? [];
  const remove = async (name: string) => {
    if (name === api.session) {
      go(['sessions'], inSession(SHARED));
      await api.leave();
    }
    await run(() => shared.delete(`/sessions/${name}`), `The session ${name} is deleted.`);
  };
  const isLoaded = [sessions, snapshots].every(({ error, value }) => value ?? error);
  if (!isLoaded) return <p class="soft">Loading…</p>;
  const { reset } = actionsOf(console);
  return (
    <div class="stack">
      <Card title="Sessions" error={sessions.error}>
        <p class="soft">
          A session is a copy of the records that other clients don't see. To use one, send the header{' '}
          <code>X-Mock-Session</code>, or use its address.
        </p>
        <ul class="rows-list">
          {(sessions.value ?? []).map(({ from, name }) => (
            <li key={name} class="tools">
              <span class="grow wrap">
                {name === api.session ? <b>{nameOf(name)}</b> : nameOf(name)}{' '}
                <span class="soft">
                  from {from === undefined ? 'the start records' : `snapshot ${from}`}
                  {name === SHARED ? '' : `, ${api.root}__mock/sessions/${name}`}
                </span>
              </span>
              {name === api.session ? (
                <Action {...reset} />
              ) : (
                <Action
                  title="Switch"
                  name={`Switch to ${nameOf(name)}`}
                  run={() => go(['sessions'], inSession(name))}
                />
              )}
              {name !== SHARED && (
                <Action
                  title="Delete"
                  name={`Delete session ${name}`}
                  kind="plain danger"
                  warning="Its records, its snapshots, and its request log will be deleted."
                  run={() => remove(name)}
                />
              )}
            </li>
          ))}
        </ul>
        <NameForm
          title="Create session"
          label="Name of the new session"
          snapshots={names}
          submit={async (name, from) => {
            await shared.post('/sessions', { name, ...(from !== '' && { from }) });
            say(`The session ${name} is created.`, {
              title: 'Switch to it',
              run: () => go(['sessions'], inSession(name)),
            });
          }}
        />
      </Card>
      <Card title="Snapshots" error={snapshots.error}>
        <p class="soft">
          A snapshot keeps the records and IDs of {nameOf(api.session)}.
          {snapshots.value && names.length === 0 && ' There is none yet.'}
        </p>
        <ul class="rows-list">
          {names.map((name) => (
            <li key={name} class="tools">
              <span class="grow wrap">{name}</span>
              <Action
                title="Restore"
                name={`Restore snapshot ${name}`}
                warning={`The records and IDs of ${nameOf(api.session)} will be replaced.`}
                run={() => run(() => api.post(`/snapshots/${name}/restore`), `${name} is restored.`)}
              />
              <Action
                title="Delete"
                name={`Delete snapshot ${name}`}
                kind="plain danger"
                warning="Sessions that started from it keep their records."
                run={() => run(() => api.delete(`/snapshots/${name}`), `The snapshot ${name} is deleted.`)}
              />
            </li>
          ))}
        </ul>
        <NameForm
          title="Save snapshot"
          label="Name of the new snapshot"
          submit={async (name) => {
            await api.post('/snapshots', { name });
            say(`The snapshot ${name} is saved.`);
          }}
        />
      </Card>
    </div>
  );
}

type NameFormProps = {
  readonly title: string;
  readonly label: string;
  readonly snapshots?: readonly string[];
  readonly submit: (name: string, from: string) => Promise<void>;
};

/** A form for the name of something new. With snapshots, it also asks where the records are from. */
function NameForm({ title, label, snapshots, submit }: NameFormProps) {
  const name = useText();
  const from = useText();
  const create = async () => {
    await submit(name.value, from.value);
    name.change('');
  };
  return (
    <Form title={title} about="name" submit={create}>
      <div class="fields">
        <Field label={label} name="name" required {...name} />
        {snapshots && (
          <Field
            label="Records"
            options={[['', 'start records'], ...snapshots.map((one) => [one, `snapshot ${one}`] as const)]}
            {...from}
          />
        )}
      </div>
    </Form>
  );
}
