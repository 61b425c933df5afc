import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { FieldFacts, ModelFacts } from '../../../../spec/meta/meta.ts';
import { Json, type Mark } from '../../../ui/json.tsx';
import { CopyButton } from '../../../ui/parts.tsx';
import { countOf, visible } from '../../../ui/text.ts';
import { ApiError } from '../../app/api.ts';
import { useCommands, useConsole, useLoad } from '../../app/context.ts';
import { go, href, replace, useRoute } from '../../app/route.ts';
import { useUndo, useWrites } from '../../app/writes.ts';
import { FieldInput } from './field-input.tsx';
import type { FieldMark } from './input.tsx';
import { labelOf, readText, type Shown, textOf, titleOf, writableLines } from './values.ts';

type Texts = Readonly<Record<string, string>>;
type Links = readonly { readonly model: string; readonly field: string; readonly count: number }[];

/** One record: a form for its fields, its links, and its JSON. Without an ID, a form for a new record. */
export function RecordPage({ model, id }: { model: string; id: number | undefined }) {
  const { api, facts, fail, say } = useConsole();
  const { query } = useRoute();
  const { fields } = facts.models[model] as ModelFacts;
  const writable = fields.filter((field) => !field.readonly);
  const [texts, setTexts] = useState<Texts>({});
  const [marks, setMarks] = useState<readonly Mark[]>([]);
  const {
    value: record,
    error,
    reload,
  } = useLoad(
    async () => (id === undefined ? undefined : api.get<Shown>(`/records/${model}/${id}`)),
    [api, model, id],
  );
  const copied = useLoad(
    async () =>
      query.copy === undefined
        ? undefined
        : api.get<Shown>(`/records/${model}/${encodeURIComponent(query.copy)}`),
    [api, model, query.copy],
  );
  const begin = record ?? copied.value;
  const textIn = (field: FieldFacts, from: Shown | undefined) =>
    textOf(field, writableLines(from?.[field.name], facts.models[field.lines ?? ''], id === undefined));
  useEffect(() => {
    setTexts(Object.fromEntries(fields.map((field) => [field.name, textIn(field, begin)])));
  }, [begin, fields]);
  const changed = writable.filter((field) => (texts[field.name] ?? '') !== textIn(field, record));
  const run = async (action: () => Promise<void>) => {
    try {
      setMarks([]);
      await action();
    } catch (error) {
      if (error instanceof ApiError && error.violations.length > 0) setMarks(error.violations);
      fail(error);
    }
  };
  const undo = useUndo();
  const isEdited = useRef(false);
  isEdited.current = changed.length > 0;
  // A write elsewhere must not remove what the reader has entered.
  const refresh = useCallback(() => {
    if (!isEdited.current) reload();
  }, [reload]);
  useWrites(api, refresh);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (marks.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [marks]);
  const save = () =>
    run(async () => {
      const values = Object.fromEntries(
        changed.map((field) => [field.name, readText(field, texts[field.name] ?? '')]),
      );
      const saved =
        id === undefined
          ? await api.post<Shown>(`/records/${model}`, values)
          : await api.patch<Shown>(`/records/${model}/${id}`, values);
      say(`${model} ${saved.id} is ${id === undefined ? 'created' : 'saved'}.`, { title: 'Undo', run: undo });
      // Back must not lead to the form, which would create the record again.
      if (id === undefined) replace(['records', model, saved.id]);
      else reload();
    });
  const remove = () =>
    run(async () => {
      await api.delete(`/records/${model}/${id}`);
      say(`${model} ${id} is deleted.`, {
        title: 'Undo',
        run: async () => {
          await undo();
          go(['records', model, id ?? '']);
        },
      });
      go(['records', model]);
    });
  const fill = () =>
    run(async () => {
      const { values } = await api.get<{ values: Readonly<Record<string, unknown>> }>(`/samples/${model}`);
      setTexts({
        ...texts,
        ...Object.fromEntries(writable.map((field) => [field.name, textOf(field, values[field.name])])),
      });
    });
  useCommands(
    [
      { title: `Save this ${model}`, group: 'Records', run: save },
      ...(id === undefined ? [] : [{ title: `Delete this ${model}`, group: 'Records', run: remove }]),
    ],
    [api, texts, record],
  );
  const isMissing = error instanceof ApiError && error.status === 404;
  const fixture = () => `${JSON.stringify({ [model]: [record] }, null, 2)}\n`;
  if (id !== undefined && !record && !error) return <p class="soft">Loading…</p>;
  return (
    <div class="record-page">
      <div class="tools">
        <a href={href(['records', model])}>{model}</a>
        <h2>{id === undefined ? `New ${model}` : visible(`${model} ${id} ${titleOf(record)}`.trim())}</h2>
        {record?.deleted === true && <span class="badge fail">deleted</span>}
      </div>
      {[error, copied.error].map(
        (one) =>
          one && (
            <p key={one.message} class="notice bad">
              {visible(one.message)}
            </p>
          ),
      )}
      <form
        ref={form}
        hidden={isMissing}
        class="card"
        aria-label={id === undefined ? `New ${model}` : `${model} ${id}`}
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <div class="fields">
          {writable.map((field) => (
            <FieldInput
              key={field.name}
              field={field}
              text={texts[field.name] ?? ''}
              marks={marksOf(field, marks)}
              change={(text) => setTexts({ ...texts, [field.name]: text })}
            />
          ))}
        </div>
        <Rest fields={writable} marks={marks} />
        <p class="tools end">
          {id === undefined && (
            <button type="button" class="plain" onClick={fill}>
              Fill with generated values
            </button>
          )}
          {id !== undefined && (
            <>
              <a class="plain" href={href(['records', model, 'new'], { copy: id })}>
                Duplicate
              </a>
              <button type="button" class="plain danger" onClick={remove}>
                Delete
              </button>
            </>
          )}
          <button type="submit" class="primary" disabled={id !== undefined && changed.length === 0}>
            {id === undefined ? 'Create' : 'Save'}
          </button>
        </p>
      </form>
      {record && !isMissing && (
        <>
          <section class="card" aria-labelledby="readonly">
            <h2 id="readonly">Readonly fields</h2>
            <dl class="facts">
              {fields
                .filter((field) => field.readonly)
                .map((field) => (
                  <div key={field.name}>
                    <dt>{field.name}</dt>
                    <dd>{visible(labelOf(field, record[field.name])) || '–'}</dd>
                  </div>
                ))}
            </dl>
          </section>
          <Linked model={model} record={record} fields={fields} />
          <section class="card" aria-labelledby="json">
            <div class="tools">
              <h2 id="json">JSON</h2>
              <CopyButton text={() => `${JSON.stringify(record, null, 2)}\n`} />
              <CopyButton text={fixture}>Copy as fixture</CopyButton>
            </div>
            <Json value={record} />
          </section>
        </>
      )}
    </div>
  );
}

