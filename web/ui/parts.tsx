import type { ComponentChildren, TargetedFocusEvent, VNode } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Json, type Mark } from './json.tsx';
import { indentJson, messageOf, SCROLLABLE, visible } from './text.ts';

export type ButtonProps = {
  readonly id?: string;
  readonly title: string;
  /** What it does, in full, for people who don't see what is around it (default: the title). */
  readonly name?: string | undefined;
  /** Without it, the button sends its form. */
  readonly run?: (() => unknown) | undefined;
  readonly kind?: 'plain' | 'plain danger' | 'primary' | 'link' | 'skip-link' | `chip ${string}`;
  readonly disabled?: boolean | undefined;
  /** Whether it is pressed, if it can be. */
  readonly isOn?: boolean;
  /** The ID of its form, if the button is outside it. */
  readonly form?: string | undefined;
  /** The address that it leads to, if it is a link that looks like a button. */
  readonly to?: string | undefined;
};

export function Button({ id, title, name, run, kind = 'plain', disabled, isOn, form, to }: ButtonProps) {
  return to !== undefined ? (
    <a id={id} class={kind} href={to}>
      {title}
    </a>
  ) : (
    <button
      id={id}
      type={run ? 'button' : 'submit'}
      form={form}
      class={kind}
      disabled={disabled}
      aria-label={name}
      aria-pressed={isOn}
      title={name}
      onClick={run}
    >
      {title}
    </button>
  );
}

/** Milliseconds for which a button says that it copied. */
const COPIED = 2000;

type CopyProps = {
  readonly text: () => string | Promise<string>;
  /** Called when the text is copied. */
  readonly done?: () => void;
  readonly title?: string;
};

/** A button that copies text. If the page can't use the clipboard, it shows the text in a dialog to copy by hand. */
export function CopyButton({ text, done, title = 'Copy' }: CopyProps) {
  const [isCopied, setIsCopied] = useState(false);
  const [dialog, setDialog] = useState<Pick<DialogProps, 'title' | 'children'>>();
  const copy = async () => {
    let found: string;
    try {
      found = await text();
    } catch (error) {
      const reason = <p class="notice fail">{visible(messageOf(error))}</p>;
      return setDialog({ title: 'There is no text to copy', children: reason });
    }
    try {
      await navigator.clipboard.writeText(found);
      setIsCopied(true);
      setTimeout(() => setIsCopied(false), COPIED);
      done?.();
    } catch {
      const select = ({ currentTarget }: TargetedFocusEvent<HTMLTextAreaElement>) => currentTarget.select();
      const area = <textarea rows={12} readOnly aria-label="Text to copy" value={found} onFocus={select} />;
      setDialog({ title: 'Copy this text', children: area });
    }
  };
  return (
    <>
      <Button title={isCopied ? 'Copied' : title} run={copy} />
      {dialog && <Dialog {...dialog} onClose={() => setDialog(undefined)} />}
    </>
  );
}

/** A command line with a button that copies it. */
export function Command({ line }: { line: string }) {
  return (
    <div class="tools command">
      <pre>{visible(line)}</pre>
      <CopyButton text={() => line} />
    </div>
  );
}

type DialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** The buttons before the one that closes the dialog. */
  readonly tools?: ComponentChildren;
  readonly closing?: 'Close' | 'Cancel';
  readonly class?: string;
};

/** A modal dialog, which Escape closes. A `class` draws it without its title and button. */
export function Dialog({ title, onClose, children, tools, closing = 'Close', ...rest }: DialogProps) {
  const own = useRef<HTMLDialogElement>(null);
  // At once, so that the dialog gets keys that come right after it was opened.
  useLayoutEffect(() => {
    own.current?.showModal();
  }, []);
  return (
    <dialog ref={own} aria-label={title} onClose={onClose} {...rest}>
      {rest.class === undefined && <h2>{title}</h2>}
      {children}
      {rest.class === undefined && (
        <p class="tools end">
          {tools}
          <Button title={closing} run={() => own.current?.close()} />
        </p>
      )}
    </dialog>
  );
}

type CardProps = {
  readonly title: string;
  /** The buttons next to the title. */
  readonly tools?: ComponentChildren;
  /** The reason why the content can't be loaded. */
  readonly error?: Error | undefined;
  readonly children: ComponentChildren;
};

/** A part of a view with its title. */
export function Card({ title, tools, error, children }: CardProps) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <div class="tools">
        <h2 id={id}>{title}</h2>
        {tools}
      </div>
      {error && <p class="notice fail">{visible(error.message)}</p>}
      {children}
    </section>
  );
}

/** The facts of a list; those without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt class="soft">{name}</dt>
            <dd>{typeof value === 'string' ? visible(value) : value}</dd>
          </div>
        ))}
    </dl>
  );
}

type TableProps = {
  /** The texts of the columns, or their heads. */
  readonly titles: readonly (string | VNode)[];
  readonly label?: string;
  readonly id?: string | undefined;
  readonly class?: string;
  /** The text below a table without rows. */
  readonly empty?: string | false | undefined;
  readonly children: ComponentChildren;
};

/** A table in a box. */
export function Table({ titles, label, id, class: name = '', empty, children }: TableProps) {
  return (
    <div class={`table ${name}`} id={id}>
      <table aria-label={label}>
        <thead>
          <tr>
            {titles.map((title) =>
              typeof title === 'string' ? (
                <th key={title} scope="col">
                  {title}
                </th>
              ) : (
                title
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
      {empty && <p class="soft empty">{empty}</p>}
    </div>
  );
}

type MessageProps = {
  readonly title: string;
  readonly headers: object;
  /** The text that was sent, or the value of its JSON. */
  readonly body?: unknown;
  /** The messages about a value. */
  readonly marks?: readonly Mark[];
};

/** A request or a response: its headers, folded, and its body, indented if it is JSON. */
export function MessageSide({ title, headers, body = '', marks }: MessageProps) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section>
      <h3>{visible(title)}</h3>
      <details>
        <summary class="soft">Headers ({lines.length})</summary>
        <pre>{visible(lines.join('\n'))}</pre>
      </details>
      {body === '' && <p class="soft">no body</p>}
      {typeof body !== 'string' && <Json value={body} marks={marks} />}
      {typeof body === 'string' && body !== '' && <pre {...SCROLLABLE}>{visible(indentJson(body))}</pre>}
    </section>
  );
}
