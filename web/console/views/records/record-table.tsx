import { useState } from 'preact/hooks';
import type { RecordFilter } from '../../../../mock/control/records/records-api.ts';
import type { FieldFacts, ModelFacts } from '../../../../spec/meta/meta.ts';
import { recall, remember } from '../../../ui/browser.ts';
import { Check, Input } from '../../../ui/input.tsx';
import { Button, Dialog, Table } from '../../../ui/parts.tsx';
import { countOf, readJson, visible } from '../../../ui/text.ts';
import { Action } from '../../app/action.tsx';
import type { Values } from '../../app/api.ts';
import { useConsole, useGet } from '../../app/context.ts';
import { go, href, setQuery, useRoute } from '../../app/route.ts';
import { Filters } from './filters.tsx';
import { linksOf, type Page, RecordLink, useNames } from './links.tsx';
import { kindOf, labelOf, type Shown } from './values.ts';

/** Records per page. */
const PAGE = 50;
const MADE = 50;
/** Maximum number of characters of a value in the table. */
const LONGEST = 60;

/** The records of a model: sorted, filtered, and paged by the mock. */
export function RecordTable({ model }: { model: string }) {
  const { api, facts, run, say } = useConsole();
  const { query } = useRoute();
  const { fields } = facts.models[model] as ModelFacts;
  const { deleted, search, sort = '' } = query;
  const page = Math.max(1, Number(query.page ?? 1) || 1);
  const filters = readFilters(query.filters);
  const { value, error } = useGet<Page>(`/records/${model}`, {
    offset: (page - 1) * PAGE,
    limit: PAGE,
    sort,
    search,
    filters: JSON.stringify(filters),
    deleted: deleted !== undefined,
  });
  const make = () =>
    run(async () => {
      const { ids } = await api.post<{ ids: readonly number[] }>('/generate', { model, count: MADE });
      say(`${countOf(ids.length, 'record')} created.`);
    });
  const key = `hidden columns of ${model}`;
  const [hidden, setHidden] = useState<readonly string[]>(() => recall(key)?.split(',') ?? []);
  const hide = (names: readonly string[]) => {
    setHidden(names);
    remember(key, names.join(','));
  };
  const columns = columnsOf(fields);
  const shown = columns.filter(({ name }) => name === 'id' || !hidden.includes(name));
  const nameOf = useNames((value?.records ?? []).flatMap((record) => linksOf(shown, record, facts.models)));
  const total = value?.total ?? 0;
  const pages = Math.max(1, Math.ceil(total / PAGE));
  const none =
    filters.length > 0 || search
      ? 'No record meets these filters.'
      : `There are no records. Make ${MADE}, or create one.`;
  const empty = total > 0 ? 'This page has no records. Go to the previous page.' : none;
  return (
    <div class="table-page">
      <div class="tools">
        <a href={href(['records'])}>All models</a>
        <h2>{model}</h2>
        <a href={href(['contract', model])}>Contract</a>
      </div>
      <search class="tools filters">
        <Action
          title="New record"
          name={`New ${model}`}
          kind="primary"
          to={href(['records', model, 'new'])}
        />
        <Input
          kind="search"
          label="Search in all texts"
          value={search ?? ''}
          change={(text) => select({ search: text })}
        />
        <Filters
          fields={fields}
          filters={filters}
          change={(next) => select({ filters: next.length === 0 ? undefined : JSON.stringify(next) })}
        />
        <Check checked={deleted !== undefined} change={(isOn) => select({ deleted: isOn ? 1 : undefined })}>
          Show deleted records
        </Check>
      </search>
      {error && <p class="notice fail">{error.message}</p>}
      <p class="tools soft count">
        <span role="status">{value ? countOf(total, 'record') : !error && 'Loading…'}</span>
        <Pages page={page} pages={pages} />
        <Columns columns={columns} hidden={hidden} change={hide} />
        <Action title={`Make ${MADE}`} name={`Make ${MADE} ${model} records`} run={make} />
      </p>
      <Table
        label={`Records of ${model}`}
        class="pinned records-table"
        titles={shown.map((field) => <ColumnHead key={field.name} field={field} sort={sort} />)}
        empty={value && value.records.length === 0 && empty}
      >
        {(value?.records ?? []).map((record) => (
          <tr
            key={record.id}
            class={record.deleted === true ? 'deleted' : ''}
            onClick={({ target }) => {
              // A click on a link opens its own record, and a selection of text none.
              if ((target as Element).closest('a') || String(getSelection()) !== '') return;
              go(['records', model, record.id]);
            }}
          >
            {shown.map((field) => (
              <Cell key={field.name} model={model} field={field} record={record} nameOf={nameOf} />
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}

/** Chooses among the records, and shows the first page. */
function select(query: Values): void {
  setQuery({ ...query, page: undefined });
}

type ColumnsProps = {
  readonly columns: readonly FieldFacts[];
  /** The names of the columns that the reader has hidden. */
  readonly hidden: readonly string[];
  readonly change: (hidden: readonly string[]) => void;
};

function Columns({ columns, hidden, change }: ColumnsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const names = columns.map(({ name }) => name).filter((name) => name !== 'id');
  const left = names.filter((name) => !hidden.includes(name)).length;
  return (
    <>
      <Action
        title={left === names.length ? 'Columns' : `Columns (${left} of ${names.length})`}
        run={() => setIsOpen(true)}
      />
      {isOpen && (
        <Dialog
          title="Columns"
          onClose={() => setIsOpen(false)}
          tools={
            <>
              <Action title="Show all" run={() => change([])} />
              <Action title="Hide all" run={() => change(names)} />
            </>
          }
        >
          <div class="columns">
            {names.map((name) => (
              <Check
                key={name}
                checked={!hidden.includes(name)}
                change={(isOn) => change(isOn ? hidden.filter((one) => one !== name) : [...hidden, name])}
              >
                {name}
              </Check>
            ))}
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The ID first, then the fields of the model, then the common ones. */
function columnsOf(fields: readonly FieldFacts[]): FieldFacts[] {
  const rank = ({ name, section }: FieldFacts) => (name === 'id' ? 0 : section === '2.0' ? 2 : 1);
  return fields.toSorted((one, other) => rank(one) - rank(other));
}

function ColumnHead({ field, sort }: { field: FieldFacts; sort: string }) {
  const { name, type } = field;
  const canSort = !['lines', 'manyToMany', 'daysOfWeek'].includes(type);
  const [order, sign, next] =
    sort === name
      ? (['ascending', '▲', `-${name}`] as const)
      : sort === `-${name}`
        ? (['descending', '▼', undefined] as const)
        : [undefined, '', name];
  return (
    <th scope="col" class={isNumber(field) ? 'number' : ''} aria-sort={order}>
      {canSort ? (
        <button type="button" class="link sort" onClick={() => select({ sort: next })}>
          {name} <span aria-hidden="true">{sign}</span>
        </button>
      ) : (
        name
      )}
    </th>
  );
}

/** Whether the column shows numbers. A link shows the name of its model, too. */
function isNumber(field: FieldFacts): boolean {
  return kindOf(field) === 'number' && field.link === undefined;
}

type CellProps = {
  readonly model: string;
  readonly field: FieldFacts;
  readonly record: Shown;
  readonly nameOf: ReturnType<typeof useNames>;
};

function Cell({ model, field, record, nameOf }: CellProps) {
  const { models } = useConsole().facts;
  if (field.name === 'id')
    return (
      <td class="number">
        <a href={href(['records', model, record.id])}>{record.id}</a>
      </td>
    );
  const links = linksOf([field], record, models);
  if (links.length > 0)
    return (
      <td>
        {links.map((link, index) => (
          <>
            {index > 0 && ', '}
            <RecordLink link={link} name={nameOf(link)} />
          </>
        ))}
      </td>
    );
  const text = visible(labelOf(field, record[field.name]));
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return (
    <td class={isNumber(field) ? 'number' : ''} title={short === text ? undefined : text.slice(0, 1000)}>
      {short}
    </td>
  );
}

function Pages({ page, pages }: { page: number; pages: number }) {
  return (
    <span class="tools">
      <Button
        title="Previous page"
        disabled={page <= 1}
        run={() => setQuery({ page: Math.min(page - 1, pages) })}
      />
      Page {page.toLocaleString('en')} of {pages.toLocaleString('en')}
      <Button title="Next page" disabled={page >= pages} run={() => setQuery({ page: page + 1 })} />
    </span>
  );
}

function readFilters(text = '[]'): readonly RecordFilter[] {
  const found = readJson(text);
  return Array.isArray(found) ? found.filter(isFilter) : [];
}

function isFilter(found: unknown): found is RecordFilter {
  const { field, operator } = Object(found);
  return typeof field === 'string' && typeof operator === 'string';
}
