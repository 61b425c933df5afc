import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { Check, Input, type InputProps } from '../../ui/input.tsx';
import type { Mark } from '../../ui/json.tsx';
import { Button } from '../../ui/parts.tsx';
import { visible } from '../../ui/text.ts';
import { ApiError } from './api.ts';

/** What was wrong with the values of the form around an input. */
const Marks = createContext<readonly Mark[]>([]);

/** Returns the messages about the value with a name, and about its parts. */
function useMarks(name: string | undefined): readonly { at: string; message: string }[] {
  return useContext(Marks)
    .filter(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))
    .map(({ message, pointer }) => ({ at: pointer.slice(1 + (name ?? '').length), message }));
}

/** An input with its label, and below it what is wrong with its value. */
export function Field(
  props: Omit<InputProps, 'label'> & {
    label: string;
    /** The name of the value in a message of the mock. */
    name?: string;
    /** Text after the label. */
    note?: string;
    hint?: string;
    isWide?: boolean;
    /** Whether only people who don't see the page need the label. */
    isBare?: boolean;
    /** Draws another input than the usual one. */
    draw?: (input: InputProps) => ComponentChildren;
    children?: ComponentChildren;
  },
) {
  const id = useId();
  const { children, draw, hint, isBare, isWide, label, name, note, ...rest } = props;
  const marks = useMarks(name);
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
          {marks.map(({ at, message }) => visible(`${at} ${message}`.trim())).join('; ')}
        </span>
      )}
    </div>
  );
}

/** A form that runs an action. It shows why the action failed, and keeps the values. */
export function Form({
  id,
  label,
  children,
  submit,
  title,
  about,
  tools,
}: {
  id?: string;
  label?: string;
  children: ComponentChildren;
  submit: () => Promise<unknown>;
  /** The title of the button. Without one, the button is elsewhere. */
  title?: string;
  /** The name of the value that an error without a place is about. */
  about?: string;
  /** More buttons. */
  tools?: ComponentChildren;
}) {
  const own = useRef<HTMLFormElement>(null);
  const isBusy = useRef(false);
  const [error, setError] = useState<Error>();
  useEffect(() => {
    if (error) own.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  const send = async (event: Event) => {
    event.preventDefault();
    if (isBusy.current) return;
    isBusy.current = true;
    setError(undefined);
    await submit().catch((error) => setError(error instanceof Error ? error : new Error(String(error))));
    isBusy.current = false;
  };
  const violations = error instanceof ApiError ? error.violations : [];
  const isAbout = error instanceof ApiError && error.status >= 400 && about !== undefined;
  const marks = isAbout ? [{ pointer: `/${about}`, message: error.message }] : violations;
  return (
    <form ref={own} onSubmit={send} id={id} aria-label={label}>
      <Marks.Provider value={marks}>{children}</Marks.Provider>
      {error && !isAbout && (
        <p class="notice fail" role="alert">
          {visible(error.message)}
        </p>
      )}
      {title !== undefined && (
        <p class="tools">
          <Button title={title} kind="primary" />
          {tools}
        </p>
      )}
    </form>
  );
}

/** A switch. It shows the new state at once, and the real one when the change is done. */
export function Switch({
  checked,
  change,
  label,
  children,
}: {
  checked: boolean;
  change: (checked: boolean) => Promise<void>;
  /** The name of the switch, if it is not its text. */
  label?: string;
  children: ComponentChildren;
}) {
  const [wanted, setWanted] = useState<boolean>();
  return (
    <Check
      role="switch"
      aria-label={label}
      checked={wanted ?? checked}
      change={(next) => {
        setWanted(next);
        change(next).finally(() => setWanted(undefined));
      }}
    >
      {children}
    </Check>
  );
}
