import type { Probe } from '../probe.ts';
import { accessProbe } from './access.ts';
import { extraFieldsProbe, linksProbe, updateProbe } from './bodies.ts';
import { deletionProbe, seenDeletionProbe } from './deletion.ts';
import { encodingProbe } from './encoding.ts';
import { madeEnvelopeProbe, recordProbe, recordsProbe } from './envelope.ts';
import { rateProbe, textLimitProbe } from './limits.ts';
import { pagingProbe } from './list/paging.ts';
import { filterProbe, sortProbe, unknownParameterProbe } from './list/parameters.ts';
import { sizesProbe } from './list/sizes.ts';
import { totalProbe } from './list/totals.ts';
import { readingRefusalsProbe, writingRefusalsProbe } from './refusals.ts';
import { transitionsProbe } from './transitions.ts';
import { seenTypesProbe, triedTypesProbes } from './types/types.ts';
import { madeUnsetProbe, seenUnsetProbe } from './types/unset.ts';
import { valueListsProbe } from './types/value-lists.ts';

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
