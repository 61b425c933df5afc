import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

export type InputProps = {
  readonly value: string;
  readonly change: (value: string) => void;
  /** The type of the input element, or `area` for a text of several lines (default: text). */
  readonly kind?: 'text' | 'area' | 'number' | 'date' | 'time' | 'datetime-local' | 'password' | 'search';
  /** The values to choose from. */
  readonly options?: readonly (readonly [value: string, title: string])[];
  /** Values that complete the text. */
  readonly list?: readonly string[];
  readonly id?: string;
  /** The name of the input, if no label has it. A search box shows it while it is empty. */
  readonly label?: string | undefined;
  readonly isWrong?: boolean;
  readonly rows?: number;
} & Pick<InputHTMLAttributes, 'class' | 'inputMode' | 'max' | 'min' | 'placeholder' | 'required' | 'step'>;

/** An input, a choice, or a text of several lines. */
export function Input({ change, isWrong, kind = 'text', label, list, options, ...rest }: InputProps) {
  const listId = useId();
  const shared = {
    ...rest,
    'aria-label': label,
    ...(isWrong && { 'aria-invalid': true, 'aria-describedby': `${rest.id}-marks` }),
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
  };
  if (options)
    return (
      <select {...shared}>
        {options.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    );
  if (kind === 'area') return <textarea spellcheck={false} {...shared} />;
  if (kind === 'search') return <input type="search" placeholder={label} {...shared} />;
  return (
    <>
      <input {...shared} type={kind as 'text'} autocomplete="off" list={list && listId} />
      {list && (
        <datalist id={listId}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** A checkbox with its text. */
export function Check({
  checked,
  change,
  children,
  ...rest
}: {
  checked: boolean;
  change: (checked: boolean) => void;
  children: ComponentChildren;
  role?: 'switch';
  'aria-label'?: string | undefined;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
        {...rest}
      />
      {children}
    </label>
  );
}
