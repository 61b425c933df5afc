/** Prints each term in the Markdown pages that has an established other spelling, and fails if there is one. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TextlintKernel } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
// @ts-expect-error: the package has no types.
import terminology from 'textlint-rule-terminology';

const ROOT = join(import.meta.dirname, '..');
const PAGES = ['*.md', 'docs/*.md', '{examples,fixtures}/*.md'];
// The style guides write README in capitals, and databases have indexes.
const OPTIONS = { exclude: ['readme(s)?', 'indexes\\b'] };

const kernel = new TextlintKernel();
for (const page of globSync(PAGES, { cwd: ROOT }).toSorted()) {
  const { messages } = await kernel.lintText(readFileSync(join(ROOT, page), 'utf8'), {
    ext: '.md',
    filePath: page,
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [{ ruleId: 'terminology', rule: terminology, options: OPTIONS }],
  });
  for (const { line, column, message } of messages) {
    process.stdout.write(`${page}:${line}:${column} ${message}\n`);
    process.exitCode = 1;
  }
}
