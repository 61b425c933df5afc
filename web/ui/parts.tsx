import type { ComponentChildren, TargetedFocusEvent, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Json, type Mark } from './json.tsx';
import { indentJson, SCROLLABLE, visible } from './text.ts';

export type ButtonProps = {
  readonly title: string;
  /** What it does, in full, for people who don't see what is around it (default: the title). */
  readonly name?: string | undefined;
  /** Without it, the button sends its form. */
  readonly run?: (() => unknown) | undefined;
  readonly kind?: 'plain' | 'plain danger' | 'primary' | 'link';
  readonly disabled?: boolean | undefined;
  /** The ID of its form, if the button is outside it. */
  readonly form?: string | undefined;
};

export function Button({ title, name, run, kind = 'plain', disabled, form }: ButtonProps) {
  return (
    <button
      type={run ? 'button' : 'submit'}
      form={form}
      class={kind}
      disabled={disabled}
      aria-label={name}
      title={name}
      onClick={run}
    >
      {title}
    </button>
  );
}

/** Milliseconds for which a button says that it copied. */
const COPIED = 2000;

type CopyState =
  | { readonly name: 'idle' | 'copied' }
  | { readonly name: 'byHand'; readonly text: string }
  | { readonly name: 'failed'; readonly reason: string };
const IDLE: CopyState = { name: 'idle' };

/** A button that copies text. If the page can't use the clipboard, it shows the text in a dialog to copy by hand. */
export function CopyButton({
  text,
  done,
  title = 'Copy',
}: {
  text: () => string | Promise<string>;
  /** Called when the text is copied. */
  done?: () => void;
  title?: string;
}) {
  const [state, setState] = useState(IDLE);
  useEffect(() => {
    if (state.name !== 'copied') return;
    done?.();
    const timer = setTimeout(() => setState(IDLE), COPIED);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <>
      <Button
        title={state.name === 'copied' ? 'Copied' : title}
        run={async () => setState(await copy(text))}
      />
      {state.name === 'byHand' && (
        <Dialog title="Copy this text" onClose={() => setState(IDLE)}>
          <textarea rows={12} readOnly aria-label="Text to copy" value={state.text} onFocus={selectAll} />
        </Dialog>
      )}
      {state.name === 'failed' && (
        <Dialog title="There is no text to copy" onClose={() => setState(IDLE)}>
          <p class="notice fail">{visible(state.reason)}</p>
        </Dialog>
      )}
    </>
  );
}

async function copy(text: () => string | Promise<string>): Promise<CopyState> {
  let found: string;
  try {
    found = await text();
  } catch (error) {
    return { name: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
  try {
    await navigator.clipboard.writeText(found);
    return { name: 'copied' };
  } catch {
    return { name: 'byHand', text: found };
  }
}

function selectAll({ currentTarget }: TargetedFocusEvent<HTMLTextAreaElement>): void {
  currentTarget.select();
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

/** A modal dialog, which Escape closes. A `class` draws it without its title and button. */
export function Dialog({
  title,
  onClose,
  children,
  tools,
  closing = 'Close',
  ...rest
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** The buttons before the one that closes the dialog. */
  tools?: ComponentChildren;
  closing?: 'Close' | 'Cancel';
  class?: string;
}) {
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

/** The facts of a list; those without a value are left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined &&
          value !== false && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? visible(value) : value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** A table in a box. `titles` has the texts of the columns, or their heads. */
export function Table({
  titles,
  label,
  id,
  class: name = '',
  empty,
  children,
}: {
  titles: readonly (string | VNode)[];
  label?: string;
  id?: string | undefined;
  class?: string;
  /** The text below a table without rows. */
  empty?: string | false | undefined;
  children: ComponentChildren;
}) {
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

/** A request or a response: its headers, folded, and its body, indented if it is JSON. */
export function MessageSide({
  title,
  headers,
  body = '',
  marks,
}: {
  title: string;
  headers: Readonly<Record<string, string>>;
  /** The text that was sent, or the value of its JSON. */
  body: unknown;
  /** The messages about a value. */
  marks?: readonly Mark[];
}) {
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

/** Two texts next to each other. */
export function ExpectedFound({
  expected,
  found,
}: {
  expected?: string | undefined;
  found?: string | undefined;
}) {
  if (expected === undefined && found === undefined) return null;
  return (
    <div class="sides pair">
      <div>
        <h3>Expected</h3>
        <pre class="expected">{visible(expected ?? '–')}</pre>
      </div>
      <div>
        <h3>Found</h3>
        <pre class="found">{visible(found ?? '–')}</pre>
      </div>
    </div>
  );
}
