import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';

/** A labeled input. `list` has values to choose from, which complete the text. */
export function TextRow(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  type?: 'text' | 'number' | 'datetime-local';
  min?: number;
  max?: number;
  step?: number;
  placeholder?: string;
  required?: boolean;
  list?: readonly string[];
  hint?: string;
}) {
  const id = useId();
  const { hint, label, list, onChange, type = 'text', ...rest } = props;
  return (
    <div class="form-row">
      <label for={id}>{label}</label>
      <input
        {...rest}
        id={id}
        type={type}
        autocomplete="off"
        {...(list && { list: `${id}-list` })}
        {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {list && (
        <datalist id={`${id}-list`}>
          {list.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {hint !== undefined && (
        <span id={`${id}-hint`} class="soft">
          {hint}
        </span>
      )}
    </div>
  );
}

/** A labeled choice. */
export function SelectRow(props: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, title: string])[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  const { label, onChange, options, value } = props;
  return (
    <div class="form-row">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {options.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A labeled text of several lines. */
export function AreaRow(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  rows?: number;
}) {
  const id = useId();
  const { label, onChange, rows = 6, value } = props;
  return (
    <div class="form-row">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}

/** A form that runs an action. While it runs, it can't be sent again. */
export function Form({
  children,
  submit,
  title,
}: {
  children: ComponentChildren;
  submit: () => Promise<void>;
  title: string;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const button = event.currentTarget.querySelector<HTMLButtonElement>('[type=submit]');
        if (button) button.disabled = true;
        submit().finally(() => {
          if (button) button.disabled = false;
        });
      }}
    >
      {children}
      <p class="tools">
        <button type="submit" class="primary">
          {title}
        </button>
      </p>
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
  const isOn = wanted ?? checked;
  return (
    <label class="check">
      <input
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        {...(label !== undefined && { 'aria-label': label })}
        onChange={({ currentTarget }) => {
          setWanted(currentTarget.checked);
          change(currentTarget.checked).finally(() => setWanted(undefined));
        }}
      />
      {children}
    </label>
  );
}
