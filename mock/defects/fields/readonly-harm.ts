import type { Model } from '../../../spec/catalogue/catalogue.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { combineDecorations } from '../../decoration.ts';
import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { isOne, noting, onCreate, onEngine, onUpdate, without } from '../on-engine.ts';
import { storingIt, takingIt } from './readonly.ts';

const isNumber = (value: Value | undefined): value is number => Number.isInteger(value);

const someWritable = (model: Model) => model.fields.some(isWritable);
const someRequired = (model: Model) => model.fields.some((field) => isWritable(field) && field.required);

/** Readonly fields that change another record, or a deleted one, when they are sent (section 4, rule 2). */
export const readonlyHarmDefects: readonly Defect[] = [
  fieldDefect({
    name: 'readonly.id-names-updated',
    violates: 'updates the record with the ID in the body of an update',
    rules: ['readonly.on-update'],
    applies: (field, model) => isIdField(field) && has(model, 'create', 'update') && someWritable(model),
    decorate: (place, contract) =>
      combineDecorations([
        takingIt('update', place, contract),
        onUpdate(place.model, async (inner, id, { values, violations }) => {
          const named = isNumber(values.id) ? await inner.retrieve(place.model, values.id) : undefined;
          const target = named && isOne(named) ? Number(named.record.id) : id;
          return inner.update(place.model, target, { values: without(values, 'id'), violations });
        }),
      ]),
  }),
  fieldDefect({
    name: 'readonly.id-overwrites',
    violates: 'overwrites the record with the ID in the body of a create',
    rules: ['readonly.on-create'],
    applies: (field, model) => isIdField(field) && has(model, 'create', 'update') && someRequired(model),
    decorate: (place, contract) =>
      combineDecorations([
        takingIt('create', place, contract),
        onCreate(place.model, async (inner, draft) => {
          const values = without(draft.values, 'id');
          const named = isNumber(draft.values.id)
            ? await inner.retrieve(place.model, draft.values.id)
            : undefined;
          if (!named || !isOne(named)) return inner.create(place.model, { ...draft, values });
          const result = await inner.update(place.model, Number(named.record.id), { ...draft, values });
          return isOne(result) ? result : inner.create(place.model, { ...draft, values });
        }),
      ]),
  }),
  fieldDefect({
    name: 'readonly.deleted-revives',
    violates: 'restores a deleted record if an update sends deleted',
    rules: ['readonly.on-update'],
    applies: (field, model, { profile }) =>
      field.role === 'deleted' &&
      has(model, 'create', 'update', 'delete') &&
      profile['delete.effect'] !== 'remove',
    decorate: (place, contract) =>
      combineDecorations([
        takingIt('update', place, contract),
        onEngine(place.model, (inner) => {
          const { name } = place.field;
          const gone = new Map<number, RecordValues>();
          const back = new Map<number, RecordValues>();
          return {
            delete: (_, id) => {
              back.delete(id);
              return noting(inner.delete(place.model, id), (record) => gone.set(id, record));
            },
            retrieve: async (_, id) => {
              const record = back.get(id);
              return record ? { kind: 'record', record } : inner.retrieve(place.model, id);
            },
            update: async (_, id, { values, violations }) => {
              const record = gone.get(id);
              if (!record || values[name] !== false)
                return inner.update(place.model, id, { values: without(values, name), violations });
              back.set(id, { ...record, [name]: false });
              return { kind: 'record', record: { ...record, [name]: false } };
            },
          };
        }),
      ]),
  }),
  fieldDefect({
    name: 'readonly.stored-beside-others',
    violates: 'stores a readonly field of an update that also changes a writable field',
    rules: ['readonly.on-update'],
    applies: (field, model) => field.readonly && has(model, 'create', 'update') && someWritable(model),
    decorate: (place, contract) => {
      const besides = (sent: RecordValues) =>
        place.model.fields.some((field) => isWritable(field) && Object.hasOwn(sent, field.name));
      return combineDecorations([takingIt('update', place, contract, besides), storingIt('update', place)]);
    },
  }),
];
