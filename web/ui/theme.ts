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
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage, the theme lasts until the page closes.
  }
}

/** Applies the theme that was chosen on an earlier visit. */
export function restoreTheme(): void {
  try {
    const stored = localStorage.getItem(KEY);
    if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored;
  } catch {
    // A page opened from a file can have no storage.
  }
}
