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
