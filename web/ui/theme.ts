import { useState } from 'preact/hooks';
import { recall, remember } from './storage.ts';

const KEY = 'theme';
const { dataset } = document.documentElement;

/** Applies the theme that was chosen on an earlier visit. */
export function restoreTheme(): void {
  const stored = recall(KEY);
  if (stored === 'light' || stored === 'dark') dataset.theme = stored;
}

/** Returns the colors that the page does not use, and the function that switches to them. */
export function useOtherTheme() {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const [theme, setTheme] = useState(dataset.theme ?? (isDark ? 'dark' : 'light'));
  const other = theme === 'dark' ? 'light' : 'dark';
  const change = () => {
    dataset.theme = other;
    remember(KEY, other);
    setTheme(other);
  };
  return { title: other === 'light' ? 'Light' : 'Dark', name: `Use ${other} colors`, run: change };
}
