import { useState } from 'preact/hooks';
import { Json } from '../../../ui/json.tsx';
import { countOf } from '../../../ui/text.ts';
import { Action, actionsOf } from '../../app/action.tsx';
import { nameOf, SHARED } from '../../app/api.ts';
import { useConsole, useLoad } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { go, href, inSession } from '../../app/route.ts';
import { sessionsOf } from '../../app/session-picker.tsx';

type Change = {
  readonly model: string;
  readonly id: number;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly fields?: readonly { readonly name: string; readonly before?: unknown; readonly after?: unknown }[];
};
type Changes = { readonly from?: string; readonly changes: readonly Change[]; readonly total: number };

/** The sessions and snapshots, and what the current session changed. */
export function SessionsView() {
  const console = useConsole();
  const { api, run, say } = console;
  const shared = api.in(SHARED);
  const sessions = useLoad(() => sessionsOf(api), [api]);
  const snapshots = useLoad(
    async () => (await api.get<{ snapshots: readonly string[] }>('/snapshots')).snapshots,
    [api],
  );
  const changes = useLoad(() => api.get<Changes>('/changes'), [api]);
  const remove = async (name: string) => {
    if (name === api.session) {
      go(['sessions'], inSession(SHARED));
      await api.leave();
    }
    await run(() => shared.delete(`/sessions/${name}`), `The session ${name} is deleted.`);
  };
  const isLoaded = [sessions, snapshots, changes].every(({ error, value }) => value ?? error);
  if (!isLoaded) return <p class="soft">Loading…</p>;
  const { reset } = actionsOf(console);
  return (
    <div class="stack">
      <section class="card" aria-labelledby="sessions">
        <h2 id="sessions">Sessions</h2>
        <p class="soft">
          A session is a copy of the records that other clients don't see. To use one, send the header{' '}
          <code>X-Mock-Session</code>, or use its address.
        </p>
        {sessions.error && <p class="notice bad">{sessions.error.message}</p>}
        <ul class="rows-list">
          {(sessions.value ?? []).map(({ from, name }) => (
            <li key={name}>
              <span class="grow wrap">
                {name === api.session ? <b>{nameOf(name)}</b> : nameOf(name)}{' '}
                <span class="soft">
                  from {from === undefined ? 'the start records' : `snapshot ${from}`}
                  {name === SHARED ? '' : `, ${api.root}__mock/sessions/${name}`}
                </span>
              </span>
              {name === api.session ? (
                <Action {...reset} kind="danger" />
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
                  kind="danger"
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
          snapshots={snapshots.value ?? []}
          submit={async (name, from) => {
            await shared.post('/sessions', { name, ...(from !== '' && { from }) });
            say(`The session ${name} is created.`, {
              title: 'Switch to it',
              run: () => go(['sessions'], inSession(name)),
            });
          }}
        />
      </section>
      <section class="card" aria-labelledby="snapshots">
        <h2 id="snapshots">Snapshots</h2>
        <p class="soft">
          A snapshot keeps the records and IDs of {nameOf(api.session)}.
          {snapshots.value?.length === 0 && ' There is none yet.'}
        </p>
        {snapshots.error && <p class="notice bad">{snapshots.error.message}</p>}
        <ul class="rows-list">
          {(snapshots.value ?? []).map((name) => (
            <li key={name}>
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
                kind="danger"
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
      </section>
      <section class="card" aria-labelledby="changes">
        <div class="tools">
          <h2 id="changes">Changes of {nameOf(api.session)}</h2>
          <Action title="Compare again" run={changes.reload} />
        </div>
        {changes.error && <p class="notice bad">{changes.error.message}</p>}
        {changes.value && <ChangeList {...changes.value} />}
      </section>
    </div>
  );
}

function ChangeList({ changes, from, total }: Changes) {
  const start = from === undefined ? 'the start records' : `the snapshot ${from}`;
  if (total === 0) return <p class="soft">The records are those of {start}.</p>;
  return (
    <>
      <p class="soft">
        {countOf(total, 'record')} {total === 1 ? 'differs' : 'differ'} from {start}
        {total > changes.length && `; these are the first ${changes.length.toLocaleString('en')}`}.
      </p>
      {changes.map(({ change, fields = [], id, model }) => (
        <details key={`${model} ${id}`} class="exchange">
          <summary>
            <span class={`badge ${{ created: 'pass', changed: 'advice', deleted: 'fail' }[change]}`}>
              {change}
            </span>{' '}
            {model} {id}
            {change === 'changed' && <span class="soft"> {fields.map(({ name }) => name).join(', ')}</span>}
          </summary>
          <p class="tools pad">
            <a href={href(['records', model, id])}>Open the record</a>
          </p>
          <div class="sides">
            <div>
              <h3>Before</h3>
              <Json value={valuesOf(fields, 'before')} />
            </div>
            <div>
              <h3>After</h3>
              <Json value={valuesOf(fields, 'after')} />
            </div>
          </div>
        </details>
      ))}
    </>
  );
}

function valuesOf(fields: NonNullable<Change['fields']>, side: 'before' | 'after'): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, field[side]]));
}

/** A form for the name of something new. With snapshots, it also asks where the records are from. */
function NameForm({
  title,
  label,
  snapshots,
  submit,
}: {
  title: string;
  label: string;
  snapshots?: readonly string[];
  submit: (name: string, from: string) => Promise<void>;
}) {
  const [name, setName] = useState('');
  const [from, setFrom] = useState('');
  const create = async () => {
    await submit(name, from);
    setName('');
  };
  return (
    <Form title={title} about="name" submit={create}>
      <div class="fields">
        <Field label={label} name="name" required value={name} change={setName} />
        {snapshots && (
          <Field
            label="Records"
            value={from}
            options={[['', 'start records'], ...snapshots.map((one) => [one, `snapshot ${one}`] as const)]}
            change={setFrom}
          />
        )}
      </div>
    </Form>
  );
}
