import { useId } from 'preact/hooks';
import type { FieldFacts } from '../../../../spec/meta/meta.ts';
import { visible } from '../../../ui/text.ts';
import { useConsole } from '../../app/context.ts';
import { href } from '../../app/route.ts';
import { type FieldMark, Input, type InputProps } from './input.tsx';
import { LinesInput } from './lines-input.tsx';
import { kindOf } from './values.ts';

/** The input of a field, with its violations below it. */
export function FieldInput({
  field,
  text,
  marks,
  change,
}: {
  field: FieldFacts;
  text: string;
  marks: readonly FieldMark[];
  change: (text: string) => void;
}) {
  const id = useId();
  const { models } = useConsole().facts;
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
      <Control {...{ id, field, text, change, isWrong: marks.length > 0, marks }} />
      {link !== undefined && Object.hasOwn(models, link.model) && /^\d+$/.test(text) && (
        <a class="soft" href={href(['records', link.model, text])}>
          Open {link.model} {text}
        </a>
      )}
      {description !== undefined && <span class="soft">{description}</span>}
      {marks.length > 0 && (
        <span id={`${id}-marks`} class="mark" role="alert">
          {marks.map(({ at, message }) => visible(`${at} ${message}`.trim())).join('; ')}
        </span>
      )}
    </div>
  );
}

function Control({ marks, ...input }: InputProps & { marks: readonly FieldMark[] }) {
  return input.field.lines === undefined ? <Input {...input} /> : <LinesInput {...input} marks={marks} />;
}
