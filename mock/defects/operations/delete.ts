import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { draftOf, isOne, neighborOf, noting, onDelete, onEngine, withValues } from '../on-engine.ts';
import { broken, isSuccess, onOperation } from '../on-wire.ts';
import { otherValue } from '../other-value.ts';

const deletes = (model: Model) => has(model, 'create', 'delete');

/** Deletes that do not delete, or delete more than one record (section 4). */
export const deleteDefects: readonly Defect[] = [
  modelDefect({
    name: 'delete.does-nothing',
    violates: 'returns success for a delete, but does nothing',
    rules: ['operations.delete'],
    applies: deletes,
    decorate: ({ model }) =>
      onDelete(model, async (inner, id) => {
        const found = await inner.retrieve(model, id);
        return isOne(found) ? withValues(found, { deleted: true }) : found;
      }),
  }),
  modelDefect({
    name: 'delete.takes-neighbor',
    violates: 'deletes another record too',
    rules: ['delete.keeps-other-records'],
    applies: deletes,
    details: () => ['below', 'above'],
    decorate: ({ model, detail }) =>
      onDelete(model, async (inner, id) => {
        const other = await neighborOf(inner, model, id, detail);
        const result = await inner.delete(model, id);
        if (isOne(result) && other) await inner.delete(model, Number(other.id));
        return result;
      }),
  }),
  modelDefect({
    name: 'delete.takes-wrong-record',
    violates: 'deletes another record instead',
    rules: ['operations.delete', 'delete.keeps-other-records'],
    applies: deletes,
    decorate: ({ model }) =>
      onDelete(model, async (inner, id) => {
        const other = await neighborOf(inner, model, id);
        return inner.delete(model, Number(other?.id ?? id));
      }),
  }),
  fieldDefect({
    name: 'delete.changes-neighbor',
    violates: 'changes a field of another record with a delete',
    rules: ['delete.keeps-other-records'],
    applies: (field, model) => isWritable(field) && deletes(model),
    details: () => ['below', 'above'],
    decorate: ({ model, field, detail }, { profile }) =>
      onDelete(model, async (inner, id) => {
        const other = await neighborOf(inner, model, id, detail);
        const result = await inner.delete(model, id);
        if (!isOne(result) || !other) return result;
        const value = otherValue(field, other[field.name], profile);
        await inner.update(model, Number(other.id), draftOf({ [field.name]: value }));
        return result;
      }),
  }),
  modelDefect({
    name: 'delete.leaves-listed',
    violates: 'leaves a deleted record in the list without a mark',
    rules: ['operations.delete'],
    applies: deletes,
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        const gone: RecordValues[] = [];
        return {
          delete: async (_, id) => {
            const before = await inner.retrieve(model, id);
            const result = await inner.delete(model, id);
            if (isOne(before) && isOne(result)) gone.push(before.record);
            return result;
          },
          list: async (_, query) => {
            const { kind, records, total } = await inner.list(model, query);
            const shown = records.map((record) => gone.find(({ id }) => id === record.id) ?? record);
            const left = gone.filter((record) => !shown.includes(record));
            return { kind, records: [...shown, ...left], total: total + left.length };
          },
        };
      }),
  }),
  modelDefect({
    name: 'delete.leaves-readable',
    violates: 'returns a deleted record without a mark for a retrieve',
    rules: ['operations.delete'],
    applies: deletes,
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        const gone = new Map<number, RecordValues>();
        return {
          delete: async (_, id) => {
            const before = await inner.retrieve(model, id);
            const result = await inner.delete(model, id);
            if (isOne(before) && isOne(result)) gone.set(id, before.record);
            return result;
          },
          retrieve: async (_, id) => {
            const record = gone.get(id);
            return record ? { kind: 'record', record } : inner.retrieve(model, id);
          },
        };
      }),
  }),
  modelDefect({
    name: 'delete.breaks-retrieve',
    violates: 'returns a server error for a retrieve of a deleted record',
    rules: ['operations.delete'],
    applies: deletes,
    decorate: ({ model }, contract) => ({
      // Each mock has its own deleted records.
      handle: (inner, service) => {
        const gone = new Set<string | undefined>();
        const decoration = onOperation(model, ['retrieve', 'delete'], contract, async (call, answer) => {
          if (call.method === 'GET') return gone.has(call.id) ? broken(service) : answer();
          const reply = await answer();
          if (isSuccess(reply)) gone.add(call.id);
          return reply;
        });
        return decoration.handle?.(inner, service) ?? inner;
      },
    }),
  }),
  modelDefect({
    name: 'delete.lets-update',
    violates: 'accepts an update of a deleted record',
    rules: ['advice.deleted-stays'],
    applies: (model) => deletes(model) && has(model, 'update'),
    decorate: ({ model }) =>
      onEngine(model, (inner) => {
        const gone = new Map<number, RecordValues>();
        return {
          delete: (_, id) => noting(inner.delete(model, id), (record) => gone.set(id, record)),
          update: async (_, id, draft) => {
            const record = gone.get(id);
            if (!record || draft.violations.length > 0) return inner.update(model, id, draft);
            return { kind: 'record', record: { ...record, ...draft.values } };
          },
        };
      }),
  }),
  modelDefect({
    name: 'delete.breaks-twice',
    violates: 'returns a server error for a second delete of a record',
    rules: ['advice.delete-twice'],
    applies: deletes,
    decorate: ({ model }, contract) =>
      onOperation(model, ['delete'], contract, async (_, inner, service) => {
        const reply = await inner();
        return isSuccess(reply) ? reply : broken(service);
      }),
  }),
];
