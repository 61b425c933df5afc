import { afterAll, beforeAll, describe, it } from 'vitest';
import { loadCatalogue } from '../spec/catalogue/catalogue.ts';
import { UsageError, unexpected } from '../spec/files/usage-error.ts';
import { createProfile, loadProfile } from '../spec/profile/profile.ts';
import { loadReferences } from '../spec/references.ts';
import { createWireCheck } from './assert/agreement.ts';
import type { CaseSetup } from './cases/rule.ts';
import { planRun, type Selection } from './plan/plan.ts';
import { runCase } from './plan/run-case.ts';
import { findBound, loadBindings } from './records/links.ts';
import { pinsIn, readPins } from './records/values/pins.ts';
import { curlLine } from './report/exchanges.ts';
import { type CaseResult, countsAgainst } from './results/results.ts';
import { createJudging, type Judging } from './run.ts';
import { NoAnswer } from './target/exchange.ts';
import { locate, ping } from './target/place.ts';
import { createTarget, parseBaseUrl, type Target, type TargetOptions } from './target/target.ts';
import { LATE } from './trial/late-lists.ts';

export type ConformanceOptions = Omit<TargetOptions, 'readOnly' | 'addresses'> & {
  /** A profile file, or the settings that differ from the default; nothing is learned here. */
  readonly profile?: string | Readonly<Record<string, unknown>>;
  /** A directory with a catalogue of your own. */
  readonly catalogue?: string;
  /** Selects cases. Default: all. */
  readonly selection?: Selection;
  /** Allows writes to a service that is not on this machine, or is behind a proxy. */
  readonly write?: boolean;
  /** IDs of existing records, or a file with them: `{ product: [101, 102] }`. */
  readonly bindings?: string | Readonly<Record<string, readonly number[] | string>>;
  /** The values that the service accepts, by `model.field` or `*.field`, or a file with them. */
  readonly pins?: string | Readonly<Record<string, unknown>>;
  readonly seed?: number;
};

const OPTIONS = [
  ...(['baseUrl', 'profile', 'catalogue', 'selection', 'write', 'bindings', 'pins', 'seed'] as const),
  ...(['headers', 'credentials', 'timeout', 'connections', 'insecure', 'proxy'] as const),
  ...(['rate', 'signal', 'onWait', 'longestShown'] as const),
] satisfies readonly (keyof ConformanceOptions)[];

/** Requests per case and per hook, at most. Each has the timeout of the target. */
const REQUESTS = { case: 100, hook: 1000 };

/**
 * Declares the suite in a Vitest file: one `describe` per model, one test per case. Sends only GET to a service on another
 * machine or behind a proxy, unless `write` is true. If an option is wrong, throws UsageError while Vitest collects the file.
 */
export function describeConformance(options: ConformanceOptions): void {
  const known: readonly string[] = OPTIONS;
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new UsageError(unexpected('option', name, known, 'of describeConformance'));
  const catalogue = loadCatalogue(options.catalogue);
  const { profile: given = {} } = options;
  const profile = typeof given === 'string' ? loadProfile(given, catalogue) : createProfile(given, catalogue);
  const references = loadReferences(catalogue, options.catalogue);
  const plan = { catalogue, profile, references };
  const bindings = loadBindings(options.bindings ?? {}, catalogue, references);
  const pins = readPins(pinsIn(options.pins ?? {}), plan);
  const lanes = planRun(plan, options.selection);
  const url = parseBaseUrl(options.baseUrl);
  const timeout = options.timeout ?? 10_000;
  const [caseTime, hookTime] = [timeout * REQUESTS.case, timeout * REQUESTS.hook];
  let target: Target | undefined;
  let setup: CaseSetup;
  let judging: Judging | undefined;
  /** The results by case ID; the end of the run can turn a pass into a failure. */
  const results = new Map<string, CaseResult>();
  let gone = false;

  describe(`${catalogue.title} ${catalogue.version} at ${url}`, () => {
    beforeAll(async () => {
      const { addresses, isHere } = await locate(options.baseUrl);
      target = createTarget({ ...options, addresses: isHere ? addresses : undefined });
      await ping(target, catalogue).catch((error) => {
        throw error instanceof NoAnswer ? unreachable(error) : error;
      });
      const readOnly = !(options.write || (isHere && target.relay?.() === undefined));
      judging = createJudging({
        ...plan,
        target,
        check: createWireCheck(plan),
        readOnly,
        isDisposable: isHere,
        isStopped: () => gone,
        ms: LATE,
        bindings: await findBound(bindings, plan, target),
        pins,
        seed: options.seed ?? 1000,
      });
      setup = judging.setup;
      if (!readOnly) await setup.prepare(new Set(lanes.flat().map(({ model }) => model)));
    }, hookTime);
    afterAll(async () => {
      const passed = [...results.values()].filter(
        ({ outcome }) => outcome !== 'fail' && outcome !== 'blocked',
      );
      results.clear();
      for (const result of passed) results.set(result.id, result);
      await judging?.judge(lanes.flat(), results, true);
      await setup?.finish();
      await target?.close();
      const left = setup?.leftovers() ?? [];
      if (left.length > 0)
        throw new Error(`These records were not deleted: ${left.join(', ')}. Delete them yourself.`);
      const wrong = [...results.values()].filter((one) => !passed.includes(one) && countsAgainst(one));
      if (wrong.length > 0)
        throw new Error(wrong.map((result) => `${result.id} ${describeResult(result)}`).join('\n'));
    }, hookTime);
    for (const [model, cases] of Map.groupBy(lanes.flat(), (planned) => planned.model.name))
      describe(model, () => {
        for (const planned of cases)
          it(planned.id, { timeout: caseTime }, async ({ skip }) => {
            if (gone) skip('the target is gone');
            const result = await runCase(planned, setup).catch((error: Error) => {
              // Reported once, because all later cases would fail for the same reason.
              gone = error instanceof NoAnswer;
              throw gone ? unreachable(error) : error;
            });
            results.set(result.id, result);
            if (result.outcome === 'skip') skip(result.message);
            if (result.outcome !== 'pass' && result.level !== 'advice')
              throw new Error(describeResult(result));
          });
      });
  });
}

/** The stack says nothing about the target. */
function unreachable({ message }: Error): Error {
  const error = new Error(`The target can't be reached: ${message}`);
  error.stack = `${error.name}: ${error.message}`;
  return error;
}

function describeResult({ exchanges, expected, found, message, outcome }: CaseResult): string {
  const exchange = exchanges?.at(-1);
  return [
    `${outcome}: ${message}`,
    ...(expected === undefined ? [] : [`expected ${expected}`, `found ${found}`]),
    ...(exchange ? [curlLine(exchange)] : []),
  ].join('\n');
}
