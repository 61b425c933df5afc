import type { ListedRule, Rule } from '../../cases/rule.ts';
import { absentOperationRules, absentRecordRules } from './absent-operations.ts';
import { fieldRules } from './fields.ts';
import { listRules } from './lists.ts';
import { lifecycleRules, operationRules } from './operations.ts';
import { otherRecordRules } from './other-records.ts';
import { readonlyRules } from './readonly.ts';
import { requiredRules, valueRefusalRules, wrongTypeRules } from './refusals.ts';
import { valueRules } from './values.ts';

const rules: readonly ListedRule[] = [
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

/** What the source states: a service that breaks one of these breaks the contract. */
export const STATED = rules.map((rule): Rule => ({ ...rule, level: 'stated' }));
