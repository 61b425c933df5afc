import { useState } from 'preact/hooks';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { visible } from '../../../ui/text.ts';
import { choicesOf, kindOf, readText } from './values.ts';

/** A condition of the control API on the records of a list. */
export type Filter = { readonly field: string; readonly operator: string; readonly value: unknown };

const SIGNS: Readonly<Record<string, string>> = {
  equal: '=',
  contains: 'contains',
  gte: '≥',
  lte: '≤',
  has: 'has',
  null: 'is unset',
};

/** Returns the operators that fit a field. */
function operatorsOf(field: FieldFacts): readonly string[] {
  switch (kindOf(field)) {
    case 'ids':
      return ['has', 'null'];
    case 'choice':
      return ['equal', 'null'];
    case 'json':
      return ['null'];
    case 'number':
    case 'date':
      return ['equal', 'gte', 'lte', 'null'];
    default:
      return field.type === 'datetime' || field.type === 'time' || field.type === 'duration'
        ? ['equal', 'gte', 'lte', 'null']
        : ['contains', 'equal', 'null'];
  }
}

/** The conditions of a table, with a form for another one. */
export function Filters({
  fields,
  filters,
  change,
}: {
  fields: readonly FieldFacts[];
  filters: readonly Filter[];
  change: (filters: readonly Filter[]) => void;
}) {
  const [name, setName] = useState('');
  const [operator, setOperator] = useState('');
  const [text, setText] = useState('');
  const field = fields.find((one) => one.name === name);
  const operators = field ? operatorsOf(field) : [];
  const chosen = operators.includes(operator) ? operator : (operators[0] ?? '');
  const add = (event: Event) => {
    event.preventDefault();
    if (!field) return;
    const value = chosen === 'null' ? true : chosen === 'contains' ? text : valueOfText(field, chosen, text);
    change([...filters, { field: name, operator: chosen, value }]);
    setText('');
  };
  return (
    <>
      <form class="tools" onSubmit={add}>
        <select
          aria-label="Filter by field"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        >
          <option value="">Filter by field</option>
          {fields.map((one) => (
            <option key={one.name} value={one.name}>
              {one.name}
            </option>
          ))}
        </select>
        {field && (
          <>
            <select
              aria-label="Condition"
              value={chosen}
              onChange={({ currentTarget }) => setOperator(currentTarget.value)}
            >
              {operators.map((one) => (
                <option key={one} value={one}>
                  {SIGNS[one]}
                </option>
              ))}
            </select>
            {chosen !== 'null' && <FilterValue field={field} value={text} change={setText} />}
            <button type="submit" class="plain">
              Filter
            </button>
          </>
        )}
      </form>
      {filters.map((filter, index) => (
        <button
          key={`${filter.field} ${filter.operator} ${String(filter.value)}`}
          type="button"
          class="chip advice"
          aria-label={`Remove the filter ${filter.field} ${SIGNS[filter.operator] ?? filter.operator} ${String(filter.value)}`}
          onClick={() => change(filters.filter((_, at) => at !== index))}
        >
          {visible(
            `${filter.field} ${SIGNS[filter.operator] ?? filter.operator}${filter.operator === 'null' ? '' : ` ${String(filter.value)}`}`,
          )}{' '}
          ✕
        </button>
      ))}
    </>
  );
}

function FilterValue({
  field,
  value,
  change,
}: {
  field: FieldFacts;
  value: string;
  change: (value: string) => void;
}) {
  const choices = choicesOf(field);
  if (choices.length > 0)
    return (
      <select
        aria-label="Value"
        required
        value={value}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      >
        <option value="">value</option>
        {choices.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    );
  return (
    <input
      aria-label="Value"
      placeholder={field.type === 'date' ? 'YYYY-MM-DD' : 'value'}
      required
      type="text"
      value={value}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}

function valueOfText(field: FieldFacts, operator: string, text: string): unknown {
  return operator === 'has' && !Number.isNaN(Number(text)) ? Number(text) : readText(field, text);
}
