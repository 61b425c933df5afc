import { useState } from 'preact/hooks';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { Input } from '../../../ui/input.tsx';
import { Button } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.ts';
import { ValueInput } from './value-input.tsx';
import { type Kind, kindOf, readText } from './values.ts';

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

/** The operators that fit the kinds of fields. Others have those of a text. */
const OPERATORS: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  ids: ['has', 'null'],
  choice: ['equal', 'null'],
  json: ['null'],
  days: ['null'],
  number: ['equal', 'gte', 'lte', 'null'],
  date: ['equal', 'gte', 'lte', 'null'],
  time: ['equal', 'gte', 'lte', 'null'],
  duration: ['equal', 'gte', 'lte', 'null'],
};

function operatorsOf(field: FieldFacts): readonly string[] {
  if (field.type === 'datetime') return ['gte', 'lte', 'equal', 'null'];
  return OPERATORS[kindOf(field)] ?? ['contains', 'equal', 'null'];
}

function describe({ field, operator, value }: Filter): string {
  return `${field} ${SIGNS[operator] ?? operator}${operator === 'null' ? '' : ` ${String(value)}`}`;
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
        <Input
          label="Filter by field"
          value={name}
          options={[['', 'Filter by field'], ...fields.map((one) => [one.name, one.name] as const)]}
          change={setName}
        />
        {field && (
          <>
            <Input
              label="Condition"
              value={chosen}
              options={operators.map((one) => [one, SIGNS[one] ?? one])}
              change={setOperator}
            />
            {chosen !== 'null' && (
              <ValueInput field={field} label="Value" required value={text} change={setText} />
            )}
            <Button title="Filter" />
          </>
        )}
      </form>
      {filters.map((filter, index) => (
        <button
          key={describe(filter)}
          type="button"
          class="chip advice"
          aria-label={`Remove the filter ${describe(filter)}`}
          onClick={() => change(filters.filter((_, at) => at !== index))}
        >
          {visible(describe(filter))} ✕
        </button>
      ))}
    </>
  );
}

function valueOfText(field: FieldFacts, operator: string, text: string): unknown {
  return operator === 'has' && !Number.isNaN(Number(text)) ? Number(text) : readText(field, text);
}
