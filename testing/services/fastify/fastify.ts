import createFastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { On, Problem } from '../defects/defect.ts';
import { USUAL_FORMS } from '../records/forms.ts';
import { createRecords, type Records } from '../records/records.ts';
import { seed } from '../records/seed.ts';
import { openTables } from '../records/sqlite.ts';
import type { Row, Tables } from '../records/tables.ts';
import { BASE, listen, readId, type Service, type ServiceOptions } from '../service.ts';
import { linkOf, parentField } from '../source/links.ts';
import { type Field, MODELS, type Model, modelNamed } from '../source/source.ts';

type Asked = { Params: { id: string }; Body: Row; Querystring: { limit: number; offset: number } };
type Fault = NonNullable<FastifyError['validation']>[number];

const PAGE = {
  type: 'object',
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
    offset: { type: 'integer', minimum: 0, default: 0 },
  },
};

/**
 * Fastify as its guide has it: JSON Schema on the way in (Ajv takes unknown fields away and coerces), Fastify's own
 * form of errors, records in SQLite, ids that are given again.
 */
export async function startFastify(options: ServiceOptions = {}): Promise<Service> {
  const tables = openTables();
  const habits = { tables, forms: USUAL_FORMS, unset: 'null', deletes: 'remove' } as const;
  seed(createRecords(habits), tables, USUAL_FORMS, options.defect?.wipes);
  const records = createRecords({ ...habits, defect: options.defect });
  // All faults at once, so that a defect can let one of them pass.
  const app = createFastify({ ajv: { customOptions: { allErrors: true } } });
  // Ajv takes readonly fields away; a defect may want them.
  const sent = new WeakMap<FastifyRequest, Row>();
  app.addHook<Asked>('preValidation', async (request) => void sent.set(request, { ...request.body }));
  for (const model of MODELS.values()) addRoutes(app, model, records, tables, options);
  await app.ready();
  const service = await listen((request, response) => app.routing(request, response), records, options);
  return {
    ...service,
    close: async () => {
      await service.close();
      await app.close();
      tables.close();
    },
  };

  function addRoutes(
    app: FastifyInstance,
    model: Model,
    records: Records,
    tables: Tables,
    { defect }: ServiceOptions,
  ): void {
    const path = `${BASE}/${model.name}`;
    const has = (on: On) => !model.readOnly || defect?.opens?.includes(on);

    app.get<Asked>(path, { schema: { querystring: PAGE } }, async (request) => {
      mayBreak('list');
      const all = records.list(model);
      const { limit, offset } = request.query;
      const cut = all.slice(offset, offset + limit);
      const items = defect?.page?.(cut, all) ?? cut;
      return { items, total: defect?.total?.(all.length, items.length) ?? all.length };
    });
    app.get<Asked>(`${path}/:id`, async (request) => {
      mayBreak('retrieve');
      return records.show(model, find(request, 'retrieve'), 'retrieve');
    });
    if (has('create'))
      app.post<Asked>(path, checked('create'), async (request, reply) => {
        const id = records.create(model, accept(request, 'create'));
        reply.code(201);
        return records.show(model, tables.find(model.name, id) ?? {}, 'create');
      });
    if (has('update'))
      app.post<Asked>(`${path}/:id`, checked('update'), async (request, reply) => {
        const row = find(request, 'update');
        records.update(model, row, accept(request, 'update', row));
        const left = tables.find(model.name, Number(row.id));
        if (!left) return reply.code(204).send();
        return records.show(model, left, 'update');
      });
    if (has('delete'))
      app.delete<Asked>(`${path}/:id`, async (request, reply) => {
        mayBreak('delete');
        records.remove(model, find(request, 'delete'));
        return reply.code(204).send();
      });

    function checked(on: 'create' | 'update') {
      return { schema: { body: bodySchema(model, on) }, attachValidation: true };
    }

    function accept(request: FastifyRequest<Asked>, on: 'create' | 'update', before?: Row): Row {
      const error = request.validationError;
      const values = request.body;
      const at = records.at(model, on, {
        sent: values,
        ...(before ? { before, id: Number(before.id) } : {}),
      });
      if (defect?.breaks?.(at)) throw new Error('SQLITE_BUSY: database is locked');
      const left = (error?.validation ?? []).filter((fault: Fault) => !isForgiven(fault, on, values));
      if (error && left.length > 0) throw error;
      if (defect?.refuses?.(at)) throw status(400, 'body is invalid');
      return { ...sent.get(request), ...values };
    }

    function isForgiven(fault: Fault, on: On, values: Row): boolean {
      if (!defect?.forgives) return false;
      // `/lines/0/price`: only the fields of the record itself are asked for.
      const missing = fault.keyword === 'required' && fault.instancePath === '';
      const name = missing ? fault.params.missingProperty : fault.instancePath.split('/')[1];
      const field = model.fields.find((known) => known.name === name);
      if (!field) return false;
      const value = values[field.name];
      return defect.forgives({ model, field, on, kind: kindOf(fault, value), value });
    }

    function find(request: FastifyRequest<Asked>, on: On): Row {
      const id = readId(request.params.id);
      const row = id === undefined ? undefined : tables.find(model.name, id);
      if (row) return row;
      const instead = id && defect?.unknown?.(records.at(model, on, { id }));
      if (!instead) throw status(404, `${model.name} ${request.params.id} not found`);
      if (instead === 'create') tables.insert(model.name, { id });
      return { id };
    }

    function mayBreak(on: On): void {
      if (defect?.breaks?.(records.at(model, on))) throw new Error('SQLITE_BUSY: database is locked');
    }
  }
}

function kindOf({ keyword }: Fault, value: unknown): Problem['kind'] {
  if (keyword === 'required') return 'missing';
  if (value === null) return 'null';
  return keyword === 'enum' ? 'value' : 'type';
}

function status(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}

type Schema = Record<string, unknown>;

/** What a body has to look like. Readonly fields are not in it, so that Fastify's Ajv takes them away. */
function bodySchema(model: Model, on: 'create' | 'update', parent?: string): Schema {
  const link = parent === undefined ? undefined : parentField(parent, model)?.name;
  const sent = model.fields.filter(({ name, readonly }) => !readonly && name !== link);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(sent.map((field) => [field.name, fieldSchema(model, field)])),
    required: on === 'create' ? sent.filter(({ required }) => required).map(({ name }) => name) : [],
  };
}

function fieldSchema(model: Model, field: Field): Schema {
  const schema = valueSchema(model, field);
  if (field.required) return schema;
  const { enum: values, type, ...rest } = schema;
  return { ...rest, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

function valueSchema(model: Model, field: Field): Schema {
  switch (field.type) {
    case 'int':
      return { type: 'integer', ...(linkOf(model, field) ? { minimum: 1 } : {}) };
    case 'float':
    case 'currency':
    case 'percent':
      return { type: 'number' };
    case 'bool':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'datetime':
      return { type: 'string', format: 'date-time' };
    case 'time':
      return { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$' };
    case 'duration':
      return { type: 'string', format: 'duration' };
    case 'daysOfWeek':
      return { type: 'array', items: { type: 'integer', minimum: 1, maximum: 7 } };
    case 'manyToMany':
      return { type: 'array', items: { type: 'integer' } };
    case 'lines':
      return { type: 'array', items: bodySchema(modelNamed(field.lines ?? ''), 'create', model.name) };
    case 'select':
      if (!field.values) return { type: 'string' };
      return { type: typeof field.values[0] === 'number' ? 'integer' : 'string', enum: field.values };
    default:
      return { type: 'string' };
  }
}
