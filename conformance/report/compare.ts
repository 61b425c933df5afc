import { readFileSync } from 'node:fs';
import { kitFile } from '../../spec/files/kit-file.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { readTextFile } from '../../spec/files/yaml-file.ts';
import { createAjv } from '../../spec/json-schema.ts';
import { parseJson } from '../../spec/parse-json.ts';
import {
  type CaseResult,
  conformingLine,
  conformingModels,
  earlyEnd,
  type Results,
} from '../results/results.ts';
import { oneLine, plural } from '../results/text.ts';
import { causesOf, sentenceOf } from './summary.ts';

/** How the failures of a run can differ from those of an earlier run, the most urgent first. */
const CHANGES = ['new', 'no longer blocked', 'still failing', 'fixed', 'no longer tested'] as const;
type FailureChange = (typeof CHANGES)[number];

export type Comparison = ReturnType<typeof compareResults>;

/** A cause of failures; for cases that are no longer tested, a reason. */
type ComparedCause = {
  readonly sentence: string;
  readonly case: string;
  readonly cases: number;
  readonly models: number;
};

const MOST_LISTED = 20;

/**
 * Compares two runs. Cases of level advice have no effect. `conforming` counts the models of both runs that conform, and
 * `remarks` are differences that do not come from the service, such as another profile.
 */
export function compareResults(
  { file, results: before }: { readonly file: string; readonly results: Results },
  now: Results,
) {
  const { excused, groups } = changesOf(before, now);
  const [was, is] = [conformingModels(before), conformingModels(now)];
  const earlier = new Set(before.cases.map(({ model }) => model));
  const both = new Set(now.cases.map(({ model }) => model).filter((name) => earlier.has(name)));
  const countIn = (conforming: readonly string[]) => conforming.filter((name) => both.has(name)).length;
  return {
    file,
    startedAt: before.startedAt,
    conforming: both.size === 0 ? undefined : { before: countIn(was), now: countIn(is) },
    remarks: remarksOn(before, now, excused),
    groups: CHANGES.flatMap((change) => {
      const pairs = groups.get(change) ?? [];
      if (pairs.length === 0) return [];
      const causes = change === 'no longer tested' ? reasonsOf(pairs, now) : causesIn(change, pairs);
      return [{ change, cases: pairs.length, causes: causes.length, first: causes.slice(0, MOST_LISTED) }];
    }),
  };
}

/** `1 new cause (3 cases) · 2 causes fixed (50 cases) · 12 cases no longer tested`, or `nothing new`. */
export function changesLine({ groups }: Comparison): string {
  const parts = groups.map(({ cases, causes, change }) => {
    if (change === 'no longer tested') return `${plural(cases, 'case')} ${change}`;
    const [before, after] = change === 'new' ? ['new ', ''] : ['', ` ${change}`];
    return `${plural(causes, `${before}cause`)}${after} (${plural(cases, 'case')})`;
  });
  return [...(groups[0]?.change === 'new' ? [] : ['nothing new']), ...parts].join(' · ');
}

/** `3 of 53 models conform (2 more than in results.json of 2026-11-22)`. */
export function comparedLine({ conforming, file, startedAt }: Comparison, now: Results): string {
  const line = conformingLine(now);
  if (conforming === undefined) return line;
  const more = conforming.now - conforming.before;
  const change = more === 0 ? 'the same number as' : `${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'} than`;
  return `${line} (${change} in ${file} of ${startedAt.slice(0, 10)})`;
}

type Pair = { readonly was: CaseResult | undefined; readonly is: CaseResult | undefined };

function changesOf(before: Results, now: Results) {
  const [was, is] = [before, now].map(
    ({ cases }) =>
      new Map(cases.filter(({ level }) => level !== 'advice').map((result) => [result.id, result])),
  );
  const ids = new Set([...(is?.keys() ?? []), ...(was?.keys() ?? [])]);
  const pairs = [...ids].map((id): Pair => ({ was: was?.get(id), is: is?.get(id) }));
  const groups = Map.groupBy(pairs, changeOf);
  const all = groups.get('new') ?? [];
  // A failure that the baseline excuses is known to the team.
  const counted = all.filter(({ is }) => is?.excused === undefined);
  groups.set('new', counted);
  return { excused: all.length - counted.length, groups };
}

