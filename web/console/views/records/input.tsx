import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { choicesOf, kindOf } from './values.ts';

/** A message about a field, or about a member of its value at a JSON pointer. */
export type FieldMark = { readonly at: string; readonly message: string };

export type InputProps = {
  readonly id: string;
  readonly field: FieldFacts;
  readonly text: string;
  readonly isWrong: boolean;
  /** The name of the input, if no label has it. */
  readonly label?: string;
  /** The height of a text of several lines. */
  readonly rows?: number;
  readonly change: (text: string) => void;
};

/** The input that fits the type of a field. */
export function Input({ change, field, id, isWrong, label, rows, text }: InputProps) {
  const shared = {
    id,
    'aria-invalid': isWrong,
    ...(isWrong && { 'aria-describedby': `${id}-marks` }),
    ...(label !== undefined && { 'aria-label': label }),
  };
  switch (kindOf(field)) {
    case 'choice':
      return (
        <select {...shared} value={text} onChange={({ currentTarget }) => change(currentTarget.value)}>
          <option value="">unset</option>
          {choicesOf(field).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      );
    case 'area':
    case 'json':
      return (
        <textarea
          {...shared}
          rows={rows ?? (field.type === 'lines' ? 8 : 3)}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      );
    case 'date':
      return (
        <input
          {...shared}
          type="date"
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      );
    default:
      return (
        <input
          {...shared}
          type="text"
          inputMode={kindOf(field) === 'number' ? 'decimal' : 'text'}
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      );
  }
}
