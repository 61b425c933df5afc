import { createWireCheck, type WireCheck } from '../../conformance/assert/agreement.ts';
import { type PlannedCase, planRun } from '../../conformance/plan/plan.ts';
import type { CaseResult } from '../../conformance/results/results.ts';
import type { Fixtures } from '../../fixtures/fixtures.ts';
import type { Defect, DefectPlace } from '../../mock/defects/defect.ts';
import { nameOfPlace } from '../../mock/defects/defects.ts';
import type { Mock } from '../../mock/mock.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { createForks, describeBad, type Fork, runOn } from './run-on.ts';

/** The verdict of the suite on a service with one defect. */
export type DefectVerdict = {
  /** `create.drops-field:brand.name` */
  readonly name: string;
  /** Whether a rule about the defect failed for its model and field, without an error of the suite. */
  readonly caught: boolean;
  /** The rules about it that failed. */
  readonly rules: readonly string[];
  /** The rules that are about it. */
  readonly expected: readonly string[];
  /** Other findings, if no rule about the defect failed. */
  readonly instead: readonly string[];
  /** The suite's own mistakes. */
  readonly errors: readonly string[];
  /** The failed cases whose last exchange, which readers look at first, does not contain the value that was found. */
  readonly hidden: readonly string[];
};

/** Tries one defect in a separate service without other defects. */
export type Trial = (defect: Defect, place: DefectPlace) => Promise<DefectVerdict>;

/**
 * Makes what all trials share: one mock to fork, and ids of its records to link to, so that a trial costs milliseconds.
 * Before the first defect of a model the model is checked without one: throws when that is not green.
 */
export async function createTrial(
  contract: Contract,
  fixtures: Fixtures,
  forks: Fork | Promise<Fork> = createForks(contract, fixtures),
  check: WireCheck = createWireCheck(contract),
): Promise<Trial> {
  const fork = await forks;
  const shared = { ...contract, check, bindings: bindAll(contract, fixtures) };
  const controlled = new Map<Model, Promise<readonly PlannedCase[]>>();
  /** Reports don't show the values of records that the run did not create. */
  const redacted = new Set([...fixtures.values()].flat().flatMap(Object.values).map(String));
  return async (defect, place) => {
    const { field, model } = place;
    const control = controlled.get(model) ?? checkWithout(model);
    controlled.set(model, control);
    const cases = await control;
    const about = cases.filter(({ rule }) => defect.rules.includes(rule.id));
    const near = about.filter((item) => !item.case.field || item.case.field === field);
    const verdict = { name: `${defect.name}:${nameOfPlace(place)}`, expected: defect.rules };
    const errors: string[] = [];
    const hidden: string[] = [];
    let instead: readonly string[] = [];
    // First the cases of the field itself. A loss that depends on another field shows in the cases of that field. What
    // needs a record with another value, made by another case, shows in a run of all cases.
    for (const tried of near.length < about.length ? [near, about, cases] : [about, cases]) {
      const results = await run(model, tried, await fork(defect, place), bound(defect));
      errors.push(...describeBad(results.filter(({ outcome }) => outcome === 'error')));
      hidden.push(...describeBad(results.filter(hidesFound)));
      const rules = new Set(results.filter((result) => tells(result, defect, place)).map(({ rule }) => rule));
      if (rules.size > 0)
        return { ...verdict, caught: errors.length === 0, rules: [...rules], instead: [], errors, hidden };
      instead = describeBad(results);
    }
    return { ...verdict, caught: false, rules: [], instead, errors, hidden };
  };

  async function checkWithout(model: Model): Promise<readonly PlannedCase[]> {
    const cases = planRun(contract, { models: [model.name] }).flat();
    const bad = describeBad(await run(model, cases, await fork()));
    if (bad.length > 0) throw new Error(`${model.name} is not green without a defect: ${bad.join('; ')}`);
    return cases;
  }

  async function run(
    model: Model,
    cases: readonly PlannedCase[],
    service: Mock,
    bindings = shared.bindings,
  ): Promise<readonly CaseResult[]> {
    if (cases.length === 0) return [];
    const rules = [...new Set(cases.map(({ rule }) => rule.id))];
    const selection = { models: [model.name], rules, cases: cases.map(({ id }) => id) };
    return runOn(service, { ...shared, bindings, selection });
  }

  /** Whether a failure found a text or a number that its last exchange does not contain. */
  function hidesFound({ exchanges, found = '', outcome }: CaseResult): boolean {
    if (outcome !== 'fail' || !/^("[^"\\]{2,60}"|\d{2,})$/.test(found)) return false;
    const { body, headers } = exchanges?.at(-1)?.response ?? {};
    const value = String(JSON.parse(found));
    const shown = `${JSON.stringify(headers)}${body}`.replaceAll('.000Z', 'Z');
    return !redacted.has(value) && !shown.includes(value);
  }

  /** An empty service has no records to link to. */
  function bound({ onEmpty }: Defect) {
    return onEmpty ? bindAll(contract, new Map()) : shared.bindings;
  }
}

/** A failure that is about the defect: of one of its rules, and of its field or one that names it. */
export function tells(result: CaseResult, { elsewhere, rules }: Defect, { field }: DefectPlace): boolean {
  if (result.outcome !== 'fail' || !rules.includes(result.rule)) return false;
  if (!field || elsewhere || result.field === undefined || result.field === field.name) return true;
  return new RegExp(`\\b${field.name}\\b`).test(`${result.message} ${result.found}`);
}

/**
 * Returns IDs to link to, for each model and each kind of record outside the catalogue. The number of IDs is
 * the number that the suite makes.
 */
function bindAll({ catalogue, references }: Contract, fixtures: Fixtures): ReadonlyMap<string, number[]> {
  const bindings = new Map<string, number[]>();
  for (const name of fixtures.size > 0 ? catalogue.models.keys() : []) {
    const live = (fixtures.get(name) ?? []).filter((record) => record.deleted !== true);
    bindings.set(
      name,
      live.slice(0, 5).map(({ id }) => Number(id)),
    );
  }
  for (const link of references.values()) if ('outside' in link) bindings.set(link.outside, [1, 2, 3]);
  return bindings;
}
