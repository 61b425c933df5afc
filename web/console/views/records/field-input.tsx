import { useId } from 'preact/hooks';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { visible } from '../../../ui/text.ts';
import { href } from '../../app/route.ts';
import { choicesOf, kindOf } from './values.ts';

/** The input of a field, with its violations below it. */
export function FieldInput({
  field,
  text,
  marks,
  change,
}: {
  field: FieldFacts;
  text: string;
  marks: readonly string[];
  change: (text: string) => void;
}) {
  const id = useId();
  const { description, lines, link, name, required, type } = field;
  const isWide = ['area', 'json'].includes(kindOf(field));
  return (
    <div class={`form-row${isWide ? ' wide' : ''}${marks.length > 0 ? ' wrong' : ''}`}>
      <label for={id}>
        {name}
        {required && <span title="required"> *</span>}{' '}
        <span class="soft type">
          {lines === undefined ? type : `list of ${lines}`}
          {link !== undefined && ` of ${link.model}`}
        </span>
      </label>
      <Input id={id} field={field} text={text} isWrong={marks.length > 0} change={change} />
      {link !== undefined && /^\d+$/.test(text) && (
        <a class="soft" href={href(['records', link.model, text])}>
          Open {link.model} {text}
        </a>
      )}
      {description !== undefined && <span class="soft">{description}</span>}
      {marks.length > 0 && (
        <span id={`${id}-marks`} class="mark" role="alert">
          {marks.map(visible).join('; ')}
        </span>
      )}
    </div>
  );
}

function Input({
  id,
  field,
  text,
  isWrong,
  change,
}: {
  id: string;
  field: FieldFacts;
  text: string;
  isWrong: boolean;
  change: (text: string) => void;
}) {
  const shared = { id, 'aria-invalid': isWrong, ...(isWrong && { 'aria-describedby': `${id}-marks` }) };
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
          rows={field.type === 'lines' ? 8 : 3}
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
