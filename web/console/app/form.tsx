import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { Input, type InputProps } from '../../ui/input.tsx';
import type { Mark } from '../../ui/json.tsx';
import { Button } from '../../ui/parts.tsx';
import { messageOf, visible } from '../../ui/text.ts';
import { ApiError } from './api.ts';

/** What was wrong with the values of the form around an input. */
const Marks = createContext<readonly Mark[]>([]);

type FieldProps = Omit<InputProps, 'label'> & {
  readonly label: string;
  /** The name of the value in a message of the mock. */
  readonly name?: string;
  /** Text after the label. */
  readonly note?: string;
  readonly hint?: string | undefined;
  readonly isWide?: boolean;
  /** Whether only people who don't see the page need the label. */
  readonly isBare?: boolean;
  /** Draws another input than the usual one. */
  readonly draw?: (input: InputProps) => ComponentChildren;
  readonly children?: ComponentChildren;
};

/** An input with its label, and below it what is wrong with its value. */
export function Field({ children, draw, hint, isBare, isWide, label, name, note, ...rest }: FieldProps) {
  const id = useId();
  const place = `/${name}`;
  // Those about the value, and about its parts.
  const marks = useContext(Marks).filter(({ pointer }) => `${pointer}/`.startsWith(`${place}/`));
  const isWrong = marks.length > 0;
  const input = { ...rest, id, isWrong };
  return (
    <div class={`form-row${isWide ? ' wide' : ''}${isWrong ? ' wrong' : ''}`}>
      <label for={id} class={isBare ? 'hidden-text' : ''}>
        {label}
        {note !== undefined && <span class="soft type"> {note}</span>}
      </label>
      {draw ? draw(input) : <Input {...input} />}
      {children}
      {hint !== undefined && <span class="soft">{hint}</span>}
      {isWrong && (
        <span id={`${id}-marks`} class="mark" role="alert">
          {marks
            .map(({ message, pointer }) => visible(`${pointer.slice(place.length)} ${message}`.trim()))
            .join('; ')}
        </span>
      )}
    </div>
  );
}

type FormProps = {
  readonly id?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
  readonly submit: () => Promise<unknown>;
  /** The title of the button. Without one, the button is elsewhere. */
  readonly title?: string;
  /** The name of the value that an error without a place is about. */
  readonly about?: string;
};

/** A form that runs an action. It shows why the action failed, and keeps the values. */
export function Form({ id, label, children, submit, title, about }: FormProps) {
  const own = useRef<HTMLFormElement>(null);
  const isBusy = useRef(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (error !== undefined) own.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy.current) return;
    isBusy.current = true;
    setError(undefined);
    await submit().catch(setError);
    isBusy.current = false;
  };
  const violations = error instanceof ApiError ? error.violations : [];
  const isAbout = error instanceof ApiError && error.status >= 400 && about !== undefined;
  const marks = isAbout ? [{ pointer: `/${about}`, message: error.message }] : violations;
  return (
    <form ref={own} onSubmit={send} id={id} aria-label={label}>
      <Marks.Provider value={marks}>{children}</Marks.Provider>
      {error !== undefined && !isAbout && (
        <p class="notice fail" role="alert">
          {visible(messageOf(error))}
        </p>
      )}
      {title !== undefined && (
        <p class="tools">
          <Button title={title} kind="primary" />
        </p>
      )}
    </form>
  );
}
