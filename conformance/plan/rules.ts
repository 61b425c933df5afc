import type { Rule } from '../cases/rule.ts';
import { ADVICE } from '../rules/advice/advice.ts';
import { STATED } from '../rules/stated/stated.ts';
import { ASSUMED } from '../settings/settings.ts';

/** Every rule, in the order of the run: what others build on comes first. */
export const RULES: readonly Rule[] = [...STATED, ...ASSUMED, ...ADVICE];
