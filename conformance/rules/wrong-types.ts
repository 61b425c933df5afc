import type { Field } from '../../spec/field.ts';
import type { RecordValues } from '../../spec/record-codec.ts';
import { choicesOf } from '../../spec/types/select.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type Answer, isAccepted } from '../api.ts';
import type { CaseContext, MadeRecord } from '../context.ts';
import { expectRefused, expectValues, lasting, needCreate } from '../expect.ts';
import type { PlanContext } from '../plan-context.ts';
import { eachField, Failure, type Rule } from '../rule.ts';
import { show } from '../wire-check.ts';
import { expectNoNewRecord } from './steady.ts';

/** A field has its type whatever is sent (section 2): what is of another type is refused, or turned into one of it. */
export const wrongTypeRules: readonly Rule[] = [
  {
    id: 'fields.wrong-type-on-create',
    title: 'A value of another type that a create sends is refused, or not shown as it was sent',
    requirement: 'field-type',
    level: 'stated',
    needs: ['create', 'retrieve'],
    cases: eachField(hasWrongValue, async (context, field) => {
      await needCreate(context);
      const { api, codec, model } = context;
      const { [field.name]: _, ...values } = context.values('required');
      const wire = wrongValue(field, context);
      const answer = await api.create(model.name, {
        ...codec.encodeNamed(model.name, values),
        [field.name]: wire,
      });
      const id = context.adopt(answer);
      const what = `a create with ${field.name} ${show(wire)}`;
      if (isAccepted(answer)) {
        expectRightType(context, field, api.recordIn(answer)?.[field.name], answer);
        if (id !== undefined) expectRightType(context, field, (await context.read(id))[field.name], answer);
        return;
      }
      expectRefused(answer, what);
      // What is refused without the field is looked for there (`required.on-create`).
      if (field.required) return;
      // Where nothing else was sent, a record without a value for the field is the one.
      const stored = Object.keys(values).length === 0 ? { [field.name]: null } : values;
      await expectNoNewRecord(context, stored, what);
    }),
  },
  {
    id: 'fields.wrong-type-on-update',
    title: 'A value of another type that an update sends is refused, or not shown as it was sent',
    requirement: 'field-type',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(hasWrongValue, async (context, field) => {
      await needCreate(context);
      const { api, codec, model, profile } = context;
      const watched = await context.ask(watchOne);
      const { id, sent } = watched.made;
      const others = profile['request.update'] === 'full' ? codec.encodeNamed(model.name, sent) : {};
      const wire = wrongValue(field, context);
      const answer = await api.update(model.name, id, { ...others, [field.name]: wire });
      const after = await context.read(id);
      const before = watched.values;
      watched.values = context.check.read(model, after);
      if (isAccepted(answer)) return expectRightType(context, field, after[field.name], answer);
      const what = `an update with ${field.name} ${show(wire)}`;
      expectRefused(answer, what);
      expectValues(context, lasting(context, before), watched.values, `${what} is refused`, answer);
    }),
  },
];

/** A record for all fields, and how it was when it was last seen: nothing is stored in it, unless the target is wrong. */
async function watchOne(context: CaseContext): Promise<{ made: MadeRecord; values: RecordValues }> {
  const made = await context.make(context.values('all'));
  return { made, values: await context.readValues(made.id) };
}

/** A value list says more than a type; what lies outside it has rules of its own. */
function hasWrongValue(field: Field, plan: PlanContext): boolean {
  return !field.readonly && !choicesOf({ field, profile: plan.profile }) && wrongValue(field, plan) !== null;
}

/** An address that is none is still a text: for such types only what is no text at all is surely wrong. */
function wrongValue(field: Field, { profile }: PlanContext): Value {
  const samples = WIRE_TYPES[field.type].counterSamples({ field, profile });
  const strict = !['email', 'url', 'image'].includes(field.type);
  return samples.find((sample) => strict || typeof sample === 'object') ?? null;
}

function expectRightType(context: CaseContext, field: Field, wire: Value | undefined, answer: Answer): void {
  if (wire === undefined || wire === null) return;
  const wrong = context.check.complaint(field, wire);
  if (wrong !== undefined && context.check.otherOption(field, wire) === undefined)
    throw new Failure(
      `${field.name} takes a value of another type: ${wrong}`,
      `a 4xx status, or a ${field.type}`,
      show(wire),
      answer.exchange,
    );
}
