import { type Action, listOf, members, WRONG_BODY } from '../action.ts';
import type { ListTexts } from './records-api.ts';

const MOST_GENERATED = 1000;
const RECORD = { type: 'object', description: 'The record in the form of fixtures.' };
const COUNT = { type: 'integer', minimum: 0 };
const TEXT = { type: 'string' };
const NO_RECORD = { description: 'There is no such model or record.' };
const NO_MODEL = { description: 'There is no such model.' };
const INVALID = { description: 'A value is invalid. Nothing has changed. `violations` names each.' };
const WRONG_QUERY = { description: 'A parameter is invalid.' };

const WRITE = {
  type: 'object',
  required: ['id', 'at', 'records'],
  properties: {
    id: { type: 'integer' },
    at: { type: 'string', format: 'date-time' },
    records: {
      type: 'array',
      items: {
        type: 'object',
        required: ['model', 'id', 'change'],
        properties: {
          model: TEXT,
          id: { type: 'integer' },
          change: { type: 'string', enum: ['created', 'changed', 'deleted'] },
        },
      },
    },
  },
};

/** A record of a model. */
type Named = { readonly model: string; readonly id: number | string };

/** The actions on single records. Their values have the form of fixtures under every profile. */
export const RECORD_ACTIONS = {
  listRecords: {
    method: 'GET',
    path: '/records/{model}',
    summary: 'List the records of a model in the form of fixtures.',
    query: {
      offset: { description: 'The number of records to skip (default: 0).', schema: COUNT },
      limit: {
        description: 'Maximum number of records (default: 50).',
        schema: { ...COUNT, maximum: 1000 },
      },
      sort: {
        description: 'Names of fields, separated by commas, each optionally with - in front.',
        schema: TEXT,
      },
      filters: {
        description:
          'A JSON list of conditions such as {"field":"name","operator":"contains","value":"a"}. Operators: equal, contains, in, gt, gte, lt, lte, null (true for unset fields), and has (for lists of IDs).',
        schema: TEXT,
      },
      search: {
        description: 'A string that one of the text fields contains, in any case, or the ID.',
        schema: TEXT,
      },
      deleted: {
        description: 'Whether to include records that are marked as deleted (default: false).',
        schema: { type: 'boolean' },
      },
    },
    answers: {
      200: {
        description: 'The records, and the number of all that match.',
        schema: {
          type: 'object',
          required: ['records', 'total'],
          properties: { records: { type: 'array', items: RECORD }, total: COUNT },
        },
      },
      404: NO_MODEL,
      422: WRONG_QUERY,
    },
    run: ({ records, session }, given: { model: string } & ListTexts) => records.list(session, given),
  },
  createRecord: {
    method: 'POST',
    path: '/records/{model}',
    summary: 'Create a record, with the effects of a request to the API.',
    query: {
      fill: {
        description: 'Whether required fields that are not given get generated values (default: false).',
        schema: { type: 'boolean' },
      },
    },
    body: RECORD,
    bodyAs: 'values',
    answers: { 201: { description: 'The record.', schema: RECORD }, 404: NO_MODEL, 422: INVALID },
    run: ({ records, session }, given: { model: string; values: object; fill?: string }) =>
      records.create(session, given),
  },
  getRecord: {
    method: 'GET',
    path: '/records/{model}/{id}',
    summary: 'Return a record, also one that is marked as deleted.',
    answers: { 200: { description: 'The record.', schema: RECORD }, 404: NO_RECORD },
    run: ({ records, session }, given: Named) => records.get(session, given),
  },
  updateRecord: {
    method: 'PATCH',
    path: '/records/{model}/{id}',
    summary: 'Change some values of a record, with the effects of a request to the API.',
    body: RECORD,
    bodyAs: 'values',
    answers: { 200: { description: 'The record.', schema: RECORD }, 404: NO_RECORD, 422: INVALID },
    run: ({ records, session }, given: Named & { values: object }) => records.update(session, given),
  },
  deleteRecord: {
    method: 'DELETE',
    path: '/records/{model}/{id}',
    summary: 'Delete a record, with the effects of a request to the API.',
    answers: { 204: { description: 'The record is removed, or marked as deleted.' }, 404: NO_RECORD },
    run: ({ records, session }, given: Named) => records.delete(session, given),
  },
  listRecordLinks: {
    method: 'GET',
    path: '/records/{model}/{id}/links',
    summary: 'Count the records that refer to a record, by model and field.',
    answers: {
      200: {
        description: 'The fields with at least one such record. The links are inferred.',
        schema: listOf('links', {
          type: 'object',
          required: ['model', 'field', 'count'],
          properties: { model: TEXT, field: TEXT, count: COUNT },
        }),
      },
      404: NO_RECORD,
    },
    run: async ({ records, session }, given: Named) => ({
      links: await records.links(session, given),
    }),
  },
  generateRecords: {
    method: 'POST',
    path: '/generate',
    summary:
      'Create generated records that refer to existing ones. Missing records that they need are generated, too.',
    body: members(['model', 'count'], {
      model: TEXT,
      count: { type: 'integer', minimum: 1, maximum: MOST_GENERATED },
      seed: COUNT,
    }),
    answers: {
      201: {
        description: 'The IDs of the new records of the model.',
        schema: listOf('ids', { type: 'integer' }),
      },
      422: WRONG_BODY,
    },
    run: async (
      { records, session },
      wanted: { readonly model: string; readonly count: number; readonly seed?: number },
    ) => ({ ids: await records.generate(session, wanted) }),
  },
  getSample: {
    method: 'GET',
    path: '/samples/{model}',
    summary: 'Return a valid new record, and the request that creates it.',
    answers: {
      200: {
        description:
          'The values in the form of fixtures, and the request under the profile if the API can create such records.',
        schema: {
          type: 'object',
          required: ['values'],
          properties: { values: RECORD, body: TEXT, contentType: TEXT, path: TEXT, method: TEXT },
        },
      },
      404: NO_MODEL,
    },
    run: ({ records, session }, given: { model: string }) => records.sample(session, given),
  },
  countRecords: {
    method: 'GET',
    path: '/counts',
    summary: 'Count the records of each model that are not deleted.',
    answers: {
      200: {
        description: 'The number of records by model.',
        schema: {
          type: 'object',
          required: ['counts'],
          properties: { counts: { type: 'object', additionalProperties: COUNT } },
        },
      },
    },
    run: async ({ records, session }) => ({ counts: await records.counts(session) }),
  },
  listWrites: {
    method: 'GET',
    path: '/undo',
    summary:
      'List the last writes of the session, at most 50, newest first. A reset, a restore, or new state clears the list.',
    answers: { 200: { description: 'The writes that can be undone.', schema: listOf('writes', WRITE) } },
    run: async ({ session }) => ({ writes: session.writes.list() }),
  },
  undoWrite: {
    method: 'POST',
    path: '/undo',
    summary: 'Undo the last write of the session. This can not be undone.',
    answers: {
      200: {
        description: 'The write, which no longer has an effect.',
        schema: { type: 'object', required: ['undone'], properties: { undone: WRITE } },
      },
      409: { description: 'There is no write to undo, or one of its records has changed since then.' },
    },
    run: async ({ session }) => ({ undone: await session.writes.undo() }),
  },
  listChanges: {
    method: 'GET',
    path: '/changes',
    summary: 'List the records that differ from those that the session started with, at most 1000.',
    answers: {
      200: {
        description:
          'The changes, their total, and the name of the snapshot that the session started from, if any.',
        schema: {
          type: 'object',
          required: ['changes', 'total'],
          properties: { from: TEXT, changes: { type: 'array', items: { type: 'object' } }, total: COUNT },
        },
      },
      409: { description: 'The snapshot that the session started from is deleted.' },
    },
    run: async ({ records, session, snapshots }) =>
      records.changes(session, await snapshots.beginning(session)),
  },
} satisfies Readonly<Record<string, Action>>;
