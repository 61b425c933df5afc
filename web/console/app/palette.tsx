import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { matches, wordsOf } from '../../ui/text.ts';
import type { Command } from './context.ts';

/** Maximum number of commands that the palette lists. */
const MOST = 40;

/** An input with a list of its own (WAI-ARIA, combobox). */
const COMBOBOX = {
  type: 'text',
  role: 'combobox',
  'aria-label': 'Find a view, a model, or an action',
  'aria-expanded': true,
  'aria-controls': 'commands',
} as const;

/** A dialog that finds and runs a command by its words. */
export function Palette({ commands, onClose }: { commands: readonly Command[]; onClose: () => void }) {
  const own = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  // At once, so that the palette gets keys that come right after Ctrl+K.
  useLayoutEffect(() => {
    own.current?.showModal();
  }, []);
  const words = wordsOf(text);
  const found = commands
    .filter(({ group, title }) => matches([group, title], words))
    .toSorted((one, other) => distance(one, words) - distance(other, words))
    .slice(0, MOST);
  const chosen = Math.min(at, found.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    own.current?.close();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + found.length) % Math.max(1, found.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      run(found[chosen]);
    }
  };
  return (
    <dialog ref={own} class="palette" aria-label="Commands" onClose={onClose}>
      <input
        {...COMBOBOX}
        {...(found.length > 0 && { 'aria-activedescendant': `command-${chosen}` })}
        placeholder="Find a view, a model, or an action"
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Commands">
        {found.map((command, index) => (
          <div
            key={`${command.group} ${command.title}`}
            id={`command-${index}`}
            role="option"
            aria-selected={index === chosen}
            ref={index === chosen ? scrollTo : null}
            tabIndex={-1}
            onMouseDown={() => run(command)}
          >
            <span>{command.title}</span> <span class="soft">{command.group}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="soft">No command has these words.</p>}
    </dialog>
  );
}

/** Returns a rank: lower if a word is the whole title, or its beginning. */
function distance({ title }: Command, words: readonly string[]): number {
  const text = title.toLowerCase();
  if (words.includes(text)) return 0;
  return words.some((word) => text.startsWith(word)) ? 1 : 2;
}

function scrollTo(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'nearest' });
}
