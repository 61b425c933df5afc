import type { ListedRule } from '../cases/rule.ts';
import { absentOperationRules, absentRecordRules } from './absent.ts';
import { fieldAdvice, fieldRules } from './fields.ts';
import { inputAdvice, keptAdvice } from './input.ts';
import { listRules } from './lists.ts';
import { lifecycleRules, operationRules, valueRules } from './operations.ts';
import { requiredRules, valueRefusalRules, wrongTypeRules } from './refusals.ts';
import { stateAdvice } from './state.ts';
import { otherRecordRules, readonlyRules } from './untouched.ts';

/** The rules that the source states. A service that breaks one breaks the contract. */
export const STATED: readonly ListedRule[] = [
  ...operationRules,
  ...fieldRules,
  ...wrongTypeRules,
  ...requiredRules,
  ...readonlyRules,
  ...valueRules,
  ...valueRefusalRules,
  ...lifecycleRules,
  ...listRules,
  ...otherRecordRules,
  ...absentOperationRules,
  ...absentRecordRules,
];

/** Rules that users would expect and the source does not state. Advice decides nothing. */
export const ADVICE: readonly ListedRule[] = [...fieldAdvice, ...stateAdvice, ...inputAdvice, ...keptAdvice];
