import { useState } from 'preact/hooks';
import type { Mark } from '../../../ui/json.tsx';
import { CopyButton, Facts, MessageSide } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.ts';
import { Action } from '../../app/action.tsx';
import { addressOf, SHARED, shownName } from '../../app/api.ts';
import { useConsole } from '../../app/context.ts';
import { href, inSession } from '../../app/route.ts';
import { AnswerDialog } from './answer-dialog.tsx';
import { tone } from './filter.ts';
import type { Entry } from './request-log.ts';
import { SNIPPETS } from './snippets.ts';

/** A request with its response. Violations are next to the fields that they are about. */
export function RequestDetail({ entry, back }: { entry: Entry; back: string }) {
  const { api, say } = useConsole();
  const [isAnswering, setIsAnswering] = useState(false);
  const { detail, model, recordId, request, response, status, violations = [], ignored = [] } = entry;
  const marks: Mark[] = [
    ...violations.filter((one) => 'pointer' in one),
    ...ignored.map((pointer) => ({ pointer, message: 'was ignored' })),
  ];
  // Most responses give the reason for each one in their detail.
  const others = violations
    .filter((one) => 'parameter' in one || typeof request.body !== 'object')
    .filter(({ message }) => !detail?.includes(message))
    .map((one) => visible(Object.values(one).join(' ')));
  const session = entry.session ?? SHARED;
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
        <a class="plain back" href={back}>
          ← All requests
        </a>
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
        {SNIPPETS.map(({ title, write }) => (
          <CopyButton key={title} title={title} text={() => write(entry, url)} />
        ))}
        {record && (
          <CopyButton title="Fixture" text={fixture} done={() => say('The record is copied as a fixture.')} />
        )}
        <Action title="Set the next response …" run={() => setIsAnswering(true)} />
      </p>
      <div class="sides">
        <MessageSide
          title="Request"
          headers={request.headers as Record<string, string>}
          body={request.body}
          marks={marks}
        />
        <MessageSide
          title={status === 0 ? 'No response' : `Response ${status}`}
          headers={response.headers as Record<string, string>}
          body={response.body}
        />
      </div>
      {isAnswering && <AnswerDialog entry={entry} onClose={() => setIsAnswering(false)} />}
    </article>
  );
}
