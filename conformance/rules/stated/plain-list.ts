import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Listing } from '../../api/listing.ts';
import type { Id } from '../../api/places.ts';
import { Failure } from '../../assert/failure.ts';
import type { CaseContext } from '../../plan/rule.ts';
import { type PlainList, readPlainly } from '../questions/lists-seen.ts';

/** A list without a query is not empty while its pages show records. */
export function expectSome({ answer, records }: PlainList, paged: Listing): void {
  if (records.length > 0 || paged.records.length === 0) return;
  throw new Failure(
    'a list without a query shows no record',
    `records, as the ${paged.records.length} in its pages`,
    'none',
    answer.exchange,
  );
}

/** A record may be missing only from a full list: one of `list.defaultSize` records. */
export async function expectFull(
  context: CaseContext,
  { answer, records }: PlainList,
  id: Id,
): Promise<void> {
  if (!(await hasRoom(context, records.length, async () => (await readPlainly(context))?.records))) return;
  throw new Failure(
    'a record does not stand in the list without a query, which has room for more',
    `id ${id}`,
    `${records.length} other records`,
    answer.exchange,
  );
}

/** Whether a list shows more records than before when there is one more: then it was not full. */
export async function hasRoom(
  context: CaseContext,
  shown: number,
  read: () => Promise<readonly RecordValues[] | undefined>,
): Promise<boolean> {
  await context.records.make();
  return ((await read()) ?? []).length > shown;
}
