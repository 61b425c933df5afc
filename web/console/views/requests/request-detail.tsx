import { useState } from 'preact/hooks';
import { Json, type Mark } from '../../../ui/json.tsx';
import { Body, CopyButton, MessageSide } from '../../../ui/parts.tsx';
import { countOf, visible } from '../../../ui/text.ts';
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
  // Most responses give the reason for each parameter in their detail.
  const others = violations
    .filter((one) => 'parameter' in one)
    .filter(({ message }) => !detail?.includes(message));
  const session = entry.session ?? SHARED;
  const url = addressOf(api.in(session));
  const fixture = async () => {
    const record = await api.in(session).get(`/records/${model}/${recordId}`);
    return `${JSON.stringify({ [model ?? '']: [record] }, null, 2)}\n`;
  };
  return (
    <article class="detail card" aria-label="Request">
      <div class="tools">
        <a class="plain back" href={back}>
          ← All requests
        </a>
        <span class={`badge ${tone(status)}`}>{status === 0 ? 'dropped' : status}</span>
        <h2 class="wrap">{visible(`${entry.method} ${entry.path}${request.query}`)}</h2>
      </div>
      <dl class="facts">
        <Fact name="Operation" value={entry.operation} />
        <Fact name="Session" value={shownName(session)} />
        <Fact name="Time" value={entry.at.replace('T', ' ').replace('Z', ' UTC')} />
        <Fact name="Duration" value={`${entry.ms} ms`} />
        <Fact name="Fault" value={entry.fault} />
        {model !== undefined && recordId !== undefined && (
          <div>
            <dt>Record</dt>
            <dd>
              <a href={href(['records', model, recordId], inSession(session))}>
                {model} {recordId}
              </a>
            </dd>
          </div>
        )}
      </dl>
      {detail !== undefined && <p class="notice">{visible(detail)}</p>}
      {others.length > 0 && (
        <ul class="violations">
          {others.map(({ message, parameter }) => (
            <li key={`${parameter} ${message}`}>{visible(`${parameter} ${message}`)}</li>
          ))}
        </ul>
      )}
      <p class="tools">
        <span class="soft">Copy as</span>
        {SNIPPETS.map(({ title, write }) => (
          <CopyButton key={title} text={() => write(entry, url)}>
            {title}
          </CopyButton>
        ))}
        {model !== undefined && recordId !== undefined && (
          <CopyButton text={fixture} done={() => say('The record is copied as a fixture.')}>
            Fixture
          </CopyButton>
        )}
        <Action title="Answer this the next time with …" run={() => setIsAnswering(true)} />
      </p>
      <div class="sides">
        <MessageSide title="Request" headers={request.headers as Record<string, string>}>
          <Shown body={request.body} marks={marks} />
          {marks.length > 0 && request.body === undefined && <p>{countOf(marks.length, 'violation')}</p>}
        </MessageSide>
        <MessageSide
          title={status === 0 ? 'No response' : `Response ${status}`}
          headers={response.headers as Record<string, string>}
        >
          <Shown body={response.body} marks={[]} />
        </MessageSide>
      </div>
      {isAnswering && <AnswerDialog entry={entry} onClose={() => setIsAnswering(false)} />}
    </article>
  );
}

function Shown({ body, marks }: { body: unknown; marks: readonly Mark[] }) {
  return body === undefined || typeof body === 'string' ? (
    <Body text={body ?? ''} />
  ) : (
    <Json value={body} marks={marks} />
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }) {
  if (value === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{visible(value)}</dd>
    </div>
  );
}
