import { type Defect, has, modelDefect } from '../../defect.ts';
import { allRecords } from '../../on-engine.ts';
import { onRequest, redirect } from '../../on-wire.ts';
import { FAR, pathOf, perform } from './perform.ts';

/** Methods where there is no record, or no such operation (section 4, rules 1 and 3). */
export const absentMethodDefects: readonly Defect[] = [...writeMethods(), deleteAll()];

/** DELETE on the records of a model: the source knows none but that of one record. */
function deleteAll(): Defect {
  return modelDefect({
    name: 'absent.delete-all-works',
    violates: 'deletes all records of the model for a DELETE without an ID',
    rules: ['absent.delete-all'],
    onEmpty: true,
    applies: (model) => has(model, 'create', 'list', 'retrieve', 'delete'),
    details: () => ['answered', 'refused'],
    decorate: ({ detail, model }, contract) =>
      onRequest(contract, async (call, inner, { engine, replies }) => {
        if (call.name !== model.name || call.method !== 'DELETE' || call.id !== undefined) return inner();
        for (const { id } of await allRecords(engine, model)) await engine.delete(model, Number(id));
        return detail === 'refused' ? inner() : replies.records(model, [], 0);
      }),
  });
}

function writeMethods(): readonly Defect[] {
  return (['PUT', 'PATCH'] as const).flatMap((method) => [
    modelDefect({
      name: `absent.${method.toLowerCase()}-creates`,
      violates: `accepts ${method} on the collection, or with an unknown ID, as a create`,
      rules: [`absent.${method.toLowerCase()}`],
      applies: (model) => has(model, 'create'),
      details: () => ['all', 'unknown-id'],
      decorate: ({ model, detail }, contract) =>
        onRequest(contract, (call, inner) => {
          const isThere = detail === 'all' ? call.id === undefined : Number(call.id) > FAR;
          if (call.name !== model.name || call.method !== method || !isThere) return inner();
          return inner(redirect(call.request, pathOf({ name: model.name }, contract), 'POST'));
        }),
    }),
    modelDefect({
      name: `absent.${method.toLowerCase()}-updates-read-only`,
      violates: `accepts ${method} as an update that the source excludes from the model`,
      rules: [`absent.${method.toLowerCase()}`],
      applies: (model) => !has(model, 'update'),
      decorate: ({ model }, contract) =>
        onRequest(contract, async (call, inner, service) => {
          if (call.name !== model.name || call.method !== method || call.id === undefined) return inner();
          return perform(model, { ...call, method: 'POST' }, contract, service);
        }),
    }),
  ]);
}
