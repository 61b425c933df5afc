import type { Operation } from '../../spec/catalogue/catalogue.ts';
import type { CaseResult } from '../results/results.ts';
import type { PlannedCase } from './plan.ts';

/** The operations that failed for a model, and the cases that need them. */
export type Dependents = {
  /** Whether the case decides if its operation works. */
  isAboutOperation(planned: PlannedCase): boolean;
  /** Blocks what needs the operation of a failed case. */
  note(planned: PlannedCase, failed: CaseResult): void;
  /** The ID of the failed case that blocks this one: `operations.create:brand`. */
  blockerOf(planned: PlannedCase): string | undefined;
};

/** Keeps the run from sending requests that can't succeed: a case needs operations that work. */
export function createDependents(): Dependents {
  const broken = new Map<string, string>();
  const keyOf = (operation: Operation, { model }: PlannedCase) => [operation, model.name].join(' ');
  return {
    isAboutOperation,
    note(planned, { outcome, usable }) {
      const { operation } = planned.case;
      if (operation && isAboutOperation(planned) && outcome === 'fail' && !usable)
        broken.set(keyOf(operation, planned), planned.id);
    },
    blockerOf(planned) {
      for (const operation of planned.rule.needs) {
        const blocker = broken.get(keyOf(operation, planned));
        if (blocker !== undefined) return blocker;
      }
      return undefined;
    },
  };
}

function isAboutOperation({ case: { operation }, rule }: PlannedCase): boolean {
  return operation !== undefined && rule.id === `operations.${operation}`;
}
