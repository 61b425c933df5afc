import { plainLines, showControls } from '../text.ts';

/** The summary is HTML already; the body is Markdown, which needs the empty lines. */
export function details(summary: string, body: string): string {
  return `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;
}

/** A fence that is longer than any run of backticks in the text, so that nothing ends it early. */
export function fence(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const mark = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `${mark}\n${plainLines(text).join('\n')}\n${mark}`;
}

/** Inline code in HTML, since Markdown's own can't hold pipes in a table. */
export function code(text: string): string {
  return `<code>${escapeMarkdown(text)}</code>`;
}

/** Text that neither Markdown, nor a table, nor HTML, nor a mention of a person is read from. */
export function escapeMarkdown(text: string): string {
  return html(text).replaceAll(/[\\`*_{}[\]()#+!|~$@]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Text that HTML is not read from, nor a mention of a person. */
export function html(text: string): string {
  return showControls(text.replaceAll(/\s+/g, ' '))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '&#64;');
}

/** A row of a table. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
