import { useState } from 'preact/hooks';
import { Json } from '../../../ui/json.tsx';
import { countOf } from '../../../ui/text.ts';
import { SHARED } from '../../app/api.ts';
import { useCommands, useConsole, useLoad } from '../../app/context.ts';
import { Form, SelectRow, TextRow } from '../../app/form.tsx';
import { go, href } from '../../app/route.ts';
import type { SessionFacts } from '../../app/session-picker.tsx';

type Change = {
  readonly model: string;
  readonly id: number;
  readonly change: 'created' | 'changed' | 'deleted';
  readonly fields?: readonly { readonly name: string; readonly before?: unknown; readonly after?: unknown }[];
};
type Changes = { readonly from?: string; readonly changes: readonly Change[]; readonly total: number };

/** The sessions and snapshots, and what the current session changed. */
export function SessionsView() {
  const { api, fail, say } = useConsole();
  const sessions = useLoad(
    async () => (await api.in(SHARED).get<{ sessions: readonly SessionFacts[] }>('/sessions')).sessions,
    [api],
  );
  const snapshots = useLoad(
    async () => (await api.get<{ snapshots: readonly string[] }>('/snapshots')).snapshots,
    [api],
  );
  const changes = useLoad(() => api.get<Changes>('/changes'), [api]);
  const run = async (action: () => Promise<unknown>, message: string) => {
    try {
      await action();
      say(message);
    } catch (error) {
      fail(error);
    }
    for (const one of [sessions, snapshots, changes]) one.reload();
  };
  const remove = async (name: string) => {
    try {
      await api.in(SHARED).delete(`/sessions/${name}`);
      say(`The session ${name} is deleted.`);
    } catch (error) {
      fail(error);
    }
    // A request in a session that does not exist would create it again.
    if (name === api.session) go(['sessions'], { session: undefined });
    else sessions.reload();
  };
  const reset = () =>
    run(() => api.post('/reset'), `The session ${nameOf(api.session)} is as it was at its start.`);
  useCommands([{ title: 'Reset the session', group: 'Sessions', run: reset }], [api]);
  const isLoaded = [sessions, snapshots, changes].every(({ error, value }) => value ?? error);
  if (!isLoaded) return <p class="soft">Loading…</p>;
  return (
    <div class="sessions-view">
      <section class="card" aria-labelledby="sessions">
        <h2 id="sessions">Sessions</h2>
        <p class="soft">
          A session is a copy of the records that other clients don't see. To use one, send the header{' '}
          <code>X-Mock-Session</code>, or use its address.
        </p>
        {sessions.error && <p class="notice bad">{sessions.error.message}</p>}
        <ul class="faults">
          {(sessions.value ?? []).map(({ from, name }) => (
            <li key={name}>
              <span class="check">
                <span class="wrap">
                  {name === api.session ? <b>{nameOf(name)}</b> : nameOf(name)}{' '}
                  <span class="soft">
                    from {from === undefined ? 'the start records' : `snapshot ${from}`}
                    {name === SHARED ? '' : `, ${api.root}__mock/sessions/${name}`}
                  </span>
                </span>
              </span>
              {name === api.session ? (
                <button type="button" class="plain" onClick={reset}>
                  Reset
                </button>
              ) : (
                <a class="plain" href={href(['sessions'], { session: name === SHARED ? undefined : name })}>
                  Switch
                </a>
              )}
              {name !== SHARED && (
                <button
                  type="button"
                  class="plain danger"
                  aria-label={`Delete session ${name}`}
                  onClick={() => remove(name)}
                >
                  Delete
                </button>
              )}
            </li>
          ))}
        </ul>
        <NewSession
          snapshots={snapshots.value ?? []}
          create={(name, from) =>
            run(
              () => api.post('/sessions', { name, ...(from !== '' && { from }) }),
              `The session ${name} is created.`,
            )
          }
        />
      </section>
      <section class="card" aria-labelledby="snapshots">
        <h2 id="snapshots">Snapshots</h2>
        <p class="soft">
          A snapshot keeps the records and IDs of {nameOf(api.session)}.
          {snapshots.value?.length === 0 && ' There is none yet.'}
        </p>
        {snapshots.error && <p class="notice bad">{snapshots.error.message}</p>}
        <ul class="faults">
          {(snapshots.value ?? []).map((name) => (
            <li key={name}>
              <span class="check">
                <span class="wrap">{name}</span>
              </span>
              <button
                type="button"
                class="plain"
                onClick={() => run(() => api.post(`/snapshots/${name}/restore`), `${name} is restored.`)}
              >
                Restore
              </button>
              <button
                type="button"
                class="plain danger"
                aria-label={`Delete snapshot ${name}`}
                onClick={() =>
                  run(() => api.delete(`/snapshots/${name}`), `The snapshot ${name} is deleted.`)
                }
              >
                Delete
              </button>
            </li>
          ))}
        </ul>
        <NewSnapshot
          save={(name) => run(() => api.post('/snapshots', { name }), `The snapshot ${name} is saved.`)}
        />
      </section>
      <section class="card" aria-labelledby="changes">
        <div class="tools">
          <h2 id="changes">Changes of {nameOf(api.session)}</h2>
          <button type="button" class="plain" onClick={changes.reload}>
            Compare again
          </button>
        </div>
        {changes.error && <p class="notice bad">{changes.error.message}</p>}
        {changes.value && <ChangeList {...changes.value} />}
      </section>
    </div>
  );
}

function nameOf(session: string): string {
  return session === SHARED ? 'the shared session' : session;
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

function NewSession({
  snapshots,
  create,
}: {
  snapshots: readonly string[];
  create: (name: string, from: string) => Promise<void>;
}) {
  const [name, setName] = useState('');
  const [from, setFrom] = useState('');
  const submit = async () => {
    await create(name, from);
    setName('');
  };
  return (
    <Form title="Create session" submit={submit}>
      <div class="fields">
        <TextRow label="Name of the new session" required value={name} onChange={setName} />
        <SelectRow
          label="Records"
          value={from}
          options={[['', 'start records'], ...snapshots.map((one) => [one, `snapshot ${one}`] as const)]}
          onChange={setFrom}
        />
      </div>
    </Form>
  );
}

function NewSnapshot({ save }: { save: (name: string) => Promise<void> }) {
  const [name, setName] = useState('');
  const submit = async () => {
    await save(name);
    setName('');
  };
  return (
    <Form title="Save snapshot" submit={submit}>
      <TextRow label="Name of the new snapshot" required value={name} onChange={setName} />
    </Form>
  );
}
