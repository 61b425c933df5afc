import { useState } from 'preact/hooks';
import type { FieldFacts, ModelFacts } from '../../../../spec/meta/meta.ts';
import { countOf, visible } from '../../../ui/text.ts';
import { useCommands, useConsole, useLoad } from '../../app/context.ts';
import { go, href, setQuery, useRoute } from '../../app/route.ts';
import { useUndo, useWrites } from '../../app/writes.ts';
import { type Filter, Filters } from './filters.tsx';
import { labelOf, type Shown } from './values.ts';

/** Records per page. */
const PAGE = 50;
const MADE = 50;
/** Maximum number of characters of a value in the table. */
const LONGEST = 60;

/** The records of a model: sorted, filtered, and paged by the mock. */
export function RecordTable({ model }: { model: string }) {
  const { api, facts, fail, say } = useConsole();
  const { query } = useRoute();
  const { fields } = facts.models[model] as ModelFacts;
  const { deleted, sort = '' } = query;
  const page = Math.max(1, Number(query.page ?? 1) || 1);
  const filters = readFilters(query.filters);
  const { value, error, reload } = useLoad(
    () =>
      api.get<{ records: readonly Shown[]; total: number }>(`/records/${model}`, {
        offset: (page - 1) * PAGE,
        limit: PAGE,
        sort: sort || undefined,
        filters: filters.length > 0 ? JSON.stringify(filters) : undefined,
        deleted: deleted === undefined ? undefined : true,
      }),
    [api, model, page, sort, query.filters, deleted],
  );
  const [isMaking, setIsMaking] = useState(false);
  const make = async () => {
    setIsMaking(true);
    try {
      const { ids } = await api.post<{ ids: readonly number[] }>('/generate', { model, count: MADE });
      say(`${countOf(ids.length, 'record')} created.`, { title: 'Undo', run: undo });
    } catch (error) {
      fail(error);
    }
    setIsMaking(false);
    reload();
  };
  const undo = useUndo();
  useWrites(api, reload);
  useCommands(
    [
      { title: `New ${model}`, group: 'Records', run: () => go(['records', model, 'new']) },
      { title: `Make ${MADE} ${model} records`, group: 'Records', run: make },
      { title: 'Undo the last write', group: 'Records', run: undo },
    ],
    [api, model, reload],
  );
  const columns = columnsOf(fields);
  const total = value?.total ?? 0;
  const pages = Math.max(1, Math.ceil(total / PAGE));
  return (
    <div>
      <div class="tools">
        <a href={href(['records'])}>All models</a>
        <h2>{model}</h2>
        <a href={href(['contract', model])}>Contract</a>
      </div>
      <div class="filters">
        <a class="primary" href={href(['records', model, 'new'])}>
          New record
        </a>
        <button type="button" class="plain" disabled={isMaking} onClick={make}>
          Make {MADE}
        </button>
        <button type="button" class="plain" onClick={undo}>
          Undo
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={deleted !== undefined}
            onChange={({ currentTarget }) =>
              setQuery({ deleted: currentTarget.checked ? 1 : undefined, page: undefined })
            }
          />
          Show deleted records
        </label>
        <Filters
          fields={fields}
          filters={filters}
          change={(next) => setQuery({ filters: writeFilters(next), page: undefined })}
        />
      </div>
      {error && <p class="notice bad">{error.message}</p>}
      <p class="tools count" role="status">
        <span>{value ? countOf(total, 'record') : !error && 'Loading…'}</span>
        <Pages page={page} pages={pages} />
      </p>
      <div class="table records-table">
        <table aria-label={`Records of ${model}`}>
          <thead>
            <tr>
              {columns.map((field) => (
                <ColumnHead key={field.name} field={field} sort={sort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {(value?.records ?? []).map((record) => (
              <tr key={record.id} class={record.deleted === true ? 'deleted' : ''}>
                {columns.map((field) => (
                  <Cell key={field.name} model={model} field={field} record={record} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {value && total > 0 && page > pages && (
          <p class="soft empty">This page has no records. Go to the previous page.</p>
        )}
        {value && total === 0 && (
          <p class="soft empty">
            {filters.length > 0
              ? 'No record meets these filters.'
              : `There are no records. Make ${MADE}, or create one.`}
          </p>
        )}
      </div>
    </div>
  );
}

/** The ID first, then the fields of the model, then the common ones. */
function columnsOf(fields: readonly FieldFacts[]): FieldFacts[] {
  const rank = ({ name, section }: FieldFacts) => (name === 'id' ? 0 : section === '2.0' ? 2 : 1);
  return fields.toSorted((one, other) => rank(one) - rank(other));
}

function ColumnHead({ field, sort }: { field: FieldFacts; sort: string }) {
  const { name, type } = field;
  const isSorted = sort === name || sort === `-${name}`;
  const next = sort === name ? `-${name}` : sort === `-${name}` ? undefined : name;
  const canSort = !['lines', 'manyToMany', 'daysOfWeek'].includes(type);
  const order = sort === name ? 'ascending' : 'descending';
  return (
    <th scope="col" class={isNumber(field) ? 'number' : ''} {...(isSorted && { 'aria-sort': order })}>
      {canSort ? (
        <button type="button" class="sort" onClick={() => setQuery({ sort: next, page: undefined })}>
          {name} <span aria-hidden="true">{sort === name ? '▲' : sort === `-${name}` ? '▼' : ''}</span>
        </button>
      ) : (
        name
      )}
    </th>
  );
}

const NUMBERS = ['int', 'float', 'currency', 'percent'];

/** Whether the column shows numbers. A link shows the name of its model, too. */
function isNumber({ link, type, values }: FieldFacts): boolean {
  return NUMBERS.includes(type) && link === undefined && values === undefined;
}

function Cell({ model, field, record }: { model: string; field: FieldFacts; record: Shown }) {
  const { facts } = useConsole();
  const value = record[field.name];
  const text = visible(labelOf(field, value));
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  if (field.name === 'id')
    return (
      <td class="number">
        <a href={href(['records', model, record.id])}>{record.id}</a>
      </td>
    );
  const linked = field.link?.model;
  if (linked !== undefined && typeof value === 'number' && Object.hasOwn(facts.models, linked))
    return (
      <td>
        <a href={href(['records', linked, value])} title={linked}>
          {linked} {value}
        </a>
      </td>
    );
  return (
    <td class={isNumber(field) ? 'number' : ''} title={short === text ? undefined : text.slice(0, 1000)}>
      {short}
    </td>
  );
}

function Pages({ page, pages }: { page: number; pages: number }) {
  return (
    <span class="tools">
      <button
        type="button"
        class="plain"
        disabled={page <= 1}
        onClick={() => setQuery({ page: Math.min(page - 1, pages) })}
      >
        Previous page
      </button>
      Page {page.toLocaleString('en')} of {pages.toLocaleString('en')}
      <button
        type="button"
        class="plain"
        disabled={page >= pages}
        onClick={() => setQuery({ page: page + 1 })}
      >
        Next page
      </button>
    </span>
  );
}

function readFilters(text: string | undefined): readonly Filter[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(found) ? found.filter(isFilter) : [];
  } catch {
    return [];
  }
}

function isFilter(found: unknown): found is Filter {
  return (
    typeof found === 'object' &&
    found !== null &&
    'field' in found &&
    typeof found.field === 'string' &&
    'operator' in found &&
    typeof found.operator === 'string'
  );
}

function writeFilters(filters: readonly Filter[]): string | undefined {
  return filters.length === 0 ? undefined : JSON.stringify(filters);
}
