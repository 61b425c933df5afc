import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Calls a function at each event of the page with a name, from the first drawing on, so that no event is missed. */
export function useListener<Sent extends Event>(name: string, listen: (event: Sent) => void): void {
  const latest = useRef(listen);
  latest.current = listen;
  useLayoutEffect(() => {
    const call = (event: Event) => latest.current(event as Sent);
    addEventListener(name, call);
    return () => removeEventListener(name, call);
  }, [name]);
}

/** Keeps a text for the next visit. Without storage, such as in a page opened from a file, it lasts until the page closes. */
export function remember(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The page works without it.
  }
}

/** Returns the text that an earlier visit kept. */
export function recall(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Scrolls a part of the page into view, such as the chosen row of a list. */
export function bringIntoView(part: HTMLElement | null): void {
  part?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

const THEME = 'theme';
const { dataset } = document.documentElement;

/** Applies the theme that was chosen on an earlier visit. */
export function restoreTheme(): void {
  const stored = recall(THEME);
  if (stored === 'light' || stored === 'dark') dataset.theme = stored;
}

/** Returns the colors that the page does not use, and the function that switches to them. */
export function useOtherTheme() {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const [theme, setTheme] = useState(dataset.theme ?? (isDark ? 'dark' : 'light'));
  const other = theme === 'dark' ? 'light' : 'dark';
  const change = () => {
    dataset.theme = other;
    remember(THEME, other);
    setTheme(other);
  };
  return { title: other === 'light' ? 'Light' : 'Dark', name: `Use ${other} colors`, run: change };
}
