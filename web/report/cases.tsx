import { useState } from 'preact/hooks';
import type { PageCase, PageExchange } from '../../conformance/report/html.ts';
import { Button, Command, Facts, MessageSide } from '../ui/parts.tsx';
import { countOf, matches } from '../ui/text.ts';
import { chosenBy, data, type ReportState, requirements } from './data.ts';
import { Badge, ExpectedFound, openCases, Page } from './page.tsx';

/** The causes in the order in which to fix them. */
export function Causes({ state }: { state: ReportState }) {
  const found = [...data.causes.entries()].filter(([, { about, expected, found, models, problem }]) =>
    matches([about, problem, expected, found, ...models], state.text),
  );
  const cases = found.reduce((sum, [, { count }]) => sum + count, 0);
  return (
    <Page
      title="Causes"
      count={`${countOf(found.length, 'cause')} for ${countOf(cases, 'case')} that did not pass`}
    >
      {found.length === 0 && <p>No cause matches this filter.</p>}
      <ol class="causes">
        {found.map(([index, { about, again, extent, models, others, problem, standing, ...cause }]) => (
          <li key={index} class="card">
            <p class="tools">
              <Badge standing={standing} />
              <Button title={extent} kind="link" run={() => openCases({ cause: String(index) })} />
              {about !== undefined && <code>{about}</code>}
              <span>{problem}</span>
            </p>
            <ExpectedFound {...cause} />
            <p class="soft">
              {models.join(', ')}
              {others > 0 && ` and ${others} more`}
            </p>
            <Command line={again} />
          </li>
        ))}
      </ol>
    </Page>
  );
}

/** The number of cases to draw at once. */
const PAGE = 200;

/** The cases that meet the filters, the most severe first. Each is drawn when it is opened. */
export function Cases({ state }: { state: ReportState }) {
  const [shown, setShown] = useState(PAGE);
  const rank = (one: PageCase) => data.standings.indexOf(one.standing);
  const cases = chosenBy(state).toSorted((one, other) => rank(other) - rank(one));
  const left = cases.length - shown;
  const isOpen = (one: PageCase, index: number) =>
    index === 0 && (one.exchanges.length > 0 || cases.length === 1);
  return (
    <Page
      title="Cases"
      count={`${cases.length.toLocaleString('en')} of ${countOf(data.cases.length, 'case')}, most severe first`}
    >
      {cases.length === 0 && <p>No case matches these filters.</p>}
      {cases.slice(0, shown).map((one, index) => (
        <CaseBlock key={one.id} one={one} isOpen={isOpen(one, index)} />
      ))}
      {left > 0 && (
        <Button
          title={`Show ${Math.min(PAGE, left)} more of ${left.toLocaleString('en')}`}
          run={() => setShown(shown + PAGE)}
        />
      )}
    </Page>
  );
}

function CaseBlock({ one, isOpen }: { one: PageCase; isOpen: boolean }) {
  const [isDrawn, setIsDrawn] = useState(isOpen);
  const row = requirements.get(one.requirement);
  const source = row ? `Section ${row.section}: ${row.says}` : one.requirement;
  return (
    <details
      class="case"
      open={isOpen}
      onToggle={({ currentTarget }) => currentTarget.open && setIsDrawn(true)}
    >
      <summary>
        <Badge standing={one.standing} />
        <code>{one.id}</code>
        <span class="soft">{one.message ?? one.title}</span>
      </summary>
      {isDrawn && (
        <div class="body">
          <ExpectedFound expected={one.expected} found={one.found} />
          <Facts
            facts={[
              ['Message', one.message],
              ['Rule', `${one.rule}: ${one.title}`],
              [one.setting === undefined ? 'Source' : 'Source (open)', source],
              ['Assumed', one.setting && `setting ${one.setting} of the profile`],
              ['Retry', one.retried],
              ['Excused', one.excused],
              [
                'Counts',
                one.level === 'advice' && 'No. This is advice, because the source does not state it.',
              ],
            ]}
          />
          {one.again.length > 0 && (
            <>
              <p class="soft">The retry got a different last response:</p>
              {one.again.map((exchange, index) => (
                <ExchangeBlock key={index} exchange={exchange} isOpen={false} />
              ))}
              <p class="soft">First try:</p>
            </>
          )}
          {one.exchanges.map((exchange, index) => (
            <ExchangeBlock key={index} exchange={exchange} isOpen={index + 1 === one.exchanges.length} />
          ))}
          {one.left > 0 && (
            <p class="soft">
              This page omits {one.left} earlier exchanges. To see all, run the case with --case.
            </p>
          )}
        </div>
      )}
    </details>
  );
}

function ExchangeBlock({ exchange, isOpen }: { exchange: PageExchange; isOpen: boolean }) {
  const { curl, request, response } = exchange;
  const outcome = response.error ?? response.status;
  return (
    <details class="exchange" open={isOpen}>
      <summary>
        <code>{`${request.method} ${request.url} → ${outcome}`}</code>
      </summary>
      <div class="sides">
        <MessageSide {...request} title={`Request: ${request.method}`} />
        <MessageSide {...response} title={`Response: ${outcome}`} />
      </div>
      {curl !== undefined && <Command line={curl} />}
    </details>
  );
}
