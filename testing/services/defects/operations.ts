import type { Defect, Line, On } from './defect.ts';

function routes(
  name: string,
  models: readonly string[],
  rules: readonly string[],
  route: (line: Line) => Line | undefined,
): Defect {
  return { name, rules, models, route };
}

const answersAs = (
  name: string,
  model: string,
  method: string,
  as: string,
  rules: readonly string[],
): Defect =>
  routes(name, [model], rules, (line) =>
    line.model === model && line.method === method ? { ...line, method: as } : undefined,
  );

const opens = (name: string, on: On): Defect => ({
  name,
  rules: ['absent.operation'],
  models: ['subscriptionTask'],
  opens: [on],
});

export const OPERATIONS: readonly Defect[] = [
  answersAs('put-updates', 'brand', 'PUT', 'POST', ['absent.put']),
  answersAs('patch-updates', 'warehouse', 'PATCH', 'POST', ['absent.patch']),
  routes('put-on-all-creates', ['customerTag'], ['absent.put'], ({ id, method, model }) =>
    method === 'PUT' && model === 'customerTag' && id === undefined ? { method: 'POST', model } : undefined,
  ),
  answersAs('patch-reads', 'locker', 'PATCH', 'GET', ['absent.patch']),
  routes('plural-answers', ['brand', 'warehouse'], ['absent.model'], (line) =>
    /^(brand|warehouse)s$/.test(line.model) ? { ...line, model: line.model.slice(0, -1) } : undefined,
  ),
  routes('spelt-right-answers', ['ommitedSale'], ['absent.model'], (line) =>
    line.model === 'omittedSale' ? { ...line, model: 'ommitedSale' } : undefined,
  ),
  {
    name: 'delete-on-all-wipes',
    rules: ['absent.operation', 'absent.delete-all', 'absent.collection-delete'],
    models: ['helpArticle'],
    wipes: 'helpArticle',
  },
  opens('task-can-be-created', 'create'),
  opens('task-can-be-updated', 'update'),
  opens('task-can-be-deleted', 'delete'),
  ...(['retrieve', 'update', 'delete'] as const).map(
    (on): Defect => ({
      name: `unknown-id-${on}-answers`,
      rules: [`absent.record-${on}`],
      models: ['customerGroup'],
      unknown: (at) => (at.on === on && at.model.name === 'customerGroup' ? 'answer' : undefined),
    }),
  ),
  {
    name: 'update-creates-unknown-id',
    rules: ['absent.record-update'],
    models: ['shareFile'],
    unknown: ({ model, on }) => (model.name === 'shareFile' && on === 'update' ? 'create' : undefined),
  },
  ...(['list', 'retrieve', 'create', 'update', 'delete'] as const).map(
    (on): Defect => ({
      name: `${on}-breaks`,
      rules: [`operations.${on}`],
      models: ['deposit'],
      breaks: (at) => at.model.name === 'deposit' && at.on === on,
    }),
  ),
];
