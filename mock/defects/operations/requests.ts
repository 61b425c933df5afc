import type { Model, Operation } from '../../../spec/catalogue/catalogue.ts';
import { type Defect, fieldDefect, isWritable, modelDefect } from '../defect.ts';
import { allRecords, isOne, neighborOf, onRetrieve, onShowing, withValues } from '../on-engine.ts';
import { breaking, broken, onOperation, onRequest, onSuccess, redirect } from '../on-wire.ts';

const details = ({ operations }: Model): readonly Operation[] => operations;
const showingOnes = (model: Model): readonly Operation[] =>
  model.operations.filter((operation) => operation !== 'delete');

const RULES = [
  'operations.list',
  'operations.retrieve',
  'operations.create',
  'operations.create-required',
  'operations.update',
  'operations.delete',
];

/** Operations that are missing, fail with a 5xx, or answer with something else (section 4). */
export const operationDefects: readonly Defect[] = [
  modelDefect({
    name: 'operations.missing',
    violates: 'does not have an operation',
    rules: RULES,
    details,
    decorate: ({ model, detail }, contract) =>
      onOperation(model, [detail], contract, async (_, __, { replies }) =>
        replies.refusal({
          status: contract.profile['status.noOperation'],
          detail: 'There is no such operation.',
        }),
      ),
  }),
  modelDefect({
    name: 'operations.failing',
    violates: 'returns a server error for an operation',
    rules: RULES,
    details,
    decorate: ({ model, detail }, contract) => breaking(model, [detail], contract),
  }),
  modelDefect({
    name: 'operations.failing-afterwards',
    violates: 'performs an operation, but returns a server error',
    rules: RULES,
    details,
    decorate: ({ model, detail }, contract) =>
      onSuccess(model, [detail], contract, (_, __, service) => broken(service)),
  }),
  modelDefect({
    name: 'operations.answering-nothing',
    violates: 'returns no record for an operation',
    rules: RULES,
    details: showingOnes,
    decorate: ({ model, detail }, contract) =>
      onSuccess(model, [detail], contract, (reply) => ({ ...reply, body: '' })),
  }),
  modelDefect({
    name: 'operations.answering-a-page',
    violates: 'returns an HTML page for an operation',
    rules: RULES,
    details: showingOnes,
    decorate: ({ model, detail }, contract) =>
      onOperation(model, [detail], contract, async () => ({
        status: 200,
        headers: { 'content-type': 'text/html' },
        body: '<!doctype html><title>Sign in</title>',
      })),
  }),
  modelDefect({
    name: 'operations.answering-one-for-many',
    violates: 'returns a single record for a list',
    rules: ['operations.list'],
    decorate: ({ model }, contract) =>
      onSuccess(model, ['list'], contract, (reply) => ({ ...reply, body: '{"id":1}' })),
  }),
  modelDefect({
    name: 'operations.misspelt-model',
    violates: 'accepts only another spelling of a model name',
    rules: RULES,
    decorate: ({ model }, contract) =>
      onRequest(contract, ({ id, name, request }, inner, { replies }) => {
        const path = `${contract.catalogue.base}/${model.name}${id === undefined ? '' : `/${id}`}`;
        if (name === `${model.name}s`) return inner(redirect(request, path));
        if (name !== model.name) return inner();
        const detail = `There is no model ${name}.`;
        return Promise.resolve(replies.refusal({ status: contract.profile['status.unknownModel'], detail }));
      }),
  }),
  modelDefect({
    name: 'retrieve.answers-neighbor',
    violates: 'returns another record for a retrieve',
    rules: ['operations.retrieve', 'list.agrees'],
    decorate: ({ model }) =>
      onRetrieve(model, async (inner, id) => {
        const found = await inner.retrieve(model, id);
        const other = (await neighborOf(inner, model, id)) ?? (await neighborOf(inner, model, id, 'above'));
        return found.kind === 'record' && other ? { kind: 'record', record: other } : found;
      }),
  }),
  modelDefect({
    name: 'retrieve.answers-first',
    violates: 'returns the first record for every retrieve',
    rules: ['operations.retrieve', 'list.agrees'],
    decorate: ({ model }) =>
      onRetrieve(model, async (inner, id) => {
        const found = await inner.retrieve(model, id);
        const [first] = await allRecords(inner, model);
        return found.kind === 'record' && first ? { kind: 'record', record: first } : found;
      }),
  }),
  fieldDefect({
    name: 'retrieve.drops-field',
    violates: 'returns no value of an optional field in a retrieve',
    rules: ['create.keeps-field', 'list.agrees'],
    applies: (field) => isWritable(field) && !field.required,
    decorate: ({ model, field }) =>
      onShowing(model, ['retrieve'], (record) => ({ ...record, [field.name]: null })),
  }),
  fieldDefect({
    name: 'retrieve.mixes-fields',
    violates: 'returns a field of a record with the value of another one in a retrieve',
    rules: ['create.keeps-field', 'list.agrees'],
    applies: isWritable,
    decorate: ({ model, field }) =>
      onRetrieve(model, async (inner, id) => {
        const found = await inner.retrieve(model, id);
        const other = await neighborOf(inner, model, id);
        return isOne(found) && other ? withValues(found, { [field.name]: other[field.name] ?? null }) : found;
      }),
  }),
];
