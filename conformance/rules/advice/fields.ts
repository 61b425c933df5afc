import { once, type Rule } from '../../plan/rule.ts';
import { expectNoOtherField } from '../stated/fields.ts';

/** The same for models of which the source does not state it. */
export const fieldAdvice: readonly Rule[] = [
  {
    id: 'advice.fields-only',
    title: 'A record shows no field that the source does not give its model',
    requirement: 'fields-only',
    level: 'advice',
    provenByAnswer: true,
    needs: [],
    cases: (model) => (model.closed ? [] : once(expectNoOtherField)()),
  },
];
