import { isAccepted, isRefused } from '../api/answer.ts';
import type { Aftermath, CaseContext } from './context.ts';

/** Makes a record, deletes it, and looks where it may still be found. */
export async function deleteOne(context: CaseContext): Promise<Aftermath> {
  const { api, model } = context;
  const { id, sent } = await context.make();
  const answer = await api.delete(model.name, id);
  if (!isAccepted(answer)) return { id, sent, answer };
  const has = (operation: 'retrieve' | 'list') => model.operations.includes(operation);
  const retrieved = has('retrieve') ? await api.retrieve(model.name, id) : undefined;
  const record = retrieved && isAccepted(retrieved) ? api.recordIn(retrieved) : undefined;
  // What may still be there is not forgotten: whoever cleans up removes it, or names it.
  const isMarked = record !== undefined && context.check.read(model, record).deleted === true;
  if (isMarked || (retrieved && isRefused(retrieved))) context.forget(id);
  const listing = has('list') ? await context.listing() : undefined;
  const listed = listing?.records.find((item) => item.id === id);
  return {
    id,
    sent,
    answer,
    ...(retrieved ? { retrieved } : {}),
    ...(record ? { record } : {}),
    ...(listing ? { list: listing.first } : {}),
    ...(listed ? { listed } : {}),
  };
}