function changeOf({ was, is }: Pair): FailureChange | undefined {
  if (isBad(is)) {
    if (!isBad(was)) return 'new';
    return was?.outcome === 'blocked' && is?.outcome === 'fail' ? 'no longer blocked' : 'still failing';
  }
  if (is?.outcome === 'pass') return isBad(was) ? 'fixed' : undefined;
  return isBad(was) || was?.outcome === 'pass' ? 'no longer tested' : undefined;
}

function isBad(result: CaseResult | undefined): boolean {
  return result?.outcome === 'fail' || result?.outcome === 'blocked';
}

/** Returns the causes of failures; those of fixed ones are in the earlier run. */
function causesIn(change: FailureChange, pairs: readonly Pair[]): ComparedCause[] {
  const results = pairs.flatMap(({ was, is }) => (change === 'fixed' ? was : is) ?? []);
  return causesOf(results).map((cause) => {
    const { cases, first, models } = cause;
    return { sentence: sentenceOf(cause), case: first.id, cases: cases.length, models: models.length };
  });
}

/** Returns why cases were not tested, the most frequent reason first. */
function reasonsOf(pairs: readonly Pair[], now: Results): ComparedCause[] {
  return [...Map.groupBy(pairs, (pair) => reasonOf(pair, now))]
    .map(([reason, of]) => {
      const failed = of.filter(({ was }) => isBad(was)).length;
      return {
        sentence: failed === 0 ? reason : `${reason}; ${failed} of them failed before`,
        case: of[0]?.was?.id ?? '',
        cases: of.length,
        models: new Set(of.map(({ was }) => was?.model)).size,
      };
    })
    .toSorted((one, other) => other.cases - one.cases);
}

function reasonOf({ is, was }: Pair, now: Results): string {
  if (is?.outcome === 'flaky') return 'failed, then passed in a retry';
  if (is !== undefined) return oneLine(is.message ?? 'skipped', 120);
  if (now.notBuilt?.includes(was?.model ?? '')) return 'the model is not built';
  return earlyEnd(now) === undefined ? 'not selected, or not a case of this profile' : 'the run ended early';
}

/** Returns why the runs are not alike, so that a difference might not come from the service. */
function remarksOn(before: Results, now: Results, excused: number): string[] {
  const facts = ({ catalogue, profile, readOnly, target }: Results) => ({
    'base URL': target,
    contract: `${catalogue.title} ${catalogue.version}`,
    'settings of the profile': profile.differs.join(', ') || 'defaults',
    'requests sent': readOnly ? 'only GET' : 'all',
  });
  const [was, is] = [facts(before), facts(now)];
  const early = earlyEnd(before);
  return [
    ...Object.entries(is).flatMap(([name, value]) => {
      const old = was[name as keyof typeof was];
      return old === value
        ? []
        : [oneLine(`${name}: ${oneLine(old, 100)} before, ${oneLine(value, 100)} now`)];
    }),
    ...(early === undefined ? [] : [oneLine(`the earlier run ${early}`)]),
    ...(excused > 0 ? [`${plural(excused, 'new failure')} excused by the baseline`] : []),
  ];
}

/** Maximum number of bytes. */
const LARGEST_FILE = 64 * 1024 * 1024;

/** Reads a file of `check --json`. Unknown members are removed. Throws UsageError for another file. */
export function loadResults(path: string): Results {
  const results = parseJson(readTextFile(path, 'the file of check --json', LARGEST_FILE));
  if (results === undefined) return refuse(path, 'it is not JSON');
  const schema = JSON.parse(readFileSync(kitFile('conformance/results.schema.json'), 'utf8'));
  const ajv = createAjv({ removeAdditional: true, strict: false, validateSchema: false });
  const isValid = ajv.compile<Results>(schema);
  if (isValid(results)) return results;
  const [{ instancePath = '', message = '' } = {}] = isValid.errors ?? [];
  return refuse(path, `${instancePath.slice(1, 100) || 'it'} ${message}`);
}

function refuse(path: string, why: string): never {
  throw new UsageError(
    `${path} does not have the results of a run: ${why}. Write the file with record-model check --json FILE.`,
  );
}
