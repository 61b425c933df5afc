import { useState } from 'preact/hooks';
import type { RecordFilter } from '../../../../mock/control/records/records-api.ts';
import type { FieldFacts, ModelFacts } from '../../../../spec/meta/meta.ts';
import { recall, remember } from '../../../ui/browser.ts';
import { Check, Input, useText } from '../../../ui/input.tsx';
import { Button, Dialog, Table } from '../../../ui/parts.tsx';
import { countOf, readJson, visible } from '../../../ui/text.ts';
import { Action } from '../../app/action.tsx';
import type { QueryValues } from '../../app/api.ts';
import { useConsole, useGet } from '../../app/context.ts';
import { go, href, setQuery, useRoute } from '../../app/route.ts';
import { linksOf, type Page, RecordLink, useNames } from './links.tsx';
import { ValueInput } from './value-input.tsx';
import { type InputKind, kindOf, labelOf, numberOf, readText, type Shown } from './values.ts';

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
  // The ID first, then the fields of the model, then the common ones.
  const rankOf = ({ name, section }: FieldFacts) => (name === 'id' ? 0 : section === '2.0' ? 2 : 1);
  const columns = fields.toSorted((one, other) => rankOf(one) - rankOf(other));
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
        <Button
          title="Previous page"
          disabled={page <= 1}
          run={() => setQuery({ page: Math.min(page - 1, pages) })}
        />
        <span>
          Page {page.toLocaleString('en')} of {pages.toLocaleString('en')}
        </span>
        <Button title="Next page" disabled={page >= pages} run={() => setQuery({ page: page + 1 })} />
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
function select(query: QueryValues): void {
  setQuery({ ...query, page: undefined });
}

type Operator = RecordFilter['operator'];

const SIGNS: Readonly<Partial<Record<Operator, string>>> = {
  equal: '=',
  gte: '≥',
  lte: '≤',
  null: 'is unset',
};

const ORDERED = ['equal', 'gte', 'lte', 'null'] as const;
/** The operators that fit the kinds of fields. Others have those of a text. */
const OPERATORS: Readonly<Partial<Record<InputKind, readonly Operator[]>>> = {
  ids: ['has', 'null'],
  choice: ['equal', 'null'],
  json: ['null'],
  days: ['null'],
  number: ORDERED,
  date: ORDERED,
  time: ORDERED,
  duration: ORDERED,
};

function describe({ field, operator, value }: RecordFilter): string {
  return `${field} ${SIGNS[operator] ?? operator}${operator === 'null' ? '' : ` ${String(value)}`}`;
}

type FiltersProps = {
  readonly fields: readonly FieldFacts[];
  readonly filters: readonly RecordFilter[];
  readonly change: (filters: readonly RecordFilter[]) => void;
};

/** The conditions of a table, with a form for another one. */
function Filters({ fields, filters, change }: FiltersProps) {
  const name = useText();
  const condition = useText();
  const text = useText();
  const field = fields.find((one) => one.name === name.value);
  const isTime = field?.type === 'datetime';
  const operators: readonly Operator[] = isTime
    ? ['gte', 'lte', 'equal', 'null']
    : ((field && OPERATORS[kindOf(field)]) ?? ['contains', 'equal', 'null']);
  const operator = operators.find((one) => one === condition.value) ?? operators[0] ?? 'equal';
  const add = (event: Event) => {
    event.preventDefault();
    if (!field) return;
    change([...filters, { field: field.name, operator, value: filterValue(field, operator, text.value) }]);
    text.change('');
  };
  return (
    <>
      <form class="tools" onSubmit={add}>
        <Input
          label="Filter by field"
          options={[['', 'Filter by field'], ...fields.map((one) => [one.name, one.name] as const)]}
          {...name}
        />
        {field && (
          <>
            <Input
              label="Condition"
              options={operators.map((one) => [one, SIGNS[one] ?? one])}
              {...condition}
              value={operator}
            />
            {operator !== 'null' && <ValueInput field={field} label="Value" required {...text} />}
            <Button title="Filter" />
          </>
        )}
      </form>
      {filters.map((filter, index) => (
        <Button
          key={describe(filter)}
          title={`${visible(describe(filter))} ✕`}
          name={`Remove the filter ${describe(filter)}`}
          kind="chip advice"
          run={() => change(filters.toSpliced(index, 1))}
        />
      ))}
    </>
  );
}

function filterValue(field: FieldFacts, operator: Operator, text: string): unknown {
  if (operator === 'null') return true;
  if (operator === 'has') return numberOf(text);
  return operator === 'contains' ? text : readText(field, text);
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

function readFilters(text = '[]'): readonly RecordFilter[] {
  const found = readJson(text);
  const isFilter = (one: unknown): one is RecordFilter =>
    ['field', 'operator'].every((name) => typeof Object(one)[name] === 'string');
  return Array.isArray(found) ? found.filter(isFilter) : [];
}
