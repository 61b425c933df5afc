import type { Rule } from '../plan/rule.ts';
import { ASSUMED } from '../settings/settings.ts';
import { ADVICE } from './advice/advice.ts';
import { STATED } from './stated/stated.ts';

/** Every rule, in the order of the run: what others build on comes first. */
export const RULES: readonly Rule[] = [...STATED, ...ASSUMED, ...ADVICE];
