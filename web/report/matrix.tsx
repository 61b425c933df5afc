import type { TargetedKeyboardEvent } from 'preact';
import type { PageCase } from '../../conformance/report/html.ts';
import type { Standing } from '../../conformance/report/summary.ts';
import { countOf } from '../ui/text.ts';
import { chosenBy, data, groups, models, type ReportState, SIGNS } from './data.ts';
import { openCases, Page } from './page.tsx';

const rankOf = (standing: Standing) => data.standings.indexOf(standing);

/** The number of cases per model and rule group. */
export function Matrix({ state }: { state: ReportState }) {
  const cases = chosenBy(state);
  const rows = models.filter((model) => cases.some((one) => one.model === model));
  const columns = groups.filter((group) => cases.some((one) => one.group === group));
  const cells = Map.groupBy(cases, (one) => `${one.model} ${one.group}`);
  const byModel = Map.groupBy(cases, (one) => one.model);
  const standings = data.standings.filter((standing) => cases.some((one) => one.standing === standing));
  const count = [
    countOf(rows.length, 'model'),
    countOf(columns.length, 'rule group'),
    countOf(cases.length, 'case'),
  ].join(', ');
  return (
    <Page title="Matrix" count={count}>
      <div class="pinned matrix">
        <table aria-label="Cases by model and rule group" onKeyDown={walk}>
          <thead>
            <tr>
              <th scope="col">Model</th>
              {columns.map((group) => (
                <th key={group} scope="col">
                  {group}
                </th>
              ))}
              <th scope="col">all</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((model, index) => (
              <tr key={model}>
                <th scope="row">
                  <button
                    type="button"
                    tabIndex={index === 0 ? 0 : -1}
                    onClick={() => openCases({ model, group: '' })}
                  >
                    {model}
                  </button>
                </th>
                {columns.map((group) => (
                  <Cell key={group} model={model} group={group} cases={cells.get(`${model} ${group}`)} />
                ))}
                <Cell model={model} group="" cases={byModel.get(model)} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="tools soft legend">
        Each cell counts the passed and skipped cases, and shows the total if it differs. The sign is the most
        severe outcome:
        {standings.map((standing) => (
          <span key={standing}>
            {SIGNS[standing]} {standing}
          </span>
        ))}
      </p>
    </Page>
  );
}

function Cell({
  model,
  group,
  cases = [],
}: {
  model: string;
  group: string;
  cases?: PageCase[] | undefined;
}) {
  if (cases.length === 0) return <td class="none">·</td>;
  const worst = Math.max(...cases.map(({ standing }) => rankOf(standing)));
  const onlySkipped = cases.every(({ standing }) => standing === 'skip');
  const good = cases.filter(({ standing }) => rankOf(standing) <= rankOf('skip')).length;
  const isGood = good === cases.length;
  const standing: Standing = isGood ? (onlySkipped ? 'skip' : 'pass') : (data.standings[worst] ?? 'pass');
  const text = isGood ? String(good) : `${good}/${cases.length}`;
  const label = `${model}, ${group || 'all'}: ${text}, ${standing}`;
  return (
    <td>
      <button
        type="button"
        class={standing}
        tabIndex={-1}
        aria-label={label}
        title={label}
        onClick={() => openCases({ model, group })}
      >
        {standing !== 'pass' && <span class="sign" data-sign={SIGNS[standing]} />}
        {text}
      </button>
    </td>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 };

/** The table is one stop of the Tab key. Arrow keys move within it, past empty cells. */
function walk(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  const step = STEPS[event.key];
  const button = event.target as HTMLButtonElement;
  const cell = button.closest<HTMLTableCellElement>('td, th');
  if (step === undefined || !cell) return;
  event.preventDefault();
  const isVertical = event.key === 'ArrowUp' || event.key === 'ArrowDown';
  const cells = [...event.currentTarget.rows].flatMap(({ cells }) => [...cells]);
  const buttons = cells
    .filter((one) =>
      isVertical ? one.cellIndex === cell.cellIndex : one.parentElement === cell.parentElement,
    )
    .flatMap((one) => one.querySelector('button') ?? []);
  const next = buttons[buttons.indexOf(button) + step];
  if (!next) return;
  button.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
