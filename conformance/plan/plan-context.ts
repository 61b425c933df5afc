import type { Contract } from '../../spec/contract.ts';

/** What is known before the first request. */
export type PlanContext = Contract;
