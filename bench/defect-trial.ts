import { createInstruments } from '../conformance/arrange.ts';
import type { CaseResult } from '../conformance/outcome.ts';
import { type PlannedCase, planRun } from '../conformance/plan.ts';
import { runSuite } from '../conformance/run.ts';
import type { Fixtures } from '../fixtures/fixtures.ts';
import type { Defect, Place, Plan } from '../mock/defects/defect.ts';
import { nameOfPlace } from '../mock/defects.ts';
import { createMock } from '../mock/mock.ts';
import { createInProcessTarget } from './in-process-target.ts';

/** What the suite says of a service with one defect. */
export type Verdict = {
  /** `create.drops-field:brand.name` */
  readonly name: string;
  /** Some case of a rule about the defect failed, for its model and field. */
  readonly caught: boolean;
  /** The rules about it that failed. */
  readonly rules: readonly string[];
  /** The rules that were to fail, and did not, when it survived. */
  readonly expected: readonly string[];
  /** What failed of the whole suite when it survived. */
  readonly instead: readonly string[];
  /** The suite's own mistakes. */
  readonly errors: readonly string[];
};

/** Tries defects one by one, each in a service of its own that is as good as the plan otherwise. */
export type Trial = (defect: Defect, place: Place) => Promise<Verdict>;

/**
 * Makes what all trials share: one mock to fork, and ids of its records to link to, so that a trial costs
 * milliseconds.
 */
export async function createTrial(plan: Plan, fixtures: Fixtures): Promise<Trial> {
  const mock = await createMock({ ...plan, fixtures });
  const instruments = createInstruments(plan);
  const bindings = bindAll(plan, fixtures);
  const planned = new Map<string, readonly PlannedCase[]>();
  return async (defect, place) => {
    const { field, model } = place;
    const cases = planned.get(model.name) ?? planRun(plan, { models: [model.name] }).flat();
    planned.set(model.name, cases);
    const about = cases.filter(({ rule }) => defect.rules.includes(rule.id));
    const near = about.filter((item) => !item.case.field || item.case.field === field);
    const verdict = { name: `${defect.name}:${nameOfPlace(place)}`, expected: defect.rules };
    const errors: string[] = [];
    // First the cases of the field itself; a value that is lost beside another one shows in the others' cases.
    for (const tried of near.length < about.length ? [near, about] : [about]) {
      const results = await run(defect, place, tried);
      errors.push(...results.filter(({ outcome }) => outcome === 'error').map(describe));
      const telling = results.filter((result) => tells(result, defect, place));
      if (telling.length > 0) {
        const rules = [...new Set(telling.map(({ rule }) => rule))];
        return { ...verdict, caught: errors.length === 0, rules, instead: [], errors };
      }
    }
    const whole = await run(defect, place, cases);
    const instead = whole.filter(({ outcome }) => outcome !== 'pass' && outcome !== 'skip').map(describe);
    return { ...verdict, caught: false, rules: [], instead, errors };
  };

  async function run(
    defect: Defect,
    place: Place,
    cases: readonly PlannedCase[],
  ): Promise<readonly CaseResult[]> {
    if (cases.length === 0) return [];
    const broken = await mock.fork(defect.decorate(place, plan));
    const selection = { models: [place.model.name], cases: cases.map(({ id }) => id) };
    for await (const event of runSuite({
      ...plan,
      ...{ target: createInProcessTarget(broken), profileName: 'default', retry: false },
      ...{ selection, bindings, instruments },
    }))
      if (event.type === 'end') return event.results.cases;
    throw new Error('the run ended without results');
  }
}

/** A failure that is about the defect: of one of its rules, and of its field or one that names it. */
export function tells(result: CaseResult, { rules }: Defect, { field }: Place): boolean {
  if (result.outcome !== 'fail' || !rules.includes(result.rule)) return false;
  if (!field || result.field === undefined || result.field === field.name) return true;
  return new RegExp(`\\b${field.name}\\b`).test(`${result.message} ${result.found}`);
}

function describe({ found, id, message, outcome }: CaseResult): string {
  return `${outcome} ${id}: ${message?.slice(0, 200)}${found === undefined ? '' : ` (${found.slice(0, 100)})`}`;
}

/** For each model and each thing outside the catalogue, two ids to link to. */
function bindAll(
  { catalogue, references }: Plan,
  fixtures: Fixtures,
): ReadonlyMap<string, readonly number[]> {
  const models = [...catalogue.models.keys()].map((name) => {
    const live = (fixtures.get(name) ?? []).filter((record) => record.deleted !== true);
    return [name, live.slice(0, 2).map((record) => Number(record.id))] as [string, number[]];
  });
  const outside = [...references.values()].flatMap((link) =>
    'outside' in link ? [[link.outside, [1, 2]] as [string, number[]]] : [],
  );
  return new Map([...models, ...outside]);
}
