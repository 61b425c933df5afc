import { type Model, OPERATIONS, type Operation } from '../../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../../spec/contract.ts';
import { type Defect, has, isWritable, modelDefect } from '../../defect.ts';
import { allRecords, draftOf, isOne, onDelete, onUpdate } from '../../on-engine.ts';
import { breaking, broken, onOperation, onRequest, redirect } from '../../on-wire.ts';
import { absentMethodDefects } from './absent-methods.ts';
import { FAR, pathOf, perform } from './perform.ts';

const lacking = (model: Model): readonly Operation[] =>
  OPERATIONS.filter((operation) => !model.operations.includes(operation));
const onOne = (model: Model): readonly Operation[] =>
  (['retrieve', 'update', 'delete'] as const).filter((operation) => has(model, operation));

/** Answers to what does not exist: methods, operations, models and records (section 4, rules 1 and 3). */
export const absentDefects: readonly Defect[] = [
  ...(['PUT', 'PATCH'] as const).flatMap((method) => [
    modelDefect({
      name: `absent.${method.toLowerCase()}-works`,
      violates: `accepts ${method} as an update`,
      rules: [`absent.${method.toLowerCase()}`],
      applies: (model) => has(model, 'update'),
      decorate: ({ model }, contract) =>
        onRequest(contract, (call, inner) => {
          if (call.name !== model.name || call.method !== method || call.id === undefined) return inner();
          return inner(redirect(call.request, pathOf(call, contract), 'POST'));
        }),
    }),
    modelDefect({
      name: `absent.${method.toLowerCase()}-stores`,
      violates: `rejects ${method}, but stores the sent values`,
      rules: [`absent.${method.toLowerCase()}`],
      applies: (model) => has(model, 'update') && model.fields.some(isWritable),
      decorate: ({ model }, contract) =>
        onRequest(contract, async (call, inner) => {
          if (call.name === model.name && call.method === method && call.id !== undefined)
            await inner(redirect(call.request, pathOf(call, contract), 'POST'));
          return inner();
        }),
    }),
    modelDefect({
      name: `absent.${method.toLowerCase()}-breaks`,
      violates: `returns a server error for ${method}`,
      rules: [`absent.${method.toLowerCase()}`],
      applies: (model) => has(model, 'update'),
      decorate: ({ model }, contract) =>
        onRequest(contract, async (call, inner, service) =>
          call.name === model.name && call.method === method ? broken(service) : inner(),
        ),
    }),
  ]),
  modelDefect({
    name: 'absent.operation-works',
    violates: 'has an operation that the source excludes from the model',
    rules: ['absent.operation'],
    details: lacking,
    decorate: ({ model, detail }, contract) =>
      onOperation(model, [detail], contract, async (call, _, service) =>
        perform(model, call, contract, service),
      ),
  }),
  modelDefect({
    name: 'absent.operation-stores',
    violates: 'rejects an operation that the source excludes from the model, but performs it',
    rules: ['absent.operation'],
    details: lacking,
    decorate: ({ model, detail }, contract) =>
      onOperation(model, [detail], contract, async (call, inner, service) => {
        await perform(model, call, contract, service);
        return inner();
      }),
  }),
  modelDefect({
    name: 'absent.operation-breaks',
    violates: 'returns a server error for an operation that the source excludes from the model',
    rules: ['absent.operation'],
    details: lacking,
    decorate: ({ model, detail }, contract) => breaking(model, [detail], contract),
  }),
  modelDefect({
    name: 'absent.misspelt-answered',
    violates: 'accepts a misspelled model name too',
    rules: ['absent.model'],
    details: misspellings,
    decorate: ({ model, detail }, contract) =>
      onRequest(contract, (call, inner) =>
        call.name === detail
          ? inner(redirect(call.request, pathOf({ ...call, name: model.name }, contract)))
          : inner(),
      ),
  }),
  modelDefect({
    name: 'absent.misspelt-breaks',
    violates: 'returns a server error for a model under a misspelled name',
    rules: ['absent.model'],
    details: misspellings,
    decorate: ({ detail }, contract) =>
      onRequest(contract, async ({ name }, inner, service) => (name === detail ? broken(service) : inner())),
  }),
  modelDefect({
    name: 'absent.unknown-id-answered',
    violates: 'returns success for an unknown ID',
    rules: ['absent.record-retrieve', 'absent.record-update', 'absent.record-delete'],
    details: onOne,
    decorate: ({ model, detail }, contract) =>
      onOperation(model, [detail], contract, async (call, inner, { replies }) =>
        Number(call.id) > FAR ? replies.record(200, model, { id: Number(call.id) }) : inner(),
      ),
  }),
  modelDefect({
    name: 'absent.unknown-id-breaks',
    violates: 'returns a server error for an unknown ID',
    rules: ['absent.record-retrieve', 'absent.record-update', 'absent.record-delete'],
    details: onOne,
    decorate: ({ model, detail }, contract) =>
      breaking(model, [detail], contract, ({ id }) => Number(id) > FAR),
  }),
  modelDefect({
    name: 'absent.unknown-id-created',
    violates: 'rejects an update with an unknown ID, but creates a record',
    rules: ['absent.record-update'],
    applies: (model) => has(model, 'create', 'update') && model.fields.some(isWritable),
    decorate: ({ model }) =>
      onUpdate(model, async (inner, id, draft) => {
        const result = await inner.update(model, id, draft);
        if (id > FAR && !isOne(result)) await inner.create(model, draftOf(draft.values));
        return result;
      }),
  }),
  modelDefect({
    name: 'absent.unknown-id-takes-another',
    violates: 'rejects a delete with an unknown ID, but deletes the newest record',
    rules: ['absent.record-delete'],
    applies: (model) => has(model, 'delete'),
    decorate: ({ model }) =>
      onDelete(model, async (inner, id) => {
        const newest = (await allRecords(inner, model)).at(-1);
        const result = await inner.delete(model, id);
        if (id > FAR && !isOne(result) && newest) await inner.delete(model, Number(newest.id));
        return result;
      }),
  }),
  ...absentMethodDefects,
];

/** Near the name: a letter doubled, a letter lost. */
function misspellings({ name }: Model, { catalogue }: Contract): string[] {
  const near = [`${name}${name.at(-1)}`, name.slice(0, -1)];
  return near.filter((other) => other !== '' && !catalogue.models.has(other));
}
