import { fetchList, type Listing } from '../../api/listing.ts';
import { Failure } from '../../assert/failure.ts';
import { show } from '../../assert/wire-check.ts';
import type { CaseContext } from '../../plan/rule.ts';

/** Where each part of the list leads to the next, smaller parts show the same records, each once. */
export async function expectParts({ api, model, profile, records }: CaseContext): Promise<void> {
  const { 'list.paging': paging, 'list.sizeParameter': parameter } = profile.unknown;
  if (!paging || parameter) return;
  const whole = await records.listing();
  if (!whole?.complete) return;
  const inParts = () => fetchList(api, model.name, Math.max(2, Math.ceil(whole.records.length / 3)));
  const parts = await inParts();
  if (!parts?.complete || parts.onePage) return;
  const lost = lostOf(parts, whole);
  if (lost === undefined && parts.twice === undefined) return;
  // Somebody may have made or deleted records meanwhile: it is the same once more, and the record is there still.
  const again = await inParts();
  if (!again?.complete) return;
  if (parts.twice !== undefined && again.twice === parts.twice) throw inTwoParts(again);
  const isThere = (await records.listing())?.records.some(({ id }) => id === lost);
  if (lost === undefined || lostOf(again, whole) !== lost || !isThere) return;
  const message = 'a record is missing from every page of the list';
  throw new Failure(message, `id ${show(lost)} once`, 'not at all', again.first.exchange);
}

export function inTwoParts({ first, twice }: Listing): Failure {
  const message = 'two pages of the list contain the same record';
  return new Failure(message, `id ${show(twice)} once`, 'twice', first.exchange);
}

function lostOf(parts: Listing, whole: Listing): unknown {
  const seen = new Set(parts.records.map(({ id }) => id));
  return whole.records.find(({ id }) => !seen.has(id))?.id;
}
