import { useState } from 'preact/hooks';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { Input, type InputProps } from '../../../ui/input.tsx';
import { Button, Table } from '../../../ui/parts.tsx';
import { readJson } from '../../../ui/text.ts';
import { useConsole } from '../../app/context.ts';
import { Field } from '../../app/form.tsx';
import { choicesOf, kindOf, readText, textOf } from './values.ts';

export type ValueInputProps = InputProps & { readonly field: FieldFacts };

/** The input that fits the type of a field. */
export function ValueInput({ field, ...input }: ValueInputProps) {
  const kind = kindOf(field);
  if (kind === 'days') return <Days {...input} />;
  if (kind === 'duration') return <Duration {...input} />;
  const { rows = field.type === 'lines' ? 8 : 3, ...others } = input;
  if (kind === 'area' || kind === 'json') return <Input {...others} rows={rows} kind="area" />;
  if (kind === 'choice') return <Input {...others} options={[['', 'unset'], ...choicesOf(field)]} />;
  if (kind === 'number') return <Input {...others} inputMode="decimal" />;
  return <Input {...others} {...(kind === 'time' && { step: 1 })} kind={kind === 'ids' ? 'text' : kind} />;
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
        <Button
          key={title}
          title={title}
          kind={`chip ${days.has(index + 1) ? 'advice' : 'skip'}`}
          isOn={days.has(index + 1)}
          run={() => toggle(index + 1)}
        />
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

type Line = Readonly<Record<string, unknown>>;

/** The lines of a record, such as those of an invoice, as a table with one input per field. */
export function LinesInput(input: ValueInputProps) {
  const { facts } = useConsole();
  const { change, field, id, value: text } = input;
  const model = field.lines ?? '';
  const fields = Object.hasOwn(facts.models, model)
    ? (facts.models[model]?.fields ?? []).filter((one) => !one.readonly)
    : [];
  const lines = readLines(text);
  // Lines that are given as IDs are no table.
  if (lines === undefined || fields.length === 0) return <ValueInput {...input} />;
  const titles = [...fields.map(({ name, required }) => (required ? `${name} *` : name)), 'Actions'];
  const write = (next: readonly Line[]) => change(textOf(field, next));
  return (
    <>
      <Table label={field.name} id={id} class="lines" titles={titles}>
        {lines.map((line, index) => (
          <tr key={index}>
            {fields.map((one) => (
              <td key={one.name}>
                <LineCell
                  field={one}
                  label={`${one.name} of line ${index + 1}`}
                  value={line[one.name]}
                  name={`${field.name}/${index}/${one.name}`}
                  change={(value) => write(lines.with(index, withValue(line, one.name, value)))}
                />
              </td>
            ))}
            <td>
              <Button
                title="Remove"
                name={`Remove line ${index + 1}`}
                kind="plain danger"
                run={() => write(lines.toSpliced(index, 1))}
              />
            </td>
          </tr>
        ))}
      </Table>
      <p class="tools">
        <Button title="Add line" run={() => write([...lines, {}])} />
      </p>
    </>
  );
}

type LineCellProps = {
  readonly field: FieldFacts;
  readonly label: string;
  /** The name of the value in a message of the mock. */
  readonly name: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
};

/** The input keeps its own text, because a text such as `1.` is not yet the text of its value. */
function LineCell({ field, label, name, value, change }: LineCellProps) {
  const [own, setOwn] = useState(textOf(field, value));
  const isOwn = JSON.stringify(readText(field, own)) === JSON.stringify(value ?? null);
  return (
    <Field
      label={label}
      isBare
      name={name}
      value={isOwn ? own : textOf(field, value)}
      rows={kindOf(field) === 'area' ? 1 : 3}
      draw={(input) => <ValueInput field={field} {...input} />}
      change={(text) => {
        setOwn(text);
        change(readText(field, text));
      }}
    />
  );
}

/** Returns the lines; undefined if the text is not a list of objects. */
function readLines(text: string): readonly Line[] | undefined {
  if (text === '') return [];
  const found = readJson(text);
  const isList =
    Array.isArray(found) &&
    found.every((line) => typeof line === 'object' && line !== null && !Array.isArray(line));
  return isList ? found : undefined;
}

/** Returns the line with another value. A line without a value does not have the field. */
function withValue(line: Line, name: string, value: unknown): Line {
  const { [name]: _, ...others } = line;
  return value === null ? others : { ...line, [name]: value };
}
