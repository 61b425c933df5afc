import type { Assumption } from '../cases/rule.ts';
import { pagesRule } from '../rules/lists.ts';
import { profileValueRules } from '../rules/operations.ts';
import { profileValueRefusal } from '../rules/refusals.ts';
import { accessProbe, accessRules } from './access.ts';
import {
  rateProbe,
  rateRule,
  textLimitObservation,
  transitionsProbe,
  transitionsRule,
  valueListsProbe,
} from './limits.ts';
import { sizesProbe, totalObservation, totalProbe } from './lists.ts';
import { type Observation, ruleOf } from './observation.ts';
import { pagingObservation, pagingProbe } from './paging.ts';
import type { Probe } from './probe.ts';
import { filterProbe, queryObservations, sortProbe } from './query.ts';
import { blankObservation, encodingProbe, linksProbe, linksRule, requestObservations } from './request.ts';
import {
  deleteObservations,
  madeEnvelopeProbe,
  placeObservations,
  recordProbe,
  recordsProbe,
  statusObservations,
  unsetObservation,
} from './response.ts';
import { seenTypesProbe, triedTypesProbes, typeObservations } from './types.ts';

/** The probes in their order: each uses what those before it found. After them, each model is observed. */
export const PROBES: readonly Probe[] = [
  accessProbe,
  recordsProbe,
  recordProbe,
  seenTypesProbe,
  encodingProbe,
  madeEnvelopeProbe,
  // A service without records shows its common fields in the one just made.
  { ...seenTypesProbe, writes: true },
  pagingProbe,
  totalProbe,
  sizesProbe,
  sortProbe,
  filterProbe,
  ...triedTypesProbes,
];

/** The settings that each model or field shows, in the order of the run. */
export const OBSERVATIONS: readonly Observation[] = [
  ...requestObservations,
  ...placeObservations,
  totalObservation,
  unsetObservation,
  ...statusObservations,
  ...deleteObservations,
  pagingObservation,
  ...queryObservations,
  ...typeObservations,
  blankObservation,
  textLimitObservation,
];

/** The probes after the observations: of single fields, and of a service that takes no writes. */
export const LAST_PROBES: readonly Probe[] = [valueListsProbe, linksProbe, transitionsProbe, rateProbe];

/** The assumed rules. Each is about a setting of the profile. */
export const ASSUMED: readonly Assumption[] = [
  ...profileValueRules,
  profileValueRefusal,
  ...OBSERVATIONS.map(ruleOf),
  pagesRule,
  linksRule,
  ...accessRules,
  transitionsRule,
  rateRule,
];
