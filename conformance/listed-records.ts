import type { RecordValues } from '../spec/record-codec.ts';
import type { Answer } from './api.ts';
import type { CaseContext } from './context.ts';

/** Some records that stand in the list, in wire form, each with the answer to a retrieve of it. */
export type ListedRecords = {
  readonly pairs: readonly { readonly listed: RecordValues; readonly retrieved: Answer }[];
};

export async function retrieveListed(context: CaseContext): Promise<ListedRecords> {
  const { api, model } = context;
  const listing = model.operations.includes('list') ? await context.listing() : undefined;
  if (!listing || !model.operations.includes('retrieve')) return { pairs: [] };
  const pairs: { listed: RecordValues; retrieved: Answer }[] = [];
  for (const listed of someOf(listing.records.filter(({ id }) => Number.isInteger(id))))
    pairs.push({ listed, retrieved: await api.retrieve(model.name, listed.id) });
  return { pairs };
}

/** The oldest and the newest, and one between them. */
function someOf<T>(items: readonly T[]): readonly T[] {
  return [...new Set([...items.slice(0, 2), items[items.length >> 1], ...items.slice(-3)])].filter(
    (item) => item !== undefined,
  );
}
