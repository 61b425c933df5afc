import { compareResults, loadResults } from '../conformance/report/compare.ts';
import { renderComparisonMarkdown } from '../conformance/report/markdown.ts';
import { renderComparison } from '../conformance/report/terminal.ts';
import { checkFile } from '../spec/files/save-file.ts';
import { writeOutput } from './output.ts';
import { hasColors, NOT_CONFORMANT, terminal } from './terminal/terminal.ts';

type CompareOptions = { readonly markdown?: string };

/** Prints what changed from one run to another. Fails if there are new failures. */
export function compare(before: string, after: string, { markdown }: CompareOptions): void {
  const { stdout } = terminal();
  if (markdown !== undefined && markdown !== '-') checkFile(markdown, '--markdown');
  const earlier = { file: before, results: loadResults(before) };
  const now = loadResults(after);
  const comparison = compareResults(earlier, now);
  if (markdown !== '-') stdout.write(renderComparison(comparison, now, hasColors(stdout)));
  if (markdown !== undefined) writeOutput(markdown, renderComparisonMarkdown(comparison, now));
  if (comparison.groups.some(({ change }) => change === 'new')) terminal().exitCode = NOT_CONFORMANT;
}
