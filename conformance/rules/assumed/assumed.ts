import type { Rule } from '../../plan/rule.ts';
import { profileDeleteRules } from './delete.ts';
import { profileFilterRules } from './filters.ts';
import { profileLimitRules } from './limits.ts';
import { profileListRules } from './list.ts';
import { profileRequestRules } from './request.ts';
import { profileResponseRules } from './response.ts';
import { profileStatusRules } from './status.ts';
import { profileTypeRules } from './types.ts';

/** What the profile supposes: each is about a setting. */
export const ASSUMED: readonly Rule[] = [
  ...profileRequestRules,
  ...profileResponseRules,
  ...profileStatusRules,
  ...profileDeleteRules,
  ...profileListRules,
  ...profileFilterRules,
  ...profileTypeRules,
  ...profileLimitRules,
];
