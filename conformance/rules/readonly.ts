import type { Field } from '../../spec/field.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { type Answer, isAccepted } from '../api.ts';
import type { CaseContext } from '../context.ts';
import { expectRecord, expectRefused, needCreate } from '../expect.ts';
import { eachField, Failure, type Rule, Skip } from '../rule.ts';
import { agrees, asKept } from '../values.ts';
import { show } from '../wire-check.ts';

/** Readonly fields are not writable (section 4, rule 2): ignoring one is as good as refusing it, storing is not. */
export const readonlyRules: readonly Rule[] = [
  {
    id: 'readonly.on-create',
    title: 'A readonly field that is sent with a create is not stored',
    requirement: 'field-readonly',
    level: 'stated',
    needs: ['create', 'retrieve'],
    cases: eachField(
      (field) => field.readonly,
      async (context, field) => {
        await needCreate(context);
        const sent = context.values('required');
        // What the service gives the field when nobody sends it: only another value can show that it was stored.
        const given = context.check.read(context.model, await context.minimal());
        const value = valueUnlike(context, field, given[field.name]);
        const body = context.codec.encodeNamed(context.model.name, { ...sent, [field.name]: value });
        const answer = await context.api.create(context.model.name, body);
        const id = context.adopt(answer);
        if (!refused(answer, field) && id !== undefined) await expectNotStored(context, id, field, value);
      },
    ),
  },
  {
    id: 'readonly.on-update',
    title: 'A readonly field that is sent with an update is not stored',
    requirement: 'field-readonly',
    level: 'stated',
    needs: ['create', 'retrieve', 'update'],
    cases: eachField(
      (field) => field.readonly,
      async (context, field) => {
        const { api, codec, model } = context;
        const { answer: created, id, sent } = await context.make();
        const before = context.check.read(model, expectRecord(context, created, 'a create'));
        const value = valueUnlike(context, field, before[field.name]);
        const others = context.profile['request.update'] === 'full' ? sent : {};
        const answer = await api.update(
          model.name,
          id,
          codec.encodeNamed(model.name, { ...others, [field.name]: value }),
        );
        refused(answer, field);
        await expectNotStored(context, id, field, value);
      },
    ),
  },
];

function refused(answer: Answer, field: Field): boolean {
  if (isAccepted(answer)) return false;
  expectRefused(answer, `a request with readonly ${field.name}`);
  return true;
}

async function expectNotStored(context: CaseContext, id: number, field: Field, value: Value): Promise<void> {
  const record = await context.readValues(id);
  if (agrees(field, value, record[field.name]))
    throw new Failure(
      `readonly ${field.name} was stored as it was sent`,
      `any value but ${show(value)}`,
      show(record[field.name]),
    );
}

function valueUnlike(context: CaseContext, field: Field, given: Value | undefined): Value {
  const { profile } = context;
  for (let tries = 0; tries < 5; tries++) {
    // Far from what a service counts up to by itself, so that an id or a total is not met by chance.
    const sample = WIRE_TYPES[field.type].sample(900_000_000 + context.number() * 10 + tries, {
      field,
      profile,
    });
    const value = asKept(field, sample, profile);
    if (!agrees(field, value, given)) return value;
  }
  throw new Skip(`${field.key} has one value only, so that nothing can be told from it`);
}
