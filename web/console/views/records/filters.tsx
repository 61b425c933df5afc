import type { RecordFilter } from '../../../../mock/control/records/records-api.ts';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { Input, useText } from '../../../ui/input.tsx';
import { Button } from '../../../ui/parts.tsx';
import { visible } from '../../../ui/text.ts';
import { ValueInput } from './value-input.tsx';
import { type Kind, kindOf, numberOf, readText } from './values.ts';

type Operator = RecordFilter['operator'];

const SIGNS: Readonly<Partial<Record<Operator, string>>> = {
  equal: '=',
  gte: '≥',
  lte: '≤',
  null: 'is unset',
};

const ORDERED = ['equal', 'gte', 'lte', 'null'] as const;
/** The operators that fit the kinds of fields. Others have those of a text. */
const OPERATORS: Readonly<Partial<Record<Kind, readonly Operator[]>>> = {
  ids: ['has', 'null'],
  choice: ['equal', 'null'],
  json: ['null'],
  days: ['null'],
  number: ORDERED,
  date: ORDERED,
  time: ORDERED,
  duration: ORDERED,
};

function operatorsOf(field: FieldFacts): readonly Operator[] {
  if (field.type === 'datetime') return ['gte', 'lte', 'equal', 'null'];
  return OPERATORS[kindOf(field)] ?? ['contains', 'equal', 'null'];
}

function describe({ field, operator, value }: RecordFilter): string {
  return `${field} ${SIGNS[operator] ?? operator}${operator === 'null' ? '' : ` ${String(value)}`}`;
}

type FiltersProps = {
  readonly fields: readonly FieldFacts[];
  readonly filters: readonly RecordFilter[];
  readonly change: (filters: readonly RecordFilter[]) => void;
};

/** The conditions of a table, with a form for another one. */
export function Filters({ fields, filters, change }: FiltersProps) {
  const name = useText();
  const condition = useText();
  const text = useText();
  const field = fields.find((one) => one.name === name.value);
  const operators = field ? operatorsOf(field) : [];
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

function filterValue(field: FieldFacts, operator: Operator, text: string): unknown {
  if (operator === 'null') return true;
  if (operator === 'has') return numberOf(text);
  return operator === 'contains' ? text : readText(field, text);
}
