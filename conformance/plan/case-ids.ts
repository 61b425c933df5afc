import type { Contract } from '../../spec/contract.ts';
import { unexpected } from '../../spec/files/usage-error.ts';
import { RULES } from '../rules/rules.ts';
import { planRun, type Selection, unknownCase } from './plan.ts';
import type { Rule } from './rule.ts';

/** Finds typos in IDs of cases and names of models before the profile is known. */
export type CaseIds = {
  /** Returns the error in an ID; undefined if a plan can have it. */
  explain(where: string, id: string): string | undefined;
  /** Returns the error in the name of a model; undefined if the catalogue has the model. */
  explainModel(name: string): string | undefined;
};

/**
 * The ids a selection may come to. The profile, which may still be learned, decides the details of cases, and to
 * which fields a rule about the profile applies: those stay open.
 */
export function createCaseIds(plan: Contract, selection: Selection = {}): CaseIds {
  const idsOf = (rules: readonly Rule[]) =>
    planRun(plan, selection, rules)
      .flat()
      .map(({ id }) => id);
  const ids = idsOf(RULES);
  const { models } = plan.catalogue;
  const places = new Set(idsOf(RULES.map(withEveryField)).map(placeOf));
  return {
    explain: (where, id) => (places.has(placeOf(id)) ? undefined : unknownCase(where, id, ids)),
    explainModel: (name) => (models.has(name) ? undefined : unexpected('model', name, [...models.keys()])),
  };
}

function withEveryField(rule: Rule): Rule {
  if (rule.level !== 'assumed') return rule;
  const run = async () => {};
  return {
    ...rule,
    cases: (model, plan) => [
      ...rule.cases(model, plan),
      { run },
      ...model.fields.map((field) => ({ field, run })),
    ],
  };
}

/** Rule, model and field. */
function placeOf(id: string): string {
  return id.split('=', 1)[0] ?? id;
}
