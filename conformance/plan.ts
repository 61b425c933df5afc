import type { Model } from '../spec/catalogue.ts';
import type { PlanContext } from './context.ts';
import type { Case, Rule } from './rule.ts';
import { RULES } from './rules/rules.ts';

/** A case with the rule and model it belongs to. */
export type PlannedCase = {
  /** `required.on-create:warehouse.name`, with `=detail` where a field has several cases. */
  readonly id: string;
  readonly rule: Rule;
  readonly model: Model;
  readonly case: Case;
};

/**
 * The cases of a run, model by model. Models whose records stand in each other (lines in their parent) share a
 * lane: within a lane cases run one after the other, so that none sees the records of another.
 */
export function planRun(plan: PlanContext, models: readonly string[] | undefined, rules = RULES): PlannedCase[][] {
  const chosen = [...plan.catalogue.models.values()].filter(({ name }) => models?.includes(name) ?? true);
  const lanes = new Map<string, PlannedCase[]>();
  for (const model of chosen) {
    const lane = laneOf(model, plan);
    const cases = rules
      .filter((rule) => rule.needs.every((operation) => model.operations.includes(operation)))
      .flatMap((rule) => rule.cases(model, plan).map((item) => ({ id: caseId(rule, model, item), rule, model, case: item })));
    lanes.set(lane, [...(lanes.get(lane) ?? []), ...cases]);
  }
  return [...lanes.values()];
}

function caseId(rule: Rule, model: Model, item: Case): string {
  const field = item.field ? `.${item.field.name}` : '';
  const detail = item.detail === undefined ? '' : `=${item.detail}`;
  return `${rule.id}:${model.name}${field}${detail}${item.field || item.detail || !item.operation || rule.id.endsWith(item.operation) ? '' : `/${item.operation}`}`;
}

function laneOf(model: Model, { catalogue }: PlanContext): string {
  const parent = [...catalogue.models.values()].find(({ fields }) => fields.some(({ lines }) => lines === model.name));
  return parent && parent !== model ? parent.name : model.name;
}
