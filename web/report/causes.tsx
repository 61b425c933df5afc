import type { PageCause } from '../../conformance/report/html.ts';
import { Button, Command } from '../ui/parts.tsx';
import { countOf, matches } from '../ui/text.ts';
import { data, type State } from './data.ts';
import { Badge, ExpectedFound, openCases, Page } from './page.tsx';

/** The causes in the order in which to fix them. */
export function Causes({ state }: { state: State }) {
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
        {found.map(([index, cause]) => (
          <CauseItem key={index} cause={cause} index={index} />
        ))}
      </ol>
    </Page>
  );
}

function CauseItem({ cause, index }: { cause: PageCause; index: number }) {
  const { about, again, expected, extent, found, models, others, problem, standing } = cause;
  return (
    <li class="card">
      <p class="tools">
        <Badge standing={standing} />
        <Button title={extent} kind="link" run={() => openCases({ cause: String(index) })} />
        {about !== undefined && <code>{about}</code>}
        <span>{problem}</span>
      </p>
      <ExpectedFound expected={expected} found={found} />
      <p class="soft">
        {models.join(', ')}
        {others > 0 && ` and ${others} more`}
      </p>
      <Command line={again} />
    </li>
  );
}
