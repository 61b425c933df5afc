import { isAccepted } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { OtherOption } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext } from '../../plan/rule.ts';
import type { Three } from '../questions/shared.ts';

/** Under `list.paging: none` a list can't be asked for in parts: a size is refused, or means nothing. */
export async function expectNoPages(context: CaseContext): Promise<void> {
  const size = context.profile['list.sizeParameter'];
  const ids = await idsOf(context, { [size]: '1' });
  if (ids?.length === 1)
    throw new OtherOption('the target supports pages', 'list.paging none', `one record with ${size}=1`);
}

/** Under `list.sort: none` no parameter reverses a list. */
export async function expectNoSort(context: CaseContext): Promise<void> {
  const by = context.profile['list.sortParameter'];
  const [plain, sorted] = [await idsOf(context, {}), await idsOf(context, { [by]: '-id' })];
  if (sorted && isFalling(sorted) && plain && !isFalling(plain))
    throw new OtherOption('the target supports sorting', 'list.sort none', `descending IDs with ${by}=-id`);
}

/** Under `list.filter: none` a parameter named like a field filters nothing. */
export async function expectNoFilter(context: CaseContext, { newer: { id } }: Three): Promise<void> {
  const ids = await idsOf(context, { id: String(id) });
  if (ids?.length === 1 && ids[0] === id)
    throw new OtherOption(
      'the target supports filters',
      'list.filter none',
      `only record ${show(id)} with id=${id}`,
    );
}

/** Under `list.filterOperators: none` a name with an operator filters nothing. */
export async function expectNoOperators(context: CaseContext, { newer: { id } }: Three): Promise<void> {
  const ids = await idsOf(context, { 'id[in]': String(id) });
  if (ids?.length === 1 && ids[0] === id)
    throw new OtherOption(
      'the target supports filter operators',
      'list.filterOperators none',
      `only record ${show(id)} with id[in]=${id}`,
    );
}

/** Under `list.sort: field` there is no order of several fields. */
export async function expectNoSecondSort(context: CaseContext): Promise<void> {
  const by = context.profile['list.sortParameter'];
  const sorted = await idsOf(context, { [by]: '-id,id' });
  if (sorted && isFalling(sorted))
    throw new OtherOption(
      'the target supports sorting by several fields',
      'list.sort field',
      `descending IDs with ${by}=-id,id`,
    );
}

/** The ids of a list; undefined where the parameters are refused. */
async function idsOf(
  context: CaseContext,
  query: Readonly<Record<string, string>>,
): Promise<readonly number[] | undefined> {
  const answer = await context.api.list(context.model.name, query);
  const records = isAccepted(answer) ? context.api.recordsIn(answer) : undefined;
  return records?.map((record) => Number(record.id));
}

function isFalling(ids: readonly Id[]): boolean {
  return ids.length > 1 && ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0));
}
