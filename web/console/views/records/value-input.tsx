import { useState } from 'preact/hooks';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { Input, type InputProps } from '../../../ui/input.tsx';
import { choicesOf, kindOf } from './values.ts';

export type ValueInputProps = InputProps & { readonly field: FieldFacts };

/** The input that fits the type of a field. */
export function ValueInput({ field, ...input }: ValueInputProps) {
  switch (kindOf(field)) {
    case 'choice':
      return <Input {...input} options={[['', 'unset'], ...choicesOf(field)]} />;
    case 'area':
    case 'json':
      return <Input rows={field.type === 'lines' ? 8 : 3} {...input} kind="area" />;
    case 'date':
      return <Input {...input} kind="date" />;
    case 'time':
      return <Input {...input} kind="time" step={1} />;
    case 'number':
      return <Input {...input} inputMode="decimal" />;
    case 'days':
      return <Days {...input} />;
    case 'duration':
      return <Duration {...input} />;
    default:
      return <Input {...input} />;
  }
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The days of the week, each with a button that adds or removes it. The text is a JSON list of 1 (Monday) to 7. */
function Days({ change, id, value }: InputProps) {
  const days = new Set((value.match(/[1-7]/g) ?? []).map(Number));
  const toggle = (day: number) => {
    const next = days.symmetricDifference(new Set([day]));
    change(next.size === 0 && value === '' ? '' : JSON.stringify([...next].toSorted()));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the label of the field names the group
    <span class="tools" role="group" aria-label="Days of the week" id={id}>
      {DAYS.map((title, index) => (
        <button
          key={title}
          type="button"
          class="chip day"
          aria-pressed={days.has(index + 1)}
          onClick={() => toggle(index + 1)}
        >
          {title}
        </button>
      ))}
    </span>
  );
}

/** The units of a duration (ISO 8601): before the number, after it, and in words. */
const UNITS = [
  ['P', 'D', 'days'],
  ['P', 'W', 'weeks'],
  ['P', 'M', 'months'],
  ['P', 'Y', 'years'],
  ['PT', 'H', 'hours'],
  ['PT', 'M', 'minutes'],
  ['PT', 'S', 'seconds'],
] as const;

/** A number with a unit. A duration of several units is text, such as `P1DT12H`. */
function Duration({ change, value, ...input }: InputProps) {
  const [, start = 'P', number = '', end = 'D'] = /^(PT?)(\d+)([DWMYHS])$/.exec(value) ?? [];
  const known = UNITS.findIndex(([before, after]) => before === start && after === end);
  const [chosen, setChosen] = useState(Math.max(0, known));
  const unit = value === '' ? chosen : known;
  if (value !== '' && number === '') return <Input {...input} value={value} change={change} />;
  const write = (amount: string, at: number) => {
    const [before, after] = UNITS[at] ?? UNITS[0];
    setChosen(at);
    change(amount === '' ? '' : `${before}${amount}${after}`);
  };
  return (
    <span class="pair-of-inputs">
      <Input {...input} kind="number" min={0} value={number} change={(text) => write(text, unit)} />
      <Input
        label="Unit"
        value={String(unit)}
        options={UNITS.map(([, , title], index) => [String(index), title])}
        change={(text) => write(number, Number(text))}
      />
    </span>
  );
}
