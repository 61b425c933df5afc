/** All defects of the foreign services; each breaks one stated thing at one place. */
import { AFTER_WRITES } from './after-writes.ts';
import { BODIES } from './bodies.ts';
import { CHECKS, WRITES } from './checks.ts';
import type { Defect } from './defect.ts';
import { LISTS } from './lists.ts';
import { OPERATIONS } from './operations.ts';
import { SHOWN } from './shown.ts';
import { VALUES } from './values.ts';

export const DEFECTS: readonly Defect[] = [
  ...VALUES,
  ...BODIES,
  ...CHECKS,
  ...AFTER_WRITES,
  ...LISTS,
  ...SHOWN,
  ...OPERATIONS,
  ...WRITES,
];
