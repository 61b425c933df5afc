import { isDeepStrictEqual } from 'node:util';
import type { Catalogue } from '../../../spec/catalogue/catalogue.ts';
import type { Image, ReadableRecords } from '../../store/store.ts';
import { createChangeKinds, isSame } from '../sessions/session.ts';
import type { StateAccess } from '../sessions/state.ts';
import type { Changes } from './records-api.ts';

const MOST_CHANGES = 1000;

/** Returns a function that compares the records of a session with those that it started with. */
export function createChangeReader(catalogue: Catalogue, state: StateAccess) {
  const kindOf = createChangeKinds(catalogue);
  return async (
    records: ReadableRecords,
    beginning: ReadableRecords,
  ): Promise<Pick<Changes, 'changes' | 'total'>> => {
    const images: Image[] = [];
    let total = 0;
    // One after the other, so that the records of only one model are in memory.
    for (const model of catalogue.models.keys()) {
      const changed = await compare(model, records, beginning);
      total += changed.length;
      images.push(...changed.slice(0, MOST_CHANGES - images.length));
    }
    return { changes: images.map(show), total };
  };

  function show(image: Image): Changes['changes'][number] {
    const { after, before, id, model } = image;
    const showRecord = state.show(model);
    const [was = {}, is = {}] = [before, after].map((record) => record && showRecord(record));
    const fields = (catalogue.models.get(model)?.fields ?? []).flatMap(({ name }) => {
      const field = { name, before: was[name] ?? null, after: is[name] ?? null };
      return isDeepStrictEqual(field.before, field.after) ? [] : [field];
    });
    return { model, id, change: kindOf(image), fields };
  }
}

/** Returns the changed records of a model in the order of their IDs. */
async function compare(
  model: string,
  records: ReadableRecords,
  beginning: ReadableRecords,
): Promise<Image[]> {
  const now = await records.find(model, { liveOnly: false });
  const before = await beginning.find(model, { liveOnly: false });
  const left = new Map(before.records.map((record) => [Number(record.id), record]));
  const changed: Image[] = [];
  for (const record of now.records) {
    const id = Number(record.id);
    const was = left.get(id);
    left.delete(id);
    if (!isSame(was, record)) changed.push({ model, id, before: was, after: record });
  }
  for (const [id, record] of left) changed.push({ model, id, before: record, after: undefined });
  return changed.sort((one, other) => one.id - other.id);
}
