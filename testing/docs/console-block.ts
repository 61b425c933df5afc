import type { Block } from './markdown.ts';

/** A command of a console block, and the lines that the page shows for it. */
export type Step = { readonly line: number; readonly command: string; readonly shown: readonly string[] };

/** Returns the name that the first line of a block gives to its file, as in `// vite.config.js`. */
export function fileNameOf({ language, lines }: Block): string | undefined {
  if (language === 'console') return undefined;
  return /^(?:\/\/|#|<!--) ((?:[\w-]+\/)?[\w.-]+\.(?:html|js|mjs|ts|yaml))(?: |$)/.exec(lines[0] ?? '')?.[1];
}

/** Throws if a console block shows output before its first command. */
export function stepsOf({ file, line, lines }: Block): Step[] {
  const steps: { line: number; command: string; shown: string[] }[] = [];
  for (const [index, text] of lines.entries()) {
    const last = steps.at(-1);
    if (text.startsWith('$ ')) {
      steps.push({ line: line + 1 + index, command: text.slice(2), shown: [] });
    } else if (last) last.shown.push(text);
    else throw new Error(`${file}:${line}: a console block starts with "$ "`);
  }
  return steps;
}

/** Returns the pattern of shown output: `…` is any part of a line, and a line with only `…` any number of lines. */
export function patternOf(shown: readonly string[], isPrefix = false): RegExp {
  const lines = shown.map((line) =>
    line.trim() === '…'
      ? '(?:.*\\n)*?'
      : `${line
          .trimEnd()
          .split('…')
          .map((part) => RegExp.escape(part))
          .join('.*')}\\n`,
  );
  return new RegExp(`^${lines.join('')}${isPrefix ? '' : '$'}`);
}

/** Returns the text without blanks at the ends of lines, and without empty lines at its end. */
export function trimEnds(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line) => `${line}\n`).join('');
}
