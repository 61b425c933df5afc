import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { fileNameOf } from './console-block.ts';
import { PAGES, ROOT, readAnchors, readBlocks, readLinks, TUTORIAL } from './markdown.ts';
import { isRun, NOT_RUN } from './not-run.ts';

const ALL = globSync('**/*.md', { cwd: ROOT, exclude: ['**/node_modules', 'dist', 'coverage'] }).sort();
/** Languages of blocks that only show something. */
const SHOWN = ['mermaid', 'text'];

test('each block is run, is a file of its page, only shows text, or is listed with a reason', () => {
  const others = PAGES.flatMap((file) => readBlocks(file).filter(isRun)).filter(
    (block) =>
      block.language !== 'console' && fileNameOf(block) === undefined && !SHOWN.includes(block.language),
  );
  expect(others.map(({ file, line, language }) => `${file}:${line}: ${language}`)).toEqual([]);
  const gone = Object.entries(NOT_RUN).flatMap(([file, reasons]) => {
    const found = readBlocks(file).map(({ lines }) => lines[0]);
    return Object.keys(reasons).filter((first) => !found.includes(first));
  });
  expect(gone).toEqual([]);
});

test('the files in the tutorial are those of examples/app, which packed-package.proof.ts runs', () => {
  const files = readBlocks(TUTORIAL).filter((block) => fileNameOf(block) !== undefined);
  expect(files.map(fileNameOf).toSorted()).toEqual(
    readdirSync(join(ROOT, 'examples/app'))
      .filter((name) => !['node_modules', 'package.json'].includes(name))
      .toSorted(),
  );
  for (const block of files)
    expect(`${block.lines.slice(1).join('\n')}\n`).toBe(
      readFileSync(join(ROOT, 'examples/app', fileNameOf(block) ?? ''), 'utf8'),
    );
});

test('relative links and anchors have existing targets', () => {
  const broken = ALL.flatMap((file) =>
    readLinks(file)
      .filter(({ target }) => !leadsSomewhere(file, target))
      .map(({ line, target }) => `${file}:${line}: ${target}`),
  );
  expect(broken).toEqual([]);
});

function leadsSomewhere(file: string, target: string): boolean {
  if (/^(?:https?|mailto):/.test(target)) return true;
  const [path = '', anchor] = decodeURI(target).split('#');
  const linked = path === '' ? file : relative(ROOT, join(ROOT, dirname(file), path));
  if (!existsSync(join(ROOT, linked))) return false;
  return anchor === undefined || !linked.endsWith('.md') || readAnchors(linked).has(anchor);
}
