import { useState } from 'preact/hooks';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { Button, Table } from '../../../ui/parts.tsx';
import { readJson } from '../../../ui/text.ts';
import { useConsole } from '../../app/context.ts';
import { Field } from '../../app/form.tsx';
import { ValueInput, type ValueInputProps } from './value-input.tsx';
import { kindOf, readText, textOf } from './values.ts';

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
