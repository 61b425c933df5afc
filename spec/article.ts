/** The word with its article: `a create`, `an update`. */
export function withArticle(word: string): string {
  return `${/^([aeio]|u(?!ni|r|s))/i.test(word) ? 'an' : 'a'} ${word}`;
}
