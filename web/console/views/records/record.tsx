import { useState } from 'preact/hooks';
import type { RecordLinks, Sample } from '../../../../mock/control/records/records-api.ts';
import type { FieldFacts, ModelFacts } from '../../../../spec/meta/meta.ts';
import { Json } from '../../../ui/json.tsx';
import { Card, CopyButton, Facts } from '../../../ui/parts.tsx';
import { countOf, visible } from '../../../ui/text.ts';
import { Action, type ActionProps } from '../../app/action.tsx';
import { ApiError } from '../../app/api.ts';
import { useConsole, useGet, useLoad } from '../../app/context.ts';
import { Field, Form } from '../../app/form.tsx';
import { go, href, replace, useGuard, useRoute } from '../../app/route.ts';
import { LinkTools, linksOf, RecordLink, useNames } from './links.tsx';
import { LinesInput, ValueInput, type ValueInputProps } from './value-input.tsx';
import { kindOf, labelOf, readText, type Shown, textOf, titleOf, writableLines } from './values.ts';

type Texts = Readonly<Record<string, string>>;

/** One record: a form for its fields, its links, and its JSON. Without an ID, a form for a new record. */
export function RecordPage({ model, id }: { model: string; id: number | undefined }) {
  const { api, ask, facts, run, say } = useConsole();
  const { query } = useRoute();
  const { fields } = facts.models[model] as ModelFacts;
  const readonly = fields.filter((field) => field.readonly);
  const writable = fields.filter((field) => !field.readonly);
  const isNew = id === undefined;
  const name = isNew ? `New ${model}` : `${model} ${id}`;
  // What the reader has entered stays when the record changes.
  const [edits, setEdits] = useState<Texts>({});
  /** The record, or the one that a new record is a copy of. */
  const from = id ?? query.copy;
  const { error, reload, value } = useLoad(
    async () =>
      from === undefined ? undefined : api.get<Shown>(`/records/${model}/${encodeURIComponent(from)}`),
    [api, model, from],
  );
  const record = isNew ? undefined : value;
  const textIn = (field: FieldFacts, shown: Shown | undefined) =>
    textOf(field, writableLines(shown?.[field.name], facts.models[field.lines ?? ''], isNew));
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
    const saved = isNew
      ? await api.post<Shown>(`/records/${model}`, values)
      : await api.patch<Shown>(`/records/${model}/${id}`, values);
    say(`${model} ${saved.id} is ${isNew ? 'created' : 'saved'}.`);
    endGuard();
    // Back must not lead to the form, which would create the record again.
    if (isNew) return replace(['records', model, saved.id]);
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
      const { values } = await api.get<Sample>(`/samples/${model}`);
      setEdits(Object.fromEntries(writable.map((field) => [field.name, textOf(field, values[field.name])])));
    });
  const isMissing = !isNew && error instanceof ApiError && error.status === 404;
  const fixture = () => `${JSON.stringify({ [model]: [record] }, null, 2)}\n`;
  const send = {
    name: `${isNew ? 'Create' : 'Save'} this ${model}`,
    kind: 'primary',
    form: 'record',
  } as const;
  const actions: readonly ActionProps[] = isNew
    ? [
        { title: 'Fill with generated values', run: fill },
        { title: 'Create', ...send },
      ]
    : [
        {
          title: 'Duplicate',
          name: `Duplicate this ${model}`,
          to: href(['records', model, 'new'], { copy: id }),
        },
        {
          title: 'Delete',
          name: `Delete this ${model}`,
          kind: 'plain danger',
          warning: `${model} ${id} and its lines will be deleted, as by a request to the API.`,
          run: remove,
        },
        { title: 'Discard', name: 'Discard the changes', disabled: !isEdited, run: () => setEdits({}) },
        { title: 'Save', ...send, disabled: changed.length === 0 },
      ];
  if (from !== undefined && !value && !error) return <p class="soft">Loading…</p>;
  return (
    <div class="stack">
      <div class="tools record-head">
        <a href={href(['records', model])}>{model}</a>
        <h2>{visible(`${name} ${titleOf(record)}`.trim())}</h2>
        {record?.deleted === true && <span class="badge fail">deleted</span>}
        {!isMissing && (
          <span class="tools">
            {actions.map((action) => (
              <Action key={action.title} {...action} />
            ))}
          </span>
        )}
      </div>
      {error && <p class="notice fail">{visible(error.message)}</p>}
      {!isMissing && (
        <section class="card">
          <Form id="record" label={name} submit={save}>
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
          <Card title="Readonly fields">
            <Facts facts={readonly.map((field) => [field.name, labelOf(field, record[field.name]) || '–'])} />
          </Card>
          <Linked model={model} record={record} fields={fields} />
          <Card
            title="JSON"
            tools={
              <>
                <CopyButton text={() => `${JSON.stringify(record, null, 2)}\n`} />
                <CopyButton title="Copy as fixture" text={fixture} />
              </>
            }
          >
            <Json value={record} />
          </Card>
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
      hint={description}
      isWide={['area', 'json'].includes(kindOf(field))}
      draw={(shared) => <Control field={field} {...shared} />}
    >
      {link !== undefined && Object.hasOwn(models, link.model) && <LinkTools {...input} />}
    </Field>
  );
}

/** The records that this one refers to, and those that refer to it. */
function Linked({ model, record, fields }: { model: string; record: Shown; fields: readonly FieldFacts[] }) {
  const { facts } = useConsole();
  const { value, error } = useGet<{ readonly links: readonly RecordLinks[] }>(
    `/records/${model}/${record.id}/links`,
  );
  const own = linksOf(fields, record, facts.models);
  const nameOf = useNames(own);
  const filterOf = ({ field, model: other }: RecordLinks) => {
    const type = facts.models[other]?.fields.find(({ name }) => name === field)?.type;
    return JSON.stringify([{ field, operator: type === 'manyToMany' ? 'has' : 'equal', value: record.id }]);
  };
  /** Returns the words for one record of a model, and for several. */
  const nounsOf = (other: string): [one: string, many: string] => {
    const noun = facts.models[other]?.noun;
    return noun ? [noun.one.replace(/^an? /, ''), noun.many] : [other, `${other} records`];
  };
  return (
    <Card title="Links" error={error}>
      <ul class="links">
        {own.map((link) => (
          <li key={`${link.field} ${link.id}`}>
            {link.field}: <RecordLink link={link} name={nameOf(link)} />
          </li>
        ))}
        {(value?.links ?? []).map((link) => (
          <li key={`${link.model} ${link.field}`}>
            <a href={href(['records', link.model], { filters: filterOf(link) })}>
              {countOf(link.count, ...nounsOf(link.model))} of this {model}
            </a>{' '}
            <span class="soft">({link.field})</span>
          </li>
        ))}
      </ul>
      {own.length === 0 && value?.links.length === 0 && (
        <p class="soft">No record refers to this one, and it refers to none.</p>
      )}
    </Card>
  );
}
