import { type ListedRule, once } from '../../plan/rule.ts';
import { expectNoOtherField, isName } from '../stated/fields.ts';

/** The same for models of which the source does not state it, and of closed ones for what is about a record. */
export const fieldAdvice: readonly ListedRule[] = [
  {
    id: 'advice.fields-only',
    title: 'A record has no field that the source does not define',
    requirement: 'fields-only',
    provenByAnswer: true,
    needs: [],
    cases: once((context) => expectNoOtherField(context, (name) => !context.model.closed || !isName(name))),
  },
];
