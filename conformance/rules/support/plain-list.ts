import type { SettingName } from '../../../spec/profile/profile.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../../api/answer.ts';
import type { Listing } from '../../api/listing.ts';
import type { Id } from '../../api/places.ts';
import { expectRecords, statusOf } from '../../assert/assert.ts';
import { Failure, speaksAnother } from '../../assert/failure.ts';
import type { CaseContext } from '../../plan/rule.ts';
import { plainList } from '../questions/shared.ts';

/** A list as the source shows it: without a query (section 4). */
export type PlainList = { readonly answer: Answer; readonly records: readonly RecordValues[] };

/** Undefined where what is read over the pages is the plain list itself. */
export async function readPlainly(context: CaseContext): Promise<PlainList | undefined> {
  const { 'list.paging': paging, unknown } = context.profile;
  if (paging === 'none' || unknown['list.paging']) return undefined;
  const answer = await context.api.list(context.model.name);
  return { answer, records: expectRecords(context, answer) };
}

/** A list without a query is not empty while its pages show records. */
export function expectSome({ answer, records }: PlainList, paged: Listing): void {
  if (records.length > 0 || paged.records.length === 0) return;
  throw new Failure(
    'a list without a query returns no records',
    `records, like the ${paged.records.length} on its pages`,
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
    'a list without a query omits a record, although it is not full',
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

/** The records of a list with query parameters. Throws OtherOption if only the parameters are rejected. */
export async function listWith(
  context: CaseContext,
  setting: SettingName,
  query: Readonly<Record<string, string>>,
): Promise<readonly RecordValues[]> {
  const answer = await context.api.list(context.model.name, query);
  if (isRefused(answer) && isAccepted(await context.ask(plainList)))
    throw speaksAnother(setting, context.profile, statusOf(answer), answer.exchange);
  return expectRecords(context, answer);
}
