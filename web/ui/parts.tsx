import type { ComponentChildren, TargetedFocusEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { indentJson, visible } from './text.ts';
import { currentTheme, setTheme } from './theme.ts';

/** Milliseconds for which a button says that it copied. */
const COPIED = 2000;

type CopyState = 'idle' | 'copied' | 'failed';

/** A button that copies text. If the page can't use the clipboard, it shows the text in a dialog to copy by hand. */
export function CopyButton({
  text,
  children = 'Copy',
}: {
  text: () => string;
  children?: ComponentChildren;
}) {
  const [state, setState] = useState<CopyState>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text());
      setState('copied');
      setTimeout(() => setState('idle'), COPIED);
    } catch {
      setState('failed');
    }
  };
  return (
    <>
      <button type="button" class="plain" onClick={copy}>
        {state === 'copied' ? 'Copied' : children}
      </button>
      {state === 'failed' && (
        <Dialog title="Copy this text" onClose={() => setState('idle')}>
          <textarea rows={12} readOnly aria-label="Text to copy" value={text()} onFocus={selectAll} />
        </Dialog>
      )}
    </>
  );
}

function selectAll({ currentTarget }: TargetedFocusEvent<HTMLTextAreaElement>): void {
  currentTarget.select();
}

/** A command line with a button that copies it. */
export function Command({ line }: { line: string }) {
  return (
    <div class="command">
      <pre>{visible(line)}</pre>
      <CopyButton text={() => line} />
    </div>
  );
}

/** A modal dialog. Escape and the button close it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const own = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    own.current?.showModal();
  }, []);
  return (
    <dialog ref={own} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
      <p class="tools end">
        <button type="button" class="plain" onClick={() => own.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}

/** A button that switches between light and dark colors. */
export function ThemeButton() {
  const [theme, change] = useState(currentTheme());
  const other = theme === 'dark' ? 'light' : 'dark';
  const onClick = () => {
    setTheme(other);
    change(other);
  };
  return (
    <button type="button" class="plain" id="theme" aria-label={`Use ${other} colors`} onClick={onClick}>
      {other === 'light' ? 'Light' : 'Dark'}
    </button>
  );
}

/** A request or a response: its headers, folded, and its body, indented if it is JSON. */
export function MessageSide({
  title,
  headers,
  children,
}: {
  title: string;
  headers: Readonly<Record<string, string>>;
  children: ComponentChildren;
}) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section>
      <h3>{visible(title)}</h3>
      <details>
        <summary class="soft">Headers ({lines.length})</summary>
        <pre>{visible(lines.join('\n'))}</pre>
      </details>
      {children}
    </section>
  );
}

/** A body as text, indented if it is JSON. */
export function Body({ text }: { text: string }) {
  return text === '' ? <p class="soft">no body</p> : <pre>{visible(indentJson(text))}</pre>;
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
