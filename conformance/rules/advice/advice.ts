import type { Rule } from '../../plan/rule.ts';
import { fieldAdvice } from './fields.ts';
import { inputAdvice } from './input.ts';
import { keptAdvice } from './kept.ts';
import { stateAdvice } from './state.ts';

/** What users would expect beside it. Advice decides nothing. */
export const ADVICE = [...fieldAdvice, ...stateAdvice, ...inputAdvice, ...keptAdvice].map(
  (rule): Rule => ({ ...rule, level: 'advice' }),
);
