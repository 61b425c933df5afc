import { useState } from 'preact/hooks';
import type { ModelFacts, SettingFacts } from '../../../../spec/meta/meta.ts';
import { Body } from '../../../ui/parts.tsx';
import { indentJson } from '../../../ui/text.ts';
import { Action } from '../../app/action.tsx';
import { SHARED } from '../../app/api.ts';
import { useConsole } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { href } from '../../app/route.ts';
import { tone } from '../requests/filter.ts';

type Sample = { readonly body?: string; readonly contentType?: string };
type Answer = { readonly status: number; readonly text: string };

/** A form that sends a request of an operation to the API, with a generated body. The request log shows it. */
export function TryOperation({ name, model }: { name: string; model: ModelFacts }) {
  const { api, facts, run } = useConsole();
  const [operation, setOperation] = useState<string>(
    model.operations.includes('list') ? 'list' : (model.operations[0] ?? ''),
  );
  const [id, setId] = useState('1');
  const [query, setQuery] = useState('');
  const [body, setBody] = useState('');
  const [contentType, setContentType] = useState('application/json');
  const [header, setHeader] = useState(() => credentialsFor(facts.profile));
  const [answer, setAnswer] = useState<Answer>();
  const hasId = operation !== 'list' && operation !== 'create';
  const hasBody = operation === 'create' || operation === 'update';
  const generate = () =>
    run(async () => {
      const sample = await api.get<Sample>(`/samples/${name}`);
      setBody(indentJson(sample.body ?? ''));
      setContentType(sample.contentType ?? 'application/json');
    });
  const choose = (next: string) => {
    setOperation(next);
    if ((next === 'create' || next === 'update') && body === '') generate();
  };
  const send = async () => {
    const address = `${api.root}${model.path.slice(1)}${hasId ? `/${encodeURIComponent(id)}` : ''}${query && `?${query}`}`;
    const [headerName = '', ...headerValue] = header.split(':');
    try {
      const response = await fetch(address, {
        method: { list: 'GET', retrieve: 'GET', delete: 'DELETE' }[operation] ?? 'POST',
        headers: {
          ...(api.session !== SHARED && { 'x-mock-session': api.session }),
          ...(hasBody && { 'content-type': contentType }),
          ...(headerValue.length > 0 && { [headerName.trim()]: headerValue.join(':').trim() }),
        },
        ...(hasBody && { body }),
      });
      setAnswer({ status: response.status, text: await response.text() });
    } catch {
      setAnswer({ status: 0, text: 'The connection was lost. A fault can do this.' });
    }
  };
  return (
    <section class="card" aria-labelledby="try">
      <h2 id="try">Try an operation</h2>
      <Form
        title="Send"
        submit={send}
        tools={hasBody && <Action title="Generate a valid body" run={generate} />}
      >
        <div class="fields">
          <Field
            label="Operation"
            value={operation}
            options={model.operations.map((one) => [one, one])}
            change={choose}
          />
          {hasId && <Field label="ID" required value={id} change={setId} />}
          {operation === 'list' && (
            <Field label="Query" value={query} placeholder="limit=5" change={setQuery} />
          )}
          <Field label="Header" value={header} placeholder="accept-language: es" change={setHeader} />
        </div>
        {hasBody && (
          <Field label={`Body (${contentType})`} kind="area" rows={8} value={body} change={setBody} />
        )}
      </Form>
      {answer && (
        <div role="status">
          <p class="tools">
            <span class={`badge ${tone(answer.status)}`}>{answer.status || 'dropped'}</span>
            <a href={href(['requests'])}>Show it in the request log</a>
          </p>
          <Body text={answer.text} />
        </div>
      )}
    </section>
  );
}

/** Returns a header with credentials, if the profile asks for some. A mock without `--users` accepts any. */
function credentialsFor(profile: readonly SettingFacts[]): string {
  const auth = String(profile.find(({ setting }) => setting === 'auth')?.value ?? 'none');
  switch (auth) {
    case 'bearer':
      return 'authorization: Bearer test';
    case 'basic':
      return `authorization: Basic ${btoa('test:test')}`;
    case 'none':
      return '';
    default:
      return `${auth.replace('header ', '')}: test`;
  }
}
