import { useState } from 'preact/hooks';
import type { Standing } from '../../conformance/report/summary.ts';
import { useListener, useOtherTheme } from '../ui/browser.ts';
import { Input } from '../ui/input.tsx';
import { Button, Facts } from '../ui/parts.tsx';
import { Cases, Causes } from './cases.tsx';
import {
  addressOf,
  chosenBy,
  data,
  go,
  groups,
  models,
  NO_FILTER,
  named,
  type ReportState,
  readState,
  SIGNS,
  VIEWS,
} from './data.ts';
import { Coverage, Requirements } from './ledger.tsx';
import { Matrix } from './matrix.tsx';

const held = data.requirements.filter((row) => row.state === 'held');
const items = Object.values(data.coverage).flat();
const exercised = items.filter((item) => item.exercised).length / items.length;

/** The views, each with its title and the number that its tab shows. */
const PAGES = {
  causes: [Causes, 'Causes', data.causes.length.toLocaleString('en')],
  matrix: [Matrix, 'Matrix', `${models.length} × ${groups.length}`],
  cases: [Cases, 'Cases', data.cases.length.toLocaleString('en')],
  requirements: [Requirements, 'Requirements', `${held.length}/${data.requirements.length}`],
  coverage: [Coverage, 'Coverage', items.length === 0 ? '–' : `${Math.floor(exercised * 100)} %`],
} as const;

const NOTICES: readonly (readonly [title: string, items: readonly string[] | undefined])[] = [
  ['The run', data.remarks],
  ['Not built, so not judged', data.notBuilt],
  ['Advice about the target', data.oddities],
  [
    'Stale baseline entries (these cases pass and these models are built, so remove the entries)',
    data.staleBaseline,
  ],
  ['Expired baseline entries (these failures count again)', data.expiredBaseline],
  ['Records that were not removed (delete them yourself)', data.leftovers],
];
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
  const [View] = PAGES[state.view];
  const theme = useOtherTheme();
  const [standing, sign] = VERDICTS[data.verdict];
  return (
    <>
      <Button
        title="Skip to the results"
        kind="skip-link"
        run={() => document.getElementById('view')?.focus()}
      />
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
        {NOTICES.map(([title, items = []]) =>
          items.length === 0 ? null : (
            <p key={title} class="notice blocked">
              {`${title}: ${items.slice(0, MOST).join(', ')}`}
              {items.length > MOST && ` and ${items.length - MOST} more`}
            </p>
          ),
        )}
        <nav class="tabs" aria-label="Views">
          {VIEWS.map((view) => (
            <a
              key={view}
              href={addressOf({ ...state, view })}
              aria-current={view === state.view ? 'page' : undefined}
            >
              {PAGES[view][1]} <b class="soft">{PAGES[view][2]}</b>
            </a>
          ))}
        </nav>
      </header>
      <main>
        <Filters state={state} />
        <View key={addressOf(state)} state={state} />
      </main>
    </>
  );
}

const CHOICES = [
  { name: 'model', label: 'Filter by model', all: 'All models', values: models },
  { name: 'group', label: 'Filter by rule', all: 'All rules', values: groups },
  { name: 'requirement', label: 'Filter by requirement', all: 'All requirements', values: named },
] as const;

function Filters({ state }: { state: ReportState }) {
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

function Chips({ state }: { state: ReportState }) {
  const all = chosenBy(state, []);
  const numberOf = (standing: Standing) =>
    all.filter((one) => one.standing === standing).length.toLocaleString('en');
  const standings = data.standings.filter((standing) => data.cases.some((one) => one.standing === standing));
  const toggle = (standing: Standing) => [
    ...new Set(state.standings).symmetricDifference(new Set([standing])),
  ];
  return (
    <fieldset class="tools" aria-label="Outcomes">
      {standings.toReversed().map((standing) => (
        <Button
          key={standing}
          title={`${SIGNS[standing]} ${numberOf(standing)} ${standing}`}
          kind={`chip ${standing}`}
          isOn={state.standings.includes(standing)}
          run={() => go({ standings: toggle(standing) })}
        />
      ))}
    </fieldset>
  );
}
