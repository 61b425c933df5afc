import { useState } from 'preact/hooks';
import { Button, Dialog } from '../../../ui/parts.tsx';
import { readJson } from '../../../ui/text.ts';
import { SHARED, shownName } from '../../app/api.ts';
import { useConsole } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { go, inSession } from '../../app/route.ts';
import type { Entry } from './request-log.ts';
import { filterOf } from './snippets.ts';

/** A form that makes the mock answer the next request of the same kind with another status and body. */
export function AnswerDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { api, say } = useConsole();
  const session = entry.session ?? SHARED;
  const { body: known = '' } = entry.response;
  const [status, setStatus] = useState(String(entry.status || 503));
  const [body, setBody] = useState(typeof known === 'string' ? known : JSON.stringify(known, null, 2));
  const [times, setTimes] = useState('1');
  const submit = async () => {
    const rule = {
      match: {
        ...filterOf(entry),
        ...(entry.recordId !== undefined && entry.method !== 'POST' && { id: entry.recordId }),
      },
      status: Number(status),
      ...(body !== '' && { body: readJson(body) }),
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
      title="Set the next response"
      onClose={onClose}
      tools={<Button title="Add this response" kind="primary" form="answer" />}
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
