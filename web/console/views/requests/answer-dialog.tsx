import { useState } from 'preact/hooks';
import { Dialog } from '../../../ui/parts.tsx';
import { SHARED, shownName } from '../../app/api.ts';
import { useConsole } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { go, inSession } from '../../app/route.ts';
import type { Entry } from './request-log.ts';

/** A form that makes the mock answer the next request of the same kind with another status and body. */
export function AnswerDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { api, say } = useConsole();
  const session = entry.session ?? SHARED;
  const known = entry.response.body;
  const [status, setStatus] = useState(String(entry.status || 503));
  const [body, setBody] = useState(known === undefined ? '' : format(known));
  const [times, setTimes] = useState('1');
  const match =
    entry.operation === undefined
      ? { method: entry.method, path: entry.path }
      : { operation: entry.operation };
  const submit = async () => {
    const rule = {
      match: {
        ...match,
        ...(entry.recordId !== undefined && entry.method !== 'POST' && { id: entry.recordId }),
      },
      status: Number(status),
      ...(body !== '' && { body: parse(body) }),
      ...(times !== '' && { times: Number(times) }),
    };
    await api.in(session).post('/faults', rule);
    onClose();
    const where = session === api.session ? '' : ` in the session ${shownName(session)}`;
    say(`The next ${entry.operation ?? entry.path} gets ${status}${where}.`, {
      title: 'Show faults',
      run: () => go(['faults'], inSession(session)),
    });
  };
  return (
    <Dialog
      title="Answer this the next time with"
      onClose={onClose}
      tools={
        <button type="submit" class="primary" form="answer">
          Add this answer
        </button>
      }
    >
      <Form id="answer" submit={submit}>
        <Field label="Status" kind="number" min={200} max={599} required value={status} change={setStatus} />
        <Field
          label="Body (empty: the error form of the profile)"
          kind="area"
          rows={8}
          value={body}
          change={setBody}
        />
        <Field
          label="Number of requests (empty: all)"
          kind="number"
          min={1}
          value={times}
          change={setTimes}
        />
      </Form>
    </Dialog>
  );
}

function format(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2);
}

/** JSON is sent as JSON, and other text as it is. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
