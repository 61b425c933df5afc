import type { ComponentChildren, InputHTMLAttributes, TargetedEvent } from 'preact';
import { useId, useState } from 'preact/hooks';

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

/** The text of an input, and the function that changes it. */
export function useText(begin = ''): Pick<InputProps, 'value' | 'change'> {
  const [value, change] = useState(begin);
  return { value, change };
}

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

type CheckProps = {
  readonly checked: boolean;
  readonly change: (checked: boolean) => unknown;
  readonly children: ComponentChildren;
  readonly role?: 'switch';
  readonly 'aria-label'?: string | undefined;
};

/** A checkbox with its text. It shows the new state at once, and the real one when the change is done. */
export function Check({ checked, change, children, ...rest }: CheckProps) {
  const [wanted, setWanted] = useState<boolean>();
  const onChange = async ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
    setWanted(currentTarget.checked);
    await change(currentTarget.checked);
    setWanted(undefined);
  };
  return (
    <label class="check">
      <input type="checkbox" checked={wanted ?? checked} onChange={onChange} {...rest} />
      {children}
    </label>
  );
}
