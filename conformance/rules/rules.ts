import type { Rule } from '../rule.ts';
import { absentRules } from './absent.ts';
import { inputAdvice } from './advice-input.ts';
import { keptAdvice } from './advice-kept.ts';
import { stateAdvice } from './advice-state.ts';
import { fieldAdvice, fieldRules } from './fields.ts';
import { lifecycleRules } from './lifecycle.ts';
import { listRules } from './lists.ts';
import { operationRules } from './operations.ts';
import { otherRecordRules } from './other-records.ts';
import { profileDeleteRules } from './profile-delete.ts';
import { profileLimitRules } from './profile-limits.ts';
import { profileListRules } from './profile-list.ts';
import { profileRequestRules } from './profile-request.ts';
import { profileResponseRules } from './profile-response.ts';
import { profileStatusRules } from './profile-status.ts';
import { profileTypeRules } from './profile-types.ts';
import { readonlyRules } from './readonly.ts';
import { requiredRules } from './required.ts';
import { valueRules } from './values.ts';
import { wrongTypeRules } from './wrong-types.ts';

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
  ...absentRules,
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
