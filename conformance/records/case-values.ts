import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { whyFormless } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { agrees, UNREAD } from '../assert/agreement.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import type { CaseContext } from './context.ts';
import type { Links } from './links.ts';
import { movesOf, validValue, validValues } from './values.ts';

export type CaseValues = Pick<CaseContext, 'values' | 'valuesAfter' | 'otherValue' | 'remedyFor'>;

/** The valid values that the cases of a model send; see `CaseContext` for what each part promises. */
export function createCaseValues(
  model: Model,
  plan: PlanContext,
  links: Links,
  number: () => number,
): CaseValues {
  const { profile } = plan;
  return {
    values,
    valuesAfter,
    otherValue,
    remedyFor: (refusal, sent) => links.remedyFor(model, refusal, sent),
  };

  function values(extent: 'required' | 'all'): Record<string, Value> {
    return validValues(model, extent, number(), plan, links);
  }

  function valuesAfter(current: RecordValues): Record<string, Value> {
    const after = values('all');
    for (const field of model.fields) {
      const value = current[field.name];
      if (value !== undefined && value !== UNREAD && movesOf(field, profile))
        after[field.name] = otherValue(field, value) ?? value;
    }
    return after;
  }

  function otherValue(field: Field, current: Value | undefined): Value | undefined {
    if (whyFormless(field, plan)) return undefined;
    const moves =
      current === undefined || current === null ? undefined : movesOf(field, profile)?.[String(current)];
    if (moves) return moves.find((value) => value !== current);
    for (let tries = 0; tries < 3; tries++) {
      const value = validValue(model, field, number(), plan, links);
      if (value !== undefined && !agrees(field, value, current)) return value;
    }
    return field.type === 'manyToMany' && !agrees(field, [], current) ? [] : undefined;
  }
}
