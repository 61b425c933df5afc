import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import type { Contract } from '../../../spec/contract.ts';
import { WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { combineDecorations, type Decoration } from '../../decoration.ts';
import { readTextValue } from '../../operations/text-value.ts';
import { type Defect, type FieldPlace, fieldDefect, has } from '../defect.ts';
import { forgive, onDraft } from '../on-draft.ts';
import { ALL, isOne, onEngine, showing, without, withValues } from '../on-engine.ts';
import { breaking } from '../on-wire.ts';
import { sentIn } from '../sent.ts';

type Written = 'create' | 'update';

const rulesOf = (operation: Written) => [`readonly.on-${operation}`];
const appliesTo = (operation: Written) => (field: Field, model: Model) =>
  field.readonly && has(model, operation);

/** Readonly fields that a client can write (section 4, rule 2). */
export const readonlyDefects: readonly Defect[] = (['create', 'update'] as const).flatMap((operation) => [
  fieldDefect({
    name: `readonly.stored-on-${operation}`,
    violates: `stores a readonly field of ${operation === 'create' ? 'a create' : 'an update'}`,
    rules: rulesOf(operation),
    applies: appliesTo(operation),
    decorate: (place, contract) =>
      combineDecorations([takingIt(operation, place, contract), storingIt(operation, place)]),
  }),
  fieldDefect({
    name: `readonly.breaks-${operation}`,
    violates: `returns a server error for ${operation === 'create' ? 'a create' : 'an update'} with a readonly field`,
    rules: rulesOf(operation),
    applies: appliesTo(operation),
    decorate: ({ model, field }, contract) =>
      breaking(model, [operation], contract, (call) => Object.hasOwn(sentIn(call, contract), field.name)),
  }),
]);

/** A readonly field is read as a writable one would be, in the bodies that `when` lets through. */
export function takingIt(
  operation: Written,
  { model, field }: FieldPlace,
  { profile }: Contract,
  when: (sent: RecordValues) => boolean = () => true,
): Decoration {
  return onDraft(model, operation, (draft, sent) => {
    const wire = sent[field.name];
    const others = forgive(draft, field);
    if (wire === undefined || wire === null || !when(sent) || others.violations.length > 0) return draft;
    const read = profile['request.encoding'] === 'form' ? readTextValue(field, profile, wire) : wire;
    const value = WIRE_TYPES[field.type].decode(read, { field, profile });
    return forgive(draft, field, value);
  });
}

/** The service stores the value of the client in place of the computed one. */
export function storingIt(operation: Written, { model, field }: FieldPlace): Decoration {
  return onEngine(model, (inner) => {
    const stored = new Map<number, Value>();
    const shown = (record: RecordValues): RecordValues => {
      const value = stored.get(Number(record.id));
      return value === undefined ? record : { ...record, [field.name]: value };
    };
    const takeOut = (values: RecordValues) => without(values, field.name);
    return {
      ...showing(inner, ALL, shown),
      ...(operation === 'create'
        ? {
            create: async (_, draft) => {
              const value = draft.values[field.name];
              // A record is found by its id, so that this one is not only shown.
              const values = isIdField(field) ? draft.values : takeOut(draft.values);
              const result = await inner.create(model, { ...draft, values });
              if (value === undefined || !isOne(result)) return result;
              stored.set(Number(result.record.id), value);
              return withValues(result, { [field.name]: value });
            },
          }
        : {
            update: async (_, id, draft) => {
              const value = draft.values[field.name];
              const result = await inner.update(model, id, { ...draft, values: takeOut(draft.values) });
              if (!isOne(result)) return result;
              if (value !== undefined) stored.set(id, value);
              return { kind: 'record', record: shown(result.record) };
            },
          }),
    };
  });
}
