import { recall, remember } from './storage.ts';

const KEY = 'theme';

export type Theme = 'light' | 'dark';

/** Returns the theme that the reader chose, or else the one of the system. */
export function currentTheme(): Theme {
  const named = document.documentElement.dataset.theme;
  if (named === 'light' || named === 'dark') return named;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  remember(KEY, theme);
}

/** Applies the theme that was chosen on an earlier visit. */
export function restoreTheme(): void {
  const stored = recall(KEY);
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
}
