import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** The tutorial, whose app the proof of the packed package runs. */
export const TUTORIAL = 'docs/start/first-app.md';

/** The pages whose commands a proof runs. */
export const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/README.md',
  ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/reference/javascript', TUTORIAL] }).sort(),
];

/** A fenced block of a Markdown file. */
export type Block = {
  readonly file: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly lines: readonly string[];
};

export type Link = { readonly line: number; readonly target: string };

/** Returns the fenced blocks of a file of the repository, in their order. */
export function readBlocks(file: string): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; lines: string[] } | undefined;
  for (const [index, line] of readLines(file).entries()) {
    const [, language] = /^```(\S*)/.exec(line) ?? [];
    if (language === undefined) open?.lines.push(line);
    else if (open) {
      blocks.push({ file, ...open });
      open = undefined;
    } else open = { line: index + 1, language, lines: [] };
  }
  if (open) throw new Error(`${file}:${open.line}: the block has no end`);
  return blocks;
}

/** Returns the targets of links and images outside of blocks. */
export function readLinks(file: string): Link[] {
  return proseOf(file).flatMap(({ line, text }) => {
    const inline = text.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)/g);
    const html = text.matchAll(/(?:href|src)="([^"]+)"/g);
    return [...inline, ...html].map(([, target = '']) => ({ line, target }));
  });
}

/** Returns the anchors of the headings, formed as GitHub forms them. */
export function readAnchors(file: string): Set<string> {
  const anchors = new Set<string>();
  for (const { text } of proseOf(file)) {
    const [, named] = /<a (?:id|name)="([^"]+)"/.exec(text) ?? [];
    if (named !== undefined) anchors.add(named);
    const [, title] = /^#{1,6}\s+(.*)$/.exec(text) ?? [];
    if (title === undefined) continue;
    const shown = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim();
    const slug = shown
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let copy = 1; anchors.has(anchor); copy++) anchor = `${slug}-${copy}`;
    anchors.add(anchor);
  }
  return anchors;
}

function proseOf(file: string): { line: number; text: string }[] {
  const fenced = new Set(
    readBlocks(file).flatMap(({ line, lines }) => lines.map((_, index) => line + 1 + index)),
  );
  return readLines(file)
    .map((text, index) => ({ line: index + 1, text }))
    .filter(({ line }) => !fenced.has(line));
}

function readLines(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8').split('\n');
}
