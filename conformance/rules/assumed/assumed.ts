import type { Assumption, Rule } from '../../plan/rule.ts';
import { profileValueRules } from '../stated/values.ts';
import { profileDeleteRules } from './delete.ts';
import { profileFilterRules } from './filters.ts';
import { profileLimitRules } from './limits.ts';
import { profileListRules } from './list.ts';
import { profileRequestRules } from './request.ts';
import { profileResponseRules } from './response.ts';
import { profileStatusRules } from './status.ts';
import { profileTypeRules } from './types.ts';

const rules: readonly Assumption[] = [
  ...profileValueRules,
  ...profileRequestRules,
  ...profileResponseRules,
  ...profileStatusRules,
  ...profileDeleteRules,
  ...profileListRules,
  ...profileFilterRules,
  ...profileTypeRules,
  ...profileLimitRules,
];

/** What the profile supposes: each is about a setting. */
export const ASSUMED = rules.map(
  (rule): Rule => ({ id: `profile.${rule.setting}`, ...rule, level: 'assumed' }),
);
