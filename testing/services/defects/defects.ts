/** All defects of the zoo; each breaks one stated thing at one place. */
import { CHECKS } from './checks.ts';
import type { Defect } from './defect.ts';
import { OPERATIONS } from './operations.ts';
import { RECORDS } from './records.ts';
import { VALUES } from './values.ts';

export const DEFECTS: readonly Defect[] = [...VALUES, ...CHECKS, ...RECORDS, ...OPERATIONS];
