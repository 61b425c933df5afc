import type { Standing } from '../../conformance/report/summary.ts';
import type { RequirementResult } from '../../conformance/results/results.ts';
import { Button, Table } from '../ui/parts.tsx';
import { matches } from '../ui/text.ts';
import { data, NO_FILTER, type ReportState } from './data.ts';
import { Badge, openCases, Page } from './page.tsx';

const LOOKS: Readonly<Record<RequirementResult['state'], readonly [rank: number, standing: Standing]>> = {
  broken: [0, 'fail'],
  'not tested': [1, 'skip'],
  held: [2, 'pass'],
};

/** The requirements of the source, the broken ones first. */
export function Requirements({ state }: { state: ReportState }) {
  const rows = data.requirements
    .filter((row) => matches([row.id, row.section, row.says, row.state, row.why], state.text))
    .toSorted((one, other) => LOOKS[one.state][0] - LOOKS[other.state][0]);
  const numbers = Map.groupBy(data.cases, (one) => one.requirement);
  return (
    <Page
      title="Requirements"
      count={`${rows.length} of ${data.requirements.length} requirements of the source`}
    >
      {data.requirements.length === 0 ? (
        <p>This run has no requirements of the source.</p>
      ) : (
        <Table titles={['State', 'Requirement', 'Section', 'ID', 'Cases']}>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <Badge standing={LOOKS[row.state][1]} text={row.state} />
              </td>
              <td>
                {row.says}
                {row.why && <p class="soft">{row.why}</p>}
              </td>
              <td>{row.section}</td>
              <td>
                <Button
                  title={row.id}
                  kind="link"
                  run={() => openCases({ ...NO_FILTER, requirement: row.id })}
                />
              </td>
              <td class="number">{(numbers.get(row.id)?.length ?? 0).toLocaleString('en')}</td>
            </tr>
          ))}
        </Table>
      )}
    </Page>
  );
}

/** The operations, fields, and values that the run exercised, and the reason for each of the others. */
export function Coverage({ state }: { state: ReportState }) {
  return (
    <Page count="Items with at least one passed case, and the reason for each of the others">
      {Object.entries(data.coverage).map(([kind, items]) => {
        const done = items.filter((item) => item.exercised);
        const open = items.filter((item) => !item.exercised && matches([item.name, item.why], state.text));
        const named = done.filter((item) => matches([item.name], state.text));
        return (
          <section key={kind} class="coverage">
            <h2 class="tools">
              {done.length.toLocaleString('en')} of {items.length.toLocaleString('en')} {kind}
              <progress
                max={Math.max(items.length, 1)}
                value={done.length}
                aria-label={`${kind} exercised`}
              />
            </h2>
            {open.length > 0 && (
              <Table titles={['Not exercised', 'Reason']}>
                {open.map(({ name, why = '' }) => (
                  <tr key={name}>
                    <td>
                      <code>{name}</code>
                    </td>
                    <td>{why}</td>
                  </tr>
                ))}
              </Table>
            )}
            <details>
              <summary class="soft">{named.length.toLocaleString('en')} exercised</summary>
              <ul class="names wrap">
                {named.map(({ name }) => (
                  <li key={name}>
                    <code>{name}</code>
                  </li>
                ))}
              </ul>
            </details>
          </section>
        );
      })}
    </Page>
  );
}
