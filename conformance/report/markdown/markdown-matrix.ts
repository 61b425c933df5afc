import type { Results } from '../../results/results.ts';
import { gravest, gravityOf, type Matrix, matrixOf, type Standing, standingOf } from '../summary.ts';
import { escapeMarkdown, row } from './markdown-text.ts';

const MOST_ROWS = 100;

export const SIGNS: Readonly<Record<Standing, string>> = {
  pass: '✅',
  skip: '⚪',
  excused: '🔕',
  advice: '💡',
  flaky: '🎲',
  blocked: '🟧',
  fail: '❌',
  error: '💥',
};

/** The rows and columns with something in them to look at. */
export function renderMatrix({ cases }: Results): string[] {
  const matrix = matrixOf(cases);
  const bad = (model: string, group: string) =>
    gravityOf(gravest(matrix.at(model, group))) > gravityOf('skip');
  const models = matrix.models.filter((model) => matrix.groups.some((group) => bad(model, group)));
  const groups = matrix.groups.filter((group) => models.some((model) => bad(model, group)));
  if (models.length === 0) return [];
  const rows = models
    .slice(0, MOST_ROWS)
    .map((model) => row([escapeMarkdown(model), ...groups.map((group) => cell(matrix, model, group))]));
  const table = [
    row(['model', ...groups.map(escapeMarkdown)]),
    row(['---', ...groups.map(() => '--:')]),
    ...rows,
  ].join('\n');
  const more = models.length > MOST_ROWS ? [`and ${models.length - MOST_ROWS} more models`] : [];
  const clean = matrix.models.length - models.length;
  const rest = clean > 0 ? [`No findings in ${clean} of ${matrix.models.length} models.`] : [];
  return [table, ...more, ...rest];
}

function cell(matrix: Matrix, model: string, group: string): string {
  const cases = matrix.at(model, group);
  if (cases.length === 0) return '';
  const good = cases.filter((result) => gravityOf(standingOf(result)) <= gravityOf('skip')).length;
  return good === cases.length ? String(good) : `${SIGNS[gravest(cases)]} ${good}/${cases.length}`;
}
