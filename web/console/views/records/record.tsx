import { useState } from 'preact/hooks';
import type { FieldFacts, ModelFacts } from '../../../../spec/meta/meta.ts';
import { Json } from '../../../ui/json.tsx';
import { CopyButton, Facts } from '../../../ui/parts.tsx';
import { countOf, visible } from '../../../ui/text.ts';
import { Action, LinkAction } from '../../app/action.tsx';
import { ApiError } from '../../app/api.ts';
import { useConsole, useLoad } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { go, href, replace, useGuard, useRoute } from '../../app/route.ts';
import { LinesInput } from './lines-input.tsx';
import { LinkTools, linksOf, RecordLink, useNames } from './links.tsx';
import { ValueInput, type ValueInputProps } from './value-input.tsx';
import { kindOf, labelOf, readText, type Shown, textOf, titleOf, writableLines } from './values.ts';

type Texts = Readonly<Record<string, string>>;
type Links = readonly { readonly model: string; readonly field: string; readonly count: number }[];

/** One record: a form for its fields, its links, and its JSON. Without an ID, a form for a new record. */
export function RecordPage({ model, id }: { model: string; id: number | undefined }) {
  const { api, ask, facts, run, say } = useConsole();
  const { query } = useRoute();
  const { fields } = facts.models[model] as ModelFacts;
  const writable = fields.filter((field) => !field.readonly);
  // What the reader has entered stays when the record changes.
  const [edits, setEdits] = useState<Texts>({});
  /** The record, or the one that a new record is a copy of. */
  const from = id ?? query.copy;
  const { error, reload, value } = useLoad(
    async () =>
      from === undefined ? undefined : api.get<Shown>(`/records/${model}/${encodeURIComponent(from)}`),
    [api, model, from],
  );
  const record = id === undefined ? undefined : value;
  const textIn = (field: FieldFacts, shown: Shown | undefined) =>
    textOf(field, writableLines(shown?.[field.name], facts.models[field.lines ?? ''], id === undefined));
  const textNow = (field: FieldFacts) => edits[field.name] ?? textIn(field, value);
  const changed = writable.filter((field) => textNow(field) !== textIn(field, record));
  const isEdited = writable.some((field) => textNow(field) !== textIn(field, value));
  const endGuard = useGuard(isEdited, () =>
    ask({
      title: 'Leave without saving?',
      text: 'The values that you have entered will be lost.',
      action: 'Discard the changes',
    }),
  );
  const save = async () => {
    const values = Object.fromEntries(changed.map((field) => [field.name, readText(field, textNow(field))]));
    const saved =
      id === undefined
        ? await api.post<Shown>(`/records/${model}`, values)
        : await api.patch<Shown>(`/records/${model}/${id}`, values);
    say(`${model} ${saved.id} is ${id === undefined ? 'created' : 'saved'}.`);
    endGuard();
    // Back must not lead to the form, which would create the record again.
    if (id === undefined) return replace(['records', model, saved.id]);
    await reload();
    setEdits({});
  };
  const remove = () =>
    run(async () => {
      await api.delete(`/records/${model}/${id}`);
      say(`${model} ${id} is deleted.`);
      endGuard();
      go(['records', model]);
    });
  const fill = () =>
    run(async () => {
      const { values } = await api.get<{ values: Readonly<Record<string, unknown>> }>(`/samples/${model}`);
      setEdits({
        ...edits,
        ...Object.fromEntries(writable.map((field) => [field.name, textOf(field, values[field.name])])),
      });
    });
  const isMissing = id !== undefined && error instanceof ApiError && error.status === 404;
  const fixture = () => `${JSON.stringify({ [model]: [record] }, null, 2)}\n`;
  if (id !== undefined && !record && !error) return <p class="soft">Loading…</p>;
  return (
    <div class="stack record-page">
      <div class="tools record-head">
        <a href={href(['records', model])}>{model}</a>
        <h2>{id === undefined ? `New ${model}` : visible(`${model} ${id} ${titleOf(record)}`.trim())}</h2>
        {record?.deleted === true && <span class="badge fail">deleted</span>}
        {!isMissing && (
          <span class="tools">
            {id === undefined ? (
              <Action title="Fill with generated values" run={fill} />
            ) : (
              <>
                <LinkAction
                  name={`Duplicate this ${model}`}
                  to={href(['records', model, 'new'], { copy: id })}
                >
                  Duplicate
                </LinkAction>
                <Action
                  title="Delete"
                  name={`Delete this ${model}`}
                  kind="plain danger"
                  warning={`${model} ${id} and its lines will be deleted, as by a request to the API.`}
                  run={remove}
                />
                <Action
                  title="Discard"
                  name="Discard the changes"
                  disabled={!isEdited}
                  run={() => setEdits({})}
                />
              </>
            )}
            <Action
              title={id === undefined ? 'Create' : 'Save'}
              name={`${id === undefined ? 'Create' : 'Save'} this ${model}`}
              kind="primary"
              form="record"
              disabled={id !== undefined && changed.length === 0}
            />
          </span>
        )}
      </div>
      {error && <p class="notice fail">{visible(error.message)}</p>}
      {!isMissing && (
        <section class="card">
          <Form id="record" label={id === undefined ? `New ${model}` : `${model} ${id}`} submit={save}>
            <div class="fields">
              {writable.map((field) => (
                <FieldInput
                  key={field.name}
                  field={field}
                  value={textNow(field)}
                  change={(text) => setEdits((last) => ({ ...last, [field.name]: text }))}
                />
              ))}
            </div>
          </Form>
        </section>
      )}
      {record && !isMissing && (
        <>
          <section class="card" aria-labelledby="readonly">
            <h2 id="readonly">Readonly fields</h2>
            <Facts
              facts={fields
                .filter((field) => field.readonly)
                .map((field) => [field.name, labelOf(field, record[field.name]) || '–'])}
            />
          </section>
          <Linked model={model} record={record} fields={fields} />
          <section class="card" aria-labelledby="json">
            <div class="tools">
              <h2 id="json">JSON</h2>
              <CopyButton text={() => `${JSON.stringify(record, null, 2)}\n`} />
              <CopyButton title="Copy as fixture" text={fixture} />
            </div>
            <Json value={record} />
          </section>
        </>
      )}
    </div>
  );
}

