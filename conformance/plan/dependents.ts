import type { Operation } from '../../spec/catalogue/catalogue.ts';
import type { SettingName } from '../../spec/profile/profile.ts';
import { operationOf } from '../api/api.ts';
import type { CaseResult } from '../results/results.ts';
import type { Exchange } from '../target/exchange.ts';
import type { PlannedCase } from './plan.ts';

/** The operations that can't be used on a model, and the cases that need them. */
export type Dependents = {
  /** Whether the case decides if its operation works. */
  isAboutOperation(planned: PlannedCase): boolean;
  /** Blocks what needs the operation of a failed case. */
  note(planned: PlannedCase, result: CaseResult): void;
  /** The ID of the case that blocks this one: `operations.create:brand`. */
  blockerOf(planned: PlannedCase): string | undefined;
};

/** Keeps the run from sending requests that can't succeed: a case needs operations that work. */
export function createDependents(): Dependents {
  const broken = new Map<string, { readonly id: string; readonly differs: SettingName | undefined }>();
  const keyOf = (operation: Operation, { model }: PlannedCase) => [operation, model.name].join(' ');
  return {
    isAboutOperation,
    note(planned, result) {
      const { operation } = planned.case;
      if (operation && isAboutOperation(planned) && isBroken(result))
        broken.set(keyOf(operation, planned), { id: planned.id, differs: result.differs });
    },
    blockerOf(planned) {
      for (const operation of planned.rule.needs) {
        const blocker = broken.get(keyOf(operation, planned));
        // The rule of the setting shows that the target differs.
        if (blocker && (blocker.differs === undefined || blocker.differs !== planned.rule.setting))
          return blocker.id;
      }
      return undefined;
    },
  };
}

/** Whether an operation can't be used: its case failed, or the profile does not fit. */
export function isBroken(result: CaseResult | undefined): boolean {
  if (result?.outcome === 'blocked') return result.differs !== undefined;
  return result?.outcome === 'fail' && !result.usable;
}

/** Names the blocker of each case that was tried and met an operation that is broken. */
export function nameBlockers(results: Map<string, CaseResult>, models: ReadonlySet<string>): void {
  for (const [id, result] of results) {
    const exchange = result.exchanges?.at(-1);
    if (result.outcome !== 'blocked' || result.blockedBy !== undefined || !exchange) continue;
    const blocker = `operations.${operationIn(exchange, models)}`;
    if (blocker !== id && isBroken(results.get(blocker))) results.set(id, { ...result, blockedBy: blocker });
  }
}

/** Returns `create:brand`, or undefined for a request that is no operation on a model. */
export function operationIn({ request }: Exchange, models: ReadonlySet<string>): string | undefined {
  const [model = '', last = ''] = new URL(request.url).pathname.split('/').slice(-2);
  const isAll = models.has(last);
  const operation = operationOf(request.method, !isAll);
  return operation && (isAll || models.has(model)) ? `${operation}:${isAll ? last : model}` : undefined;
}

function isAboutOperation({ case: { operation }, rule }: PlannedCase): boolean {
  return operation !== undefined && rule.id === `operations.${operation}`;
}
