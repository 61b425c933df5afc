import { filterFields } from '../../../spec/binding.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import { WIRE_TYPES } from '../../../spec/types/types.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { agrees } from '../../assert/agreement.ts';
import { expectRecords } from '../../assert/assert.ts';
import { Failure, OtherOption, Skip } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../../plan/rule.ts';
import { listWith } from '../questions/lists-seen.ts';
import { minimal, onShared, plainList, type Three, three, whole } from '../questions/shared.ts';
import { expectNoFilter, expectNoOperators } from '../support/no-query.ts';

/** Filtering under the profile (section 4, rule 4). */
export const profileFilterRules: readonly Assumption[] = [
  {
    title:
      'A filter with an operator in brackets returns the matching records or has no effect, as set in the profile',
    requirement: 'query-not-shown',
    setting: 'list.filterOperators',
    needs: ['create', 'list'],
    cases: onceWhere(
      ({ profile }) => profile['list.filter'] !== 'none',
      (context) => {
        const isNone = context.profile['list.filterOperators'] === 'none';
        const expectIt = isNone ? expectNoOperators : expectOperators;
        return onShared(context, three, (found) => expectIt(context, found));
      },
    ),
  },
  {
    title: 'A list filtered by a field contains exactly the records with that value',
    requirement: 'query-not-shown',
    setting: 'list.filter',
    needs: ['create', 'retrieve', 'list'],
    cases: (model, { profile }) =>
      profile['list.filter'] === 'none'
        ? once((context) => onShared(context, three, (found) => expectNoFilter(context, found)))()
        : filterFields(model, profile)
            .filter((field) => isIdField(field) || (!field.readonly && FILTERABLE.has(field.type)))
            .map((field) => ({
              field,
              run: async (context) => {
                const shown = await context.ask(whole);
                await context.ask(minimal);
                const value = context.check.read(model, shown)[field.name];
                if (value === undefined || value === null)
                  throw new Skip(`${field.key} has no value in any record to filter by`);
                const wire = WIRE_TYPES[field.type].encode(value, { field, profile });
                const records = await listWith(context, 'list.filter', { [field.name]: String(wire) });
                const others = records.filter(
                  (record) => !agrees(field, value, context.check.read(model, record)[field.name]),
                );
                if (others.length > 0)
                  throw new ((await isWhole(context, records)) ? OtherOption : Failure)(
                    `a filter by ${field.name} returns records that do not match`,
                    `only ${show(wire)}`,
                    show(others.map((record) => record[field.name])),
                  );
                const isFull =
                  profile['list.paging'] !== 'none' && records.length >= profile['list.defaultSize'];
                const mayGoOn = isFull || (await mayBeCut(context, records.length));
                if (!mayGoOn && !records.some((record) => record.id === shown.id))
                  throw new Failure(
                    `a filter by ${field.name} omits a matching record`,
                    `record ${show(shown.id)} with ${show(wire)}`,
                    show(records.map((record) => record.id)),
                  );
              },
            })),
  },
];

/** Whether a filtered list shows the same records as the list without a filter. */
async function isWhole(context: CaseContext, records: readonly RecordValues[]): Promise<boolean> {
  const all = expectRecords(context, await context.api.list(context.model.name));
  return String(all.map(({ id }) => id)) === String(records.map(({ id }) => id));
}

/** How a list is parted is not known, and the plain list, which may be a part, shows no more than that. */
async function mayBeCut(context: CaseContext, length: number): Promise<boolean> {
  const { unknown } = context.profile;
  if (!unknown['list.paging'] && !unknown['list.defaultSize']) return false;
  return length >= (context.api.recordsIn(await context.ask(plainList))?.length ?? 0);
}

/** The types whose wire form is one text in a query. */
const FILTERABLE: ReadonlySet<string> = new Set(['int', 'string', 'bool', 'date', 'currency', 'email']);

/** Of three records, `in` shows those that are named, and the ranges those on one side of the middle one. */
async function expectOperators(context: CaseContext, { newer, older, own }: Three): Promise<void> {
  const ids = [older.id, own.id, newer.id];
  const asked: [operator: string, value: string, shown: readonly (typeof own.id)[]][] = [
    ['in', `${older.id},${newer.id}`, [older.id, newer.id]],
    ['gt', String(own.id), ids.filter((id) => id > own.id)],
    ['lte', String(own.id), ids.filter((id) => id <= own.id)],
  ];
  for (const [operator, value, wanted] of asked) {
    const records = await listWith(context, 'list.filterOperators', { [`id[${operator}]`]: value });
    const shown = records.map(({ id }) => id);
    const known = ids.filter((id) => shown.includes(id));
    // A part of a longer list may show none of the three.
    if (known.every((id) => wanted.includes(id)) && (known.length > 0 || operator !== 'in')) continue;
    throw new Failure(`a filter by id[${operator}] returns other records`, show(wanted), show(shown));
  }
}