function marksOf({ name }: FieldFacts, marks: readonly Mark[]): FieldMark[] {
  return marks
    .filter(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))
    .map(({ message, pointer }) => ({ at: pointer.slice(name.length + 1), message }));
}

/** The violations that are not about an input. */
function Rest({ fields, marks }: { fields: readonly FieldFacts[]; marks: readonly Mark[] }) {
  const left = marks.filter((mark) => fields.every((field) => marksOf(field, [mark]).length === 0));
  if (left.length === 0) return null;
  return (
    <ul class="violations">
      {left.map(({ message, pointer }) => (
        <li key={pointer}>{visible(`${pointer} ${message}`)}</li>
      ))}
    </ul>
  );
}

/** The records that this one refers to, and those that refer to it. */
function Linked({ model, record, fields }: { model: string; record: Shown; fields: readonly FieldFacts[] }) {
  const { api, facts } = useConsole();
  const { value, error } = useLoad(
    async () => (await api.get<{ links: Links }>(`/records/${model}/${record.id}/links`)).links,
    [api, model, record],
  );
  const own = fields.flatMap((field) => {
    const linked = field.link?.model;
    const ids = [record[field.name]].flat().filter((id): id is number => typeof id === 'number');
    return linked === undefined || !Object.hasOwn(facts.models, linked)
      ? []
      : ids.map((id) => ({ field, linked, id }));
  });
  return (
    <section class="card" aria-labelledby="links">
      <h2 id="links">Links</h2>
      {error && <p class="notice bad">{error.message}</p>}
      <ul class="links">
        {own.map(({ field, linked, id }) => (
          <li key={`${field.name} ${id}`}>
            {field.name}:{' '}
            <a href={href(['records', linked, id])}>
              {linked} {id}
            </a>
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
