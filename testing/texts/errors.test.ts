import { expect, test } from 'vitest';
import { projectFiles } from '../import-rules/import-rules.ts';
import { listErrorTexts } from './error-texts.ts';

test('errors.txt lists every error text', async () => {
  await expect(
    listErrorTexts(projectFiles()),
    'An error text changed. Read it in the difference, then run: npx vitest run testing/texts --update',
  ).toMatchFileSnapshot('errors.txt');
});

test.each([
  [
    'a new class',
    `class Lost extends Error {}\nthrow new Lost(\`\${name} is lost. Find it.\`);`,
    'Lost: ‹name› is lost. Find it.',
  ],
  [
    'a function',
    `function why() { return no ? 'Not now.' : 'Not ever again.'; }\nthrow new Error(why());`,
    'why: Not ever again.',
  ],
  [
    'a list',
    `const all = [];\nall.push('One is wrong.');\nthrow new Error(all.join());`,
    'all: One is wrong.',
  ],
  [
    'a caller',
    `function fail(text) { throw new Error(text); }\nfail('All is wrong.');`,
    'fail: All is wrong.',
  ],
])('a text is found by way of %s', (_, text, entry) => {
  expect(listErrorTexts(new Map([['mock/new.ts', text]]))).toContain(`  ${entry}\n`);
});

test('texts of tests and of proofs are not listed', () => {
  const text = `throw new Error('All is wrong.');`;
  expect(
    listErrorTexts(
      new Map([
        ['mock/new.test.ts', text],
        ['bench/new.ts', text],
      ]),
    ),
  ).toBe('');
});
