import { type Action, WRONG_BODY } from '../action.ts';
import { all, BOOLEAN, COUNT, given, INTEGER, listOf, members, object, TEXT } from '../schema.ts';
import { MOST_GENERATED, type Named, type WantedRecords } from './records.ts';
import type { ListParameters } from './records-api.ts';

const RECORD = { type: 'object', description: 'The record in the form of fixtures.' };
const NO_RECORD = 'There is no such model or record.';
const NO_MODEL = 'There is no such model.';
const INVALID = 'A value is invalid. Nothing has changed. `violations` names each.';

const LISTING = {
  offset: given('The number of records to skip (default: 0).', COUNT),
  limit: given('Maximum number of records (default: 50).', { ...COUNT, maximum: 1000 }),
  sort: given('Names of fields, separated by commas, each optionally with - in front.', all(TEXT)),
  filters: given(
    'A JSON list of conditions such as {"field":"name","operator":"contains","value":"a"}. Operators: equal, contains, in, gt, gte, lt, lte, null (true for unset fields), and has (for lists of IDs).',
    TEXT,
  ),
  search: given('A string that one of the text fields contains, in any case, or the ID.', TEXT),
  deleted: given('Whether to include records that are marked as deleted (default: false).', BOOLEAN),
};
const FILL = given(
  'Whether required fields that are not given get generated values (default: false).',
  BOOLEAN,
);

/** The actions on single records of a session, whose values have the form of fixtures under every profile. */
export const RECORD_ACTIONS = {
  listRecords: {
    route: 'GET /records/{model}',
    summary: 'List the records of a model in the form of fixtures.',
    query: LISTING,
    answers: {
      200: ['The records, and the number of all that match.', object({ records: all(RECORD), total: COUNT })],
      404: NO_MODEL,
      422: 'A parameter is invalid.',
    },
    run: ({ records, session }, given: { model: string } & ListParameters) => records.list(session, given),
  },
  createRecord: {
    route: 'POST /records/{model}',
    summary: 'Create a record, with the effects of a request to the API.',
    query: { fill: FILL },
    body: RECORD,
    bodyAs: 'values',
    answers: { 201: ['The record.', RECORD], 404: NO_MODEL, 422: INVALID },
    run: ({ records, session }, given: { model: string; values: object; fill?: boolean }) =>
      records.create(session, given),
  },
  getRecord: {
    route: 'GET /records/{model}/{id}',
    summary: 'Return a record, also one that is marked as deleted.',
    answers: { 200: ['The record.', RECORD], 404: NO_RECORD },
    run: ({ records, session }, given: Named) => records.get(session, given),
  },
  updateRecord: {
    route: 'PATCH /records/{model}/{id}',
    summary: 'Change some values of a record, with the effects of a request to the API.',
    body: RECORD,
    bodyAs: 'values',
    answers: { 200: ['The record.', RECORD], 404: NO_RECORD, 422: INVALID },
    run: ({ records, session }, given: Named & { values: object }) => records.update(session, given),
  },
  deleteRecord: {
    route: 'DELETE /records/{model}/{id}',
    summary: 'Delete a record, with the effects of a request to the API.',
    answers: { 204: 'The record is removed, or marked as deleted.', 404: NO_RECORD },
    run: ({ records, session }, given: Named) => records.delete(session, given),
  },
  listRecordLinks: {
    route: 'GET /records/{model}/{id}/links',
    summary: 'Count the records that refer to a record, by model and field.',
    answers: {
      200: [
        'The fields with at least one such record. The links are inferred.',
        listOf('links', object({ model: TEXT, field: TEXT, count: COUNT })),
      ],
      404: NO_RECORD,
    },
    run: async ({ records, session }, given: Named) => ({ links: await records.links(session, given) }),
  },
  generateRecords: {
    route: 'POST /generate',
    summary:
      'Create generated records that refer to existing ones. Missing records that they need are generated, too.',
    body: members(['model', 'count'], {
      model: TEXT,
      count: { type: 'integer', minimum: 1, maximum: MOST_GENERATED },
      seed: COUNT,
    }),
    answers: { 201: ['The IDs of the new records of the model.', listOf('ids', INTEGER)], 422: WRONG_BODY },
    run: async ({ records, session }, wanted: WantedRecords) => ({
      ids: await records.generate(session, wanted),
    }),
  },
  getSample: {
    route: 'GET /samples/{model}',
    summary: 'Return the values of a valid new record.',
    answers: {
      200: ['The writable fields in the form of fixtures.', object({ values: RECORD })],
      404: NO_MODEL,
    },
    run: ({ records, session }, given: { model: string }) => records.sample(session, given),
  },
  countRecords: {
    route: 'GET /counts',
    summary: 'Count the records of each model that are not deleted.',
    answers: {
      200: [
        'The number of records by model.',
        object({ counts: { type: 'object', additionalProperties: COUNT } }),
      ],
    },
    run: async ({ records, session }) => ({ counts: await records.counts(session) }),
  },
} satisfies Readonly<Record<string, Action>>;
