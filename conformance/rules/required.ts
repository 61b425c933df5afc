import { isAccepted } from '../api.ts';
import { expectCreateRefused, expectRefused } from '../expect.ts';
import { eachField, Failure, type Rule } from '../rule.ts';
import { show } from '../wire-check.ts';

/** Required fields are asked for (section 4, rule 2). */
export const requiredRules: readonly Rule[] = [
  {
    id: 'required.on-create',
    title: 'A create without a required field is refused and stores nothing',
    requirement: 'field-required',
    level: 'stated',
    needs: ['create'],
    cases: eachField(
      (field) => field.required && !field.readonly,
      async (context, field) => {
        const { [field.name]: _, ...values } = context.values('required');
        const wire = context.codec.encodeNamed(context.model.name, values);
        await expectCreateRefused(context, values, wire, `a create without ${field.name}`);
      },
    ),
  },
  {
    id: 'required.on-update',
    title: 'An update does not take the value of a required field away',
    requirement: 'field-required',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(
      // In a form an empty text is a text; it takes away only what is no text.
      (field, { profile }) =>
        field.required && !field.readonly && (profile['request.encoding'] === 'json' || !isText(field.type)),
      async (context, field) => {
        const { api, codec, model } = context;
        const { id, sent } = await context.make();
        const values = context.profile['request.update'] === 'full' ? sent : {};
        const answer = await api.update(
          model.name,
          id,
          codec.encodeNamed(model.name, { ...values, [field.name]: null }),
        );
        // Kept in spite of the null is as good as refused.
        if (!isAccepted(answer)) expectRefused(answer, `an update of ${field.name} to null`);
        const found = (await context.read(id))[field.name];
        if (found === undefined || found === null)
          throw new Failure(`an update took the value of ${field.name} away`, 'a value', show(found));
      },
    ),
  },
];

function isText(type: string): boolean {
  return ['string', 'text', 'markdown', 'lines'].includes(type);
}
