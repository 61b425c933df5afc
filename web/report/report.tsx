import { useState } from 'preact/hooks';
import type { Standing } from '../../conformance/report/summary.ts';
import { useListener, useOtherTheme } from '../ui/browser.ts';
import { Input } from '../ui/input.tsx';
import { Button, Facts } from '../ui/parts.tsx';
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

const held = data.requirements.filter((row) => row.state === 'held');
const items = Object.values(data.coverage).flat();
const exercised = items.filter((item) => item.exercised).length / items.length;

/** The views, each with the number that its tab shows. */
const PAGES = {
  causes: { title: 'Causes', number: data.causes.length.toLocaleString('en'), View: Causes },
  matrix: { title: 'Matrix', number: `${models.length} × ${groups.length}`, View: Matrix },
  cases: { title: 'Cases', number: data.cases.length.toLocaleString('en'), View: Cases },
  requirements: {
    title: 'Requirements',
    number: `${held.length}/${data.requirements.length}`,
    View: Requirements,
  },
  coverage: {
    title: 'Coverage',
    number: items.length === 0 ? '–' : `${Math.floor(exercised * 100)} %`,
    View: Coverage,
  },
} as const;
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
  useListener('popstate', () => setState(readState()));
  const { View } = PAGES[state.view];
  return (
    <>
      <button type="button" class="skip-link" onClick={() => document.getElementById('view')?.focus()}>
        Skip to the results
      </button>
      <Header state={state} />
      <main>
        <Filters state={state} />
        <View key={addressOf(state)} state={state} />
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
      <nav class="tabs" aria-label="Views">
        {VIEWS.map((view) => (
          <a
            key={view}
            href={addressOf({ ...state, view })}
            aria-current={view === state.view ? 'page' : undefined}
          >
            {PAGES[view].title} <b class="soft">{PAGES[view].number}</b>
          </a>
        ))}
      </nav>
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

const CHOICES = [
  { name: 'model', label: 'Filter by model', all: 'All models', values: models },
  { name: 'group', label: 'Filter by rule', all: 'All rules', values: groups },
  { name: 'requirement', label: 'Filter by requirement', all: 'All requirements', values: named },
] as const;

function Filters({ state }: { state: State }) {
  const hasFilters = state.view === 'matrix' || state.view === 'cases';
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
  const toggle = (standing: Standing) => [
    ...new Set(state.standings).symmetricDifference(new Set([standing])),
  ];
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
