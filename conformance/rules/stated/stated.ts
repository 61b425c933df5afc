import type { Rule } from '../../plan/rule.ts';
import { absentOperationRules } from './absent-operations.ts';
import { absentRecordRules } from './absent-records.ts';
import { fieldRules } from './fields.ts';
import { lifecycleRules } from './lifecycle.ts';
import { listRules } from './lists.ts';
import { operationRules } from './operations.ts';
import { otherRecordRules } from './other-records.ts';
import { readonlyRules } from './readonly/readonly.ts';
import { requiredRules } from './required.ts';
import { valueRules } from './values.ts';
import { wrongTypeRules } from './wrong-types.ts';

/** What the source states: a service that breaks one of these breaks the contract. */
export const STATED: readonly Rule[] = [
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
];
