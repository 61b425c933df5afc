import { useState } from 'preact/hooks';
import { Dialog } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.ts';
import { SHARED, shownName } from '../../app/api.ts';
import { useConsole } from '../../app/context.ts';
import { go } from '../../app/route.ts';
import type { Entry } from './journal.ts';

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
  const [error, setError] = useState('');
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
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
        run: () => go(['faults'], { session: session === SHARED ? undefined : session }),
      });
    } catch (error) {
      // The message of the page is behind the dialog.
      setError(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Dialog title="Answer this the next time with" onClose={onClose}>
      <form onSubmit={submit}>
        <p class="form-row">
          <label for="answer-status">Status</label>
          <input
            id="answer-status"
            type="number"
            min={200}
            max={599}
            required
            value={status}
            onInput={({ currentTarget }) => setStatus(currentTarget.value)}
          />
        </p>
        <p class="form-row">
          <label for="answer-body">Body (empty: the error form of the profile)</label>
          <textarea
            id="answer-body"
            rows={8}
            value={body}
            onInput={({ currentTarget }) => setBody(currentTarget.value)}
          />
        </p>
        <p class="form-row">
          <label for="answer-times">Number of requests (empty: all)</label>
          <input
            id="answer-times"
            type="number"
            min={1}
            value={times}
            onInput={({ currentTarget }) => setTimes(currentTarget.value)}
          />
        </p>
        {error !== '' && (
          <p class="notice bad" role="alert">
            {visible(error)}
          </p>
        )}
        <button type="submit" class="primary">
          Add this answer
        </button>
      </form>
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
