import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Answer } from '../../api/answer.ts';
import type { Question } from '../../plan/rule.ts';

/** A record that stands in the list, in wire form, with the answer to a retrieve of it. */
export type ListedRecord = { readonly listed: RecordValues; readonly retrieved: Answer };

/** Retrieves some of the records that stand in the list. */
export const listedRecords: Question<readonly ListedRecord[]> = {
  name: 'listed records',
  async ask({ api, model, records }) {
    const listing = model.operations.includes('list') ? await records.listing() : undefined;
    if (!listing || !model.operations.includes('retrieve')) return [];
    const pairs: ListedRecord[] = [];
    for (const listed of someOf(listing.records.filter(({ id }) => Number.isInteger(id))))
      pairs.push({ listed, retrieved: await api.retrieve(model.name, listed.id) });
    return pairs;
  },
};

/** The oldest and the newest, and one between them. */
function someOf<T>(items: readonly T[]): readonly T[] {
  return [...new Set([...items.slice(0, 2), items[items.length >> 1], ...items.slice(-3)])].filter(
    (item) => item !== undefined,
  );
}
