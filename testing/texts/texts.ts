/** Prints each sentence that the code can show to users, by file, so that people can read them all. */
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { projectFiles } from '../import-rules/import-rules.ts';

const PRODUCTION = /^(cli\.ts$|(spec|generator|mock|conformance|fixtures|cli)\/)/;
/** Two words or more that begin like a sentence or end like one. */
const SENTENCE = /^[A-Z‹].*\w ‹?\w|\w ‹?\w.*[.:]$/s;

for (const [path, text] of [...projectFiles()].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
  if (!PRODUCTION.test(path) || path.endsWith('.test.ts')) continue;
  const sentences = new Set<string>();
  const note = (sentence: string) => SENTENCE.test(sentence) && sentences.add(sentence);
  new Visitor({
    Literal: ({ value }) => typeof value === 'string' && note(value),
    TemplateLiteral: ({ quasis, expressions }) => note(textOf(quasis, expressions, text)),
  }).visit(parseSync(path, text).program);
  if (sentences.size > 0)
    process.stdout.write(`${path}\n${[...sentences].map((one) => `  ${one}\n`).join('')}\n`);
}

/** Returns the text of a template, with ‹expression› where the code fills in a value. */
function textOf(
  quasis: readonly ESTree.TemplateElement[],
  expressions: readonly ESTree.Expression[],
  source: string,
): string {
  const filled = expressions.map(({ start, end }) => `‹${source.slice(start, end)}›`);
  return quasis.map(({ value }, index) => `${value.cooked ?? ''}${filled[index] ?? ''}`).join('');
}
