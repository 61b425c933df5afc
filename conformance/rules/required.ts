import type { Field } from '../../spec/field.ts';
import { isAccepted } from '../api.ts';
import type { CaseContext, MadeRecord } from '../context.ts';
import { expectCreateRefused, expectRefused, needCreate } from '../expect.ts';
import type { PlanContext } from '../plan-context.ts';
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
        // Where nothing is sent, a record without a value for the field is the one that was stored.
        const stored = Object.keys(values).length === 0 ? { [field.name]: null } : values;
        await expectCreateRefused(context, stored, wire, `a create without ${field.name}`);
      },
    ),
  },
  {
    id: 'required.null-on-create',
    title: 'A create does not leave a required field without a value when it sends null',
    requirement: 'field-required',
    level: 'stated',
    needs: ['create', 'retrieve'],
    cases: eachField(takesNull, async (context, field) => {
      await needCreate(context);
      const { api, codec, model } = context;
      const values = { ...context.values('required'), [field.name]: null };
      const answer = await api.create(model.name, codec.encodeNamed(model.name, values));
      const id = context.adopt(answer);
      if (!isAccepted(answer)) return expectRefused(answer, `a create with ${field.name} null`);
      if (id === undefined) return;
      const found = (await context.read(id))[field.name];
      if (found === undefined || found === null)
        throw new Failure(`a create left ${field.name} without a value`, 'a value', show(found));
    }),
  },
  {
    id: 'required.on-update',
    title: 'An update does not take the value of a required field away',
    requirement: 'field-required',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(takesNull, async (context, field) => {
      const { api, codec, model } = context;
      const { id, sent } = await context.ask(makeOne);
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
    }),
  },
];

/** A record for all required fields: as long as none loses its value, each finds it whole. */
function makeOne(context: CaseContext): Promise<MadeRecord> {
  return context.make();
}

/** In a form an empty text is a text; it takes away only what is no text. */
function takesNull(field: Field, { profile }: PlanContext): boolean {
  const inJson = profile['request.encoding'] === 'json';
  return field.required && !field.readonly && (inJson || !isText(field.type));
}

function isText(type: string): boolean {
  return ['string', 'text', 'markdown', 'lines'].includes(type);
}
