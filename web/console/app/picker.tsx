import type { TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import { bringIntoView } from '../../ui/browser.ts';
import { type InputProps, useText } from '../../ui/input.tsx';
import { Dialog } from '../../ui/parts.tsx';
import { matches, wordsOf } from '../../ui/text.ts';
import { type ActionProps, actionsOf, perform } from './action.tsx';
import { addressOf, nameOf } from './api.ts';
import { type Command, useConsole, useLoad } from './context.ts';
import { go, inSession, readRoute } from './route.ts';
import { sessionsOf } from './session-picker.tsx';

/** Maximum number of commands that the palette lists. */
const MOST = 40;

type PickerProps = Pick<InputProps, 'value' | 'change'> & {
  readonly label: string;
  readonly rows: readonly Command[];
  /** The text if there are no rows. */
  readonly empty: string;
  readonly onClose: () => void;
};

/** A dialog with a search box and the rows that it finds (WAI-ARIA, combobox). */
export function Picker({ label, value, change, rows, empty, onClose }: PickerProps) {
  const [at, setAt] = useState(0);
  const chosen = Math.min(at, rows.length - 1);
  const run = (row: Command | undefined, from: HTMLElement) => {
    if (!row) return;
    from.closest('dialog')?.close();
    row.run();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) run(rows[chosen], event.currentTarget);
    else setAt((chosen + step + rows.length) % Math.max(1, rows.length));
  };
  return (
    <Dialog title={label} class="picker" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded={true}
        aria-controls="picker-rows"
        aria-label={label}
        {...(rows.length > 0 && { 'aria-activedescendant': `row-${chosen}` })}
        placeholder={label}
        autocomplete="off"
        value={value}
        onInput={({ currentTarget }) => {
          change(currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="picker-rows" role="listbox" aria-label={label}>
        {rows.map((row, index) => (
          <div
            key={`${row.group} ${row.title}`}
            id={`row-${index}`}
            role="option"
            aria-selected={index === chosen}
            ref={index === chosen ? bringIntoView : null}
            tabIndex={-1}
            onMouseDown={(event) => {
              event.preventDefault();
              run(row, event.currentTarget);
            }}
          >
            <span>{row.title}</span> <span class="soft">{row.group}</span>
          </div>
        ))}
      </div>
      {rows.length === 0 && <p class="soft">{empty}</p>}
    </Dialog>
  );
}

type PaletteProps = {
  /** The commands of the view, which change while it loads. */
  readonly offered: readonly Command[];
  readonly views: readonly { readonly name: string; readonly title: string }[];
  /** The title of the current view. */
  readonly view: string;
  readonly onClose: () => void;
};

/** Finds and runs a command by its words. Those of the current view come first. */
export function Palette({ offered, views, view, onClose }: PaletteProps) {
  const console = useConsole();
  const { api, facts } = console;
  const text = useText();
  const { value: sessions = [] } = useLoad(() => sessionsOf(api), [api]);
  const actions: ActionProps[] = Object.values(actionsOf(console)).flat();
  const usual: readonly Command[] = [
    ...views.map(({ name, title }) => ({ title, group: 'View', run: () => go([name]) })),
    ...actions.map((action) => ({
      title: action.name ?? action.title,
      group: 'Session',
      run: () => perform(action, console),
    })),
    { title: 'Profile', group: 'Contract', run: () => go(['contract', 'profile']) },
    { title: 'Swagger UI', group: 'Contract', run: () => location.assign(`${addressOf(api)}__mock/docs`) },
    ...Object.keys(facts.models).flatMap((model) => [
      { title: model, group: 'Records', run: () => go(['records', model]) },
      { title: model, group: 'Contract', run: () => go(['contract', model]) },
      { title: `New ${model}`, group: 'Records', run: () => go(['records', model, 'new']) },
    ]),
    ...sessions
      .filter(({ name }) => name !== api.session)
      .map(({ name }) => ({
        title: `Switch to ${nameOf(name)}`,
        group: 'Session',
        run: () => go(readRoute().path.slice(0, 2), inSession(name)),
      })),
  ];
  const words = wordsOf(text.value);
  const own = offered.map((command) => ({ group: view, ...command }));
  const titles = new Set(own.map(({ title }) => title));
  const others = usual.filter(({ group, title }) => group !== 'Session' || !titles.has(title));
  const rows = [...own, ...others]
    .filter(({ group, title }) => matches([group, title], text.value))
    .toSorted((one, other) => distance(one, words) - distance(other, words))
    .slice(0, MOST);
  return (
    <Picker
      label="Find a view, a model, or an action"
      empty="No command has these words."
      {...{ ...text, rows, onClose }}
    />
  );
}

/** Returns a rank: lower if a word is the whole title, or its beginning. */
function distance({ title }: Command, words: readonly string[]): number {
  const text = title.toLowerCase();
  if (words.includes(text)) return 0;
  return words.some((word) => text.startsWith(word)) ? 1 : 2;
}
