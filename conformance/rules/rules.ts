import type { Rule } from '../plan/rule.ts';
import { inputAdvice } from './advice/input.ts';
import { keptAdvice } from './advice/kept.ts';
import { stateAdvice } from './advice/state.ts';
import { profileDeleteRules } from './assumed/delete.ts';
import { profileLimitRules } from './assumed/limits.ts';
import { profileListRules } from './assumed/list.ts';
import { profileRequestRules } from './assumed/request.ts';
import { profileResponseRules } from './assumed/response.ts';
import { profileStatusRules } from './assumed/status.ts';
import { profileTypeRules } from './assumed/types.ts';
import { absentOperationRules } from './stated/absent-operations.ts';
import { absentRecordRules } from './stated/absent-records.ts';
import { fieldAdvice, fieldRules } from './stated/fields.ts';
import { lifecycleRules } from './stated/lifecycle.ts';
import { listRules } from './stated/lists.ts';
import { operationRules } from './stated/operations.ts';
import { otherRecordRules } from './stated/other-records.ts';
import { readonlyRules } from './stated/readonly.ts';
import { requiredRules } from './stated/required.ts';
import { valueRules } from './stated/values.ts';
import { wrongTypeRules } from './stated/wrong-types.ts';

/** Every rule, in the order of the run: what others build on comes first. */
export const RULES: readonly Rule[] = [
  ...operationRules,
  ...fieldRules,
  ...wrongTypeRules,
  ...requiredRules,
  ...readonlyRules,
  ...valueRules,
  ...lifecycleRules,
  ...listRules,
  ...otherRecordRules,
  ...absentOperationRules,
  ...absentRecordRules,
  ...profileRequestRules,
  ...profileResponseRules,
  ...profileStatusRules,
  ...profileDeleteRules,
  ...profileListRules,
  ...profileTypeRules,
  ...profileLimitRules,
  ...fieldAdvice,
  ...stateAdvice,
  ...inputAdvice,
  ...keptAdvice,
];
