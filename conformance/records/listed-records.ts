import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { Answer } from '../api/answer.ts';
import type { CaseContext } from './context.ts';

/** A record that stands in the list, in wire form, with the answer to a retrieve of it. */
export type ListedRecord = { readonly listed: RecordValues; readonly retrieved: Answer };

/** Retrieves some of the records that stand in the list. */
export async function retrieveListed(context: CaseContext): Promise<readonly ListedRecord[]> {
  const { api, model } = context;
  const listing = model.operations.includes('list') ? await context.listing() : undefined;
  if (!listing || !model.operations.includes('retrieve')) return [];
  const pairs: ListedRecord[] = [];
  for (const listed of someOf(listing.records.filter(({ id }) => Number.isInteger(id))))
    pairs.push({ listed, retrieved: await api.retrieve(model.name, listed.id) });
  return pairs;
}

/** The oldest and the newest, and one between them. */
function someOf<T>(items: readonly T[]): readonly T[] {
  return [...new Set([...items.slice(0, 2), items[items.length >> 1], ...items.slice(-3)])].filter(
    (item) => item !== undefined,
  );
}
