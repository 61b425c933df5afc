import type { Assumption, Rule } from '../plan/rule.ts';
import { profileValueRefusal } from '../rules/stated/refusals.ts';
import { profileValueRules } from '../rules/stated/values.ts';
import { accessProbe, accessRules } from './access.ts';
import { deleteRules, deletionProbe, seenDeletionProbe } from './delete.ts';
import { limitRules, rateProbe, textLimitProbe } from './limits.ts';
import { pagingProbe, pagingRules, sizesProbe } from './paging.ts';
import { filterProbe, queryRules, sortProbe, unknownParameterProbe } from './query.ts';
import { encodingProbe, extraFieldsProbe, linksProbe, requestRules, updateProbe } from './request.ts';
import {
  madeEnvelopeProbe,
  madeUnsetProbe,
  recordProbe,
  recordsProbe,
  responseRules,
  seenUnsetProbe,
  unsetRule,
} from './response.ts';
import type { Probe } from './setting.ts';
import { readingRefusalsProbe, statusRules, writingRefusalsProbe } from './status.ts';
import { totalProbe, totalRule } from './total.ts';
import { transitionsProbe, transitionsRule } from './transitions.ts';
import { seenTypesProbe, triedTypesProbes, typeRules } from './types.ts';
import { valueListsProbe } from './value-lists.ts';

/** The probes in their order: each uses what those before it found. */
export const PROBES: readonly Probe[] = [
  accessProbe,
  recordsProbe,
  recordProbe,
  readingRefusalsProbe,
  seenTypesProbe,
  seenUnsetProbe,
  encodingProbe,
  madeEnvelopeProbe,
  // A service without records shows its common fields in the one just made.
  { ...seenTypesProbe, needs: 'writing' },
  pagingProbe,
  totalProbe,
  sizesProbe,
  sortProbe,
  filterProbe,
  ...triedTypesProbes,
  valueListsProbe,
  madeUnsetProbe,
  extraFieldsProbe,
  linksProbe,
  unknownParameterProbe,
  updateProbe,
  writingRefusalsProbe,
  deletionProbe,
  seenDeletionProbe,
  textLimitProbe,
  transitionsProbe,
  rateProbe,
];

/** The rules about the profile, in the order of the run. */
const rules: readonly Assumption[] = [
  ...profileValueRules,
  profileValueRefusal,
  ...requestRules,
  ...responseRules,
  totalRule,
  unsetRule,
  ...statusRules,
  ...deleteRules,
  ...pagingRules,
  ...queryRules,
  ...typeRules,
  ...accessRules,
  transitionsRule,
  ...limitRules,
];

/** The assumed rules. Each is about a setting of the profile. */
export const ASSUMED = rules.map(
  (rule): Rule => ({ id: `profile.${rule.setting}`, ...rule, level: 'assumed' }),
);
