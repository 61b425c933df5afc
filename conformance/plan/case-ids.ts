import type { Contract } from '../../spec/contract.ts';
import { unexpected } from '../../spec/files/usage-error.ts';
import type { Rule } from '../cases/rule.ts';
import type { CaseIds } from '../results/baseline.ts';
import { planRun, type Selection, unknownCase } from './plan.ts';
import { RULES } from './rules.ts';

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
