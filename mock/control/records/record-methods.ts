import type { RunAction } from '../action.ts';
import { RECORD_ACTIONS } from './record-actions.ts';
import type { CreateOptions, ListOptions, ListTexts, RecordsApi } from './records-api.ts';

/** Maximum number of records that one request returns. */
const LONGEST_PAGE = 1000;

/** The records of a model, in this process or remote. */
export function recordsOf(
  run: RunAction,
  model: string,
): RecordsApi<Record<string, unknown> & { readonly id: number }> {
  const page = (options: ListOptions) => run(RECORD_ACTIONS.listRecords, { model, ...textsOf(options) });
  const create = (values: object = {}, { fill = true }: CreateOptions = {}) =>
    run(RECORD_ACTIONS.createRecord, { model, values, fill: String(fill) });
  return {
    list: async ({ limit, offset = 0, ...others } = {}) => {
      if (limit !== undefined) return page({ ...others, limit, offset });
      const found: (Record<string, unknown> & { readonly id: number })[] = [];
      for (;;) {
        const next = { ...others, offset: offset + found.length, limit: LONGEST_PAGE };
        const { records, total } = await page(next);
        found.push(...records);
        if (records.length === 0 || next.offset + records.length >= total) return { records: found, total };
      }
    },
    get: async (id) => {
      const filters = [{ field: 'id', operator: 'equal', value: id }] as const;
      return (await page({ filters, deleted: true, limit: 1 })).records[0];
    },
    create,
    createMany: async (count, values, options) => {
      const made: Awaited<ReturnType<typeof create>>[] = [];
      while (made.length < count) made.push(await create(values, options));
      return made;
    },
    update: (id, values) => run(RECORD_ACTIONS.updateRecord, { model, id, values }),
    delete: (id) => run(RECORD_ACTIONS.deleteRecord, { model, id }),
    links: async (id) => (await run(RECORD_ACTIONS.listRecordLinks, { model, id })).links,
  };
}

function textsOf({ deleted, filters, limit, offset, search, sort }: ListOptions): ListTexts {
  return {
    ...(offset !== undefined && { offset: String(offset) }),
    ...(limit !== undefined && { limit: String(limit) }),
    ...(sort !== undefined && { sort: String(sort) }),
    ...(search !== undefined && { search }),
    ...(filters !== undefined && { filters: JSON.stringify(filters) }),
    ...(deleted !== undefined && { deleted: String(deleted) }),
  };
}
