import { type Pins, pinsIn, readPins } from '../conformance/records/values/pins.ts';
import type { CaseResult, Results } from '../conformance/results/results.ts';
import { type RunEvent, type RunOptions, runSuite } from '../conformance/run.ts';
import { createTarget, type Target, type TargetOptions } from '../conformance/target/target.ts';
import { loadContract } from '../spec/contract.ts';
import { createProfile } from '../spec/profile/profile.ts';

/** The contract of the source, with the default profile. */
export const contract = loadContract();
export const { catalogue, references } = contract;

export type Checking = Partial<Omit<RunOptions, 'target'>> & {
  readonly models?: readonly string[];
  readonly rules?: readonly string[];
  /** The settings that differ from the default profile. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** How the target is talked to. */
  readonly connection?: Omit<TargetOptions, 'baseUrl'>;
  /** Puts something between the suite and its target. */
  readonly wrap?: (target: Target) => Target;
  readonly onEvent?: (event: RunEvent) => void;
};

/** Runs the suite under the default profile against the service at a URL. */
export async function check(baseUrl: string, options: Checking = {}): Promise<Results> {
  const { connection, models, onEvent, rules, settings, wrap = (target) => target, ...more } = options;
  const target = wrap(createTarget({ baseUrl, ...connection }));
  const selection = { ...(models ? { models } : {}), ...(rules ? { rules } : {}) };
  // No service of a test is late by a second, unless the test says so.
  const plan = { ...contract, looks: [0, 100], ...more };
  if (settings) plan.profile = createProfile(settings, plan.catalogue);
  try {
    let results: Results | undefined;
    for await (const event of runSuite({ profileName: 'default', selection, ...plan, target })) {
      onEvent?.(event);
      if (event.type === 'end') results = event.results;
    }
    if (results) return results;
    throw new Error('the run ended without results');
  } finally {
    await target.close();
  }
}

/** Reads pins under the default profile. */
export function pinsOf(given: Readonly<Record<string, unknown>>): Pins {
  return readPins(pinsIn(given), contract);
}

/** The cases that decide against the target. */
export function against({ cases }: Results): CaseResult[] {
  return cases.filter(({ level, outcome }) => level !== 'advice' && outcome !== 'pass' && outcome !== 'skip');
}

export function idsAgainst(results: Results): string[] {
  return against(results).map(({ id }) => id);
}

/** Creates a result of a case, for tests of results. */
export function resultOf(id: string, change: Partial<CaseResult> = {}): CaseResult {
  const [rule = '', place = ''] = id.split(':');
  const [model = '', field] = (place.split('=')[0] ?? '').split('.');
  return {
    id,
    rule,
    title: 'What is sent and observed',
    level: 'stated',
    requirement: 'field-required',
    model,
    ...(field === undefined ? {} : { field }),
    outcome: 'pass',
    ...change,
  };
}
