import { type ListedRule, once, type Rule } from '../../cases/rule.ts';
import { expectNoOtherField, isName } from '../stated/fields.ts';
import { inputAdvice } from './input.ts';
import { keptAdvice } from './kept.ts';
import { stateAdvice } from './state.ts';

/** The same for models of which the source does not state it, and of closed ones for what is about a record. */
const fieldAdvice: readonly ListedRule[] = [
  {
    id: 'advice.fields-only',
    title: 'A record has no field that the source does not define',
    requirement: 'fields-only',
    provenByAnswer: true,
    needs: [],
    cases: once((context) => expectNoOtherField(context, (name) => !context.model.closed || !isName(name))),
  },
];

/** Rules that users would expect and the source does not state. Advice decides nothing. */
export const ADVICE = [...fieldAdvice, ...stateAdvice, ...inputAdvice, ...keptAdvice].map(
  (rule): Rule => ({ ...rule, level: 'advice' }),
);
