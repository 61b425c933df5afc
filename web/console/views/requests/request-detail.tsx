import { useState } from 'preact/hooks';
import type { FaultRule } from '../../../../mock/control/faults/fault-rule.ts';
import { useText } from '../../../ui/input.tsx';
import type { Mark } from '../../../ui/json.tsx';
import { Button, CopyButton, Dialog, Facts, MessageSide } from '../../../ui/parts.tsx';
import { readJson, visible } from '../../../ui/text.ts';
import { Action } from '../../app/action.tsx';
import { addressOf, shownName } from '../../app/api.ts';
import { useConsole } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { go, href, inSession } from '../../app/route.ts';
import { type RequestEntry, tone } from './request-log.ts';
import { filterOf, SNIPPETS } from './snippets.ts';

/** A request with its response. Violations are next to the fields that they are about. */
export function RequestDetail({ entry, back }: { entry: RequestEntry; back: string }) {
  const { api, say } = useConsole();
  const [isAnswering, setIsAnswering] = useState(false);
  const { detail, model, recordId, request, response, session, status } = entry;
  const { violations = [], ignored = [] } = entry;
  const marks: Mark[] = [
    ...violations.filter((one) => 'pointer' in one),
    ...ignored.map((pointer) => ({ pointer, message: 'was ignored' })),
  ];
  // Most responses give the reason for each one in their detail.
  const others = violations
    .filter((one) => 'parameter' in one || typeof request.body !== 'object')
    .filter(({ message }) => !detail?.includes(message))
    .map((one) => visible(Object.values(one).join(' ')));
  const url = addressOf(api.in(session));
  const fixture = async () => {
    const record = await api.in(session).get(`/records/${model}/${recordId}`);
    return `${JSON.stringify({ [model ?? '']: [record] }, null, 2)}\n`;
  };
  const record = model !== undefined && recordId !== undefined && (
    <a href={href(['records', model, recordId], inSession(session))}>
      {model} {recordId}
    </a>
  );
  return (
    <article class="detail card" aria-label="Request">
      <div class="tools">
        <Button title="← All requests" to={back} />
        <span class={`badge ${tone(status)}`}>{status === 0 ? 'dropped' : status}</span>
        <h2 class="wrap">{visible(`${entry.method} ${entry.path}${request.query}`)}</h2>
      </div>
      <Facts
        facts={[
          ['Operation', entry.operation],
          ['Session', shownName(session)],
          ['Time', entry.at.replace('T', ' ').replace('Z', ' UTC')],
          ['Duration', `${entry.ms} ms`],
          ['Fault', entry.fault],
          ['Record', record],
        ]}
      />
      {detail !== undefined && <p class="notice blocked">{visible(detail)}</p>}
      {others.length > 0 && (
        <ul class="notice fail">
          {others.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <p class="tools">
        <span class="soft">Copy as</span>
        {Object.entries(SNIPPETS).map(([title, write]) => (
          <CopyButton key={title} title={title} text={() => write(entry, url)} />
        ))}
        {record && (
          <CopyButton title="Fixture" text={fixture} done={() => say('The record is copied as a fixture.')} />
        )}
        <Action title="Set the next response …" run={() => setIsAnswering(true)} />
      </p>
      <div class="sides">
        <MessageSide {...request} title="Request" marks={marks} />
        <MessageSide {...response} title={status === 0 ? 'No response' : `Response ${status}`} />
      </div>
      {isAnswering && <AnswerDialog entry={entry} onClose={() => setIsAnswering(false)} />}
    </article>
  );
}

/** A form that makes the mock answer the next request of the same kind with another status and body. */
function AnswerDialog({ entry, onClose }: { entry: RequestEntry; onClose: () => void }) {
  const { api, say } = useConsole();
  const { method, operation, path, recordId, response, session } = entry;
  const { body: known = '' } = response;
  const status = useText(String(entry.status || 503));
  const body = useText(typeof known === 'string' ? known : JSON.stringify(known, null, 2));
  const times = useText('1');
  const submit = async () => {
    const rule: FaultRule = {
      match: {
        ...filterOf(entry),
        ...(recordId !== undefined && method !== 'POST' && { id: recordId }),
      },
      status: Number(status.value),
      ...(body.value !== '' && { body: readJson(body.value) }),
      ...(times.value !== '' && { times: Number(times.value) }),
    };
    await api.in(session).post('/faults', rule);
    onClose();
    const where = session === api.session ? '' : ` in the session ${shownName(session)}`;
    say(`The next ${operation ?? path} gets ${status.value}${where}.`, {
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
        <Field label="Status" kind="number" min={200} max={599} required {...status} />
        <Field label="Body (empty: the error form of the profile)" kind="area" rows={8} {...body} />
        <Field label="Number of requests (empty: all)" kind="number" min={1} {...times} />
      </Form>
    </Dialog>
  );
}