function FieldInput(input: ValueInputProps) {
  const { field } = input;
  const { models } = useConsole().facts;
  const { description, lines, link, name, required, type } = field;
  const what = lines === undefined ? type : `list of ${lines}`;
  const Control = lines === undefined ? ValueInput : LinesInput;
  return (
    <Field
      {...input}
      name={name}
      label={required ? `${name} *` : name}
      note={link === undefined ? what : `${what} of ${link.model}`}
      {...(description !== undefined && { hint: description })}
      isWide={['area', 'json'].includes(kindOf(field))}
      draw={(shared) => <Control field={field} {...shared} />}
    >
      {link !== undefined && Object.hasOwn(models, link.model) && <LinkTools {...input} />}
    </Field>
  );
}

/** The records that this one refers to, and those that refer to it. */
function Linked({ model, record, fields }: { model: string; record: Shown; fields: readonly FieldFacts[] }) {
  const { api, facts } = useConsole();
  const { value, error } = useLoad(
    async () => (await api.get<{ links: Links }>(`/records/${model}/${record.id}/links`)).links,
    [api, model, record],
  );
  const own = linksOf(fields, record, facts.models);
  const nameOf = useNames(own);
  return (
    <section class="card" aria-labelledby="links">
      <h2 id="links">Links</h2>
      {error && <p class="notice fail">{error.message}</p>}
      <ul class="links">
        {own.map((link) => (
          <li key={`${link.field} ${link.id}`}>
            {link.field}: <RecordLink link={link} name={nameOf(link)} />
          </li>
        ))}
        {(value ?? []).map(({ count, field, model: other }) => (
          <li key={`${other} ${field}`}>
            <a
              href={href(['records', other], {
                filters: JSON.stringify([filterOf(facts.models[other], field, record.id)]),
              })}
            >
              {countOf(count, noun(facts.models[other], other, 1), noun(facts.models[other], other, 2))} of
              this {model}
            </a>{' '}
            <span class="soft">({field})</span>
          </li>
        ))}
      </ul>
      {own.length === 0 && value?.length === 0 && (
        <p class="soft">No record refers to this one, and it refers to none.</p>
      )}
    </section>
  );
}

function filterOf(facts: ModelFacts | undefined, field: string, id: number) {
  const type = facts?.fields.find(({ name }) => name === field)?.type;
  return { field, operator: type === 'manyToMany' ? 'has' : 'equal', value: id };
}

function noun(facts: ModelFacts | undefined, model: string, count: number): string {
  const words = facts?.noun;
  if (!words) return count === 1 ? model : `${model} records`;
  return count === 1 ? words.one.replace(/^an? /, '') : words.many;
}
