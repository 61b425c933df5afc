import { useEffect, useState } from 'preact/hooks';
import type { Standing } from '../../conformance/report/summary.ts';
import { Input } from '../ui/input.tsx';
import { Button, Facts } from '../ui/parts.tsx';
import { useOtherTheme } from '../ui/theme.ts';
import { Cases } from './cases.tsx';
import { Causes } from './causes.tsx';
import {
  addressOf,
  chosenBy,
  data,
  go,
  groups,
  models,
  NO_FILTER,
  named,
  readState,
  SIGNS,
  type State,
  VIEWS,
} from './data.ts';
import { Coverage, Requirements } from './ledger.tsx';
import { Matrix } from './matrix.tsx';

const PAGES = {
  causes: Causes,
  matrix: Matrix,
  cases: Cases,
  requirements: Requirements,
  coverage: Coverage,
};
const WITH_FILTERS: readonly State['view'][] = ['matrix', 'cases'];
/** Maximum number of items in a notice. */
const MOST = 100;

const VERDICTS: Readonly<Record<typeof data.verdict, readonly [standing: Standing, sign: string]>> = {
  conformant: ['pass', '✓'],
  'reads conformant': ['pass', '✓'],
  incomplete: ['blocked', '?'],
  'not conformant': ['fail', '✕'],
  inconclusive: ['blocked', '?'],
};

/** The report of a run. */
export function Report() {
  const [state, setState] = useState(readState);
  useEffect(() => {
    const read = () => setState(readState());
    addEventListener('popstate', read);
    return () => removeEventListener('popstate', read);
  }, []);
  const Page = PAGES[state.view];
  return (
    <>
      <button type="button" class="skip-link" onClick={() => document.getElementById('view')?.focus()}>
        Skip to the results
      </button>
      <Header state={state} />
      <main>
        <Filters state={state} />
        <Page key={addressOf(state)} state={state} />
      </main>
    </>
  );
}

function Header({ state }: { state: State }) {
  const theme = useOtherTheme();
  const [standing, sign] = VERDICTS[data.verdict];
  return (
    <header>
      <div class="head">
        <div>
          <h1>
            {data.catalogue.title} {data.catalogue.version}
          </h1>
          <p>
            <span class={`verdict ${standing}`}>
              {sign} {data.headline}
            </span>
            <code>{data.target}</code>
          </p>
        </div>
        <Button {...theme} />
      </div>
      <Facts
        facts={[
          ['Started', data.startedAt.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')],
          ['Duration', `${(data.durationMs / 1000).toFixed(1)} s`],
          ['Requests', data.requests.toLocaleString('en')],
          ['Profile', data.profileLine],
          ['Seed', data.seed],
          ['Tag', data.tag],
          ['Read-only', data.readOnly && 'only GET requests'],
        ]}
      />
      <Notice title="The run" items={data.remarks} />
      <Notice title="Not built, so not judged" items={data.notBuilt} />
      <Notice title="Advice about the target" items={data.oddities} />
      <Notice
        title="Stale baseline entries (these cases pass and these models are built, so remove the entries)"
        items={data.staleBaseline}
      />
      <Notice title="Expired baseline entries (these failures count again)" items={data.expiredBaseline} />
      <Notice title="Records that were not removed (delete them yourself)" items={data.leftovers} />
      <Tabs state={state} />
    </header>
  );
}

function Notice({ title, items = [] }: { title: string; items?: readonly string[] | undefined }) {
  if (items.length === 0) return null;
  return (
    <p class="notice blocked">
      {`${title}: ${items.slice(0, MOST).join(', ')}`}
      {items.length > MOST && ` and ${items.length - MOST} more`}
    </p>
  );
}

function Tabs({ state }: { state: State }) {
  const held = data.requirements.filter((row) => row.state === 'held').length;
  const items = Object.values(data.coverage).flat();
  const exercised = items.filter((item) => item.exercised).length;
  const titles: Readonly<Record<State['view'], readonly [title: string, number: string]>> = {
    causes: ['Causes', data.causes.length.toLocaleString('en')],
    matrix: ['Matrix', `${models.length} × ${groups.length}`],
    cases: ['Cases', data.cases.length.toLocaleString('en')],
    requirements: ['Requirements', `${held}/${data.requirements.length}`],
    coverage: ['Coverage', items.length === 0 ? '–' : `${Math.floor((exercised / items.length) * 100)} %`],
  };
  return (
    <nav class="tabs" aria-label="Views">
      {VIEWS.map((view) => (
        <a
          key={view}
          href={addressOf({ ...state, view })}
          aria-current={view === state.view ? 'page' : undefined}
        >
          {titles[view][0]} <b class="soft">{titles[view][1]}</b>
        </a>
      ))}
    </nav>
  );
}

const CHOICES = [
  { name: 'model', label: 'Filter by model', all: 'All models', values: models },
  { name: 'group', label: 'Filter by rule', all: 'All rules', values: groups },
  { name: 'requirement', label: 'Filter by requirement', all: 'All requirements', values: named },
] as const;

function Filters({ state }: { state: State }) {
  const hasFilters = WITH_FILTERS.includes(state.view);
  const isSet = addressOf(state) !== addressOf({ ...state, ...NO_FILTER });
  return (
    <search class="tools filters">
      <Input
        kind="search"
        label="Filter by model, field, rule, or text"
        value={state.text}
        change={(text) => go({ text }, true)}
      />
      {hasFilters && (
        <>
          {CHOICES.map(({ all, label, name, values }) => (
            <Input
              key={name}
              label={label}
              value={state[name]}
              options={[['', all], ...values.map((value) => [value, value] as const)]}
              change={(value) => go({ [name]: value })}
            />
          ))}
          <Chips state={state} />
        </>
      )}
      {isSet && <Button title="Clear" run={() => go(NO_FILTER)} />}
    </search>
  );
}

function Chips({ state }: { state: State }) {
  const all = chosenBy(state, []);
  const standings = data.standings.filter((standing) => data.cases.some((one) => one.standing === standing));
  const toggle = (standing: Standing) =>
    state.standings.includes(standing)
      ? state.standings.filter((one) => one !== standing)
      : [...state.standings, standing];
  return (
    <fieldset class="tools" aria-label="Outcomes">
      {standings.toReversed().map((standing) => (
        <button
          key={standing}
          type="button"
          class={`chip ${standing}`}
          aria-pressed={state.standings.includes(standing)}
          onClick={() => go({ standings: toggle(standing) })}
        >
          {SIGNS[standing]} {all.filter((one) => one.standing === standing).length.toLocaleString('en')}{' '}
          {standing}
        </button>
      ))}
    </fieldset>
  );
}
