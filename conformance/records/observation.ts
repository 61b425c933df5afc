import { type Answer, isAccepted } from '../api/answer.ts';
import type { CaseContext, MadeRecord, Observation, SeenRecord } from './context.ts';
import { seenIn } from './seen-records.ts';
import { updateWhole } from './updating.ts';

/** Creates, retrieves, lists and updates one record, and takes in what the list holds already. */
export async function observeModel(context: CaseContext): Promise<Observation> {
  const { api, model } = context;
  const records: SeenRecord[] = [];
  const see = (from: string, answer: Answer | undefined): Answer | undefined => {
    records.push(...seenIn(context, from, answer));
    return answer;
  };
  const has = (operation: (typeof model.operations)[number]) => model.operations.includes(operation);

  let made: MadeRecord | undefined;
  let created: Answer | undefined;
  if (has('create') && !context.readOnly) {
    const sent = context.values('all');
    created = see('create', await context.create(sent));
    const id = created && isAccepted(created) ? api.recordIn(created)?.id : undefined;
    const isOwn = typeof id === 'number' && Number.isInteger(id) && !context.wasThere(id);
    if (created && isOwn) made = { id, sent, answer: created };
  }
  const listing = await context.listing();
  for (const record of listing?.records ?? [])
    records.push({ from: 'list', record, exchange: listing?.first.exchange });
  // The source shows no list but the one without a query (section 4).
  const plain = await api.list(model.name);
  for (const record of (isAccepted(plain) && api.recordsIn(plain)) || [])
    records.push({ from: 'list', record, exchange: plain.exchange });
  const id = made?.id ?? records.find(({ record }) => Number.isInteger(record.id))?.record.id;
  const retrieved = id === undefined ? undefined : see('retrieve', await api.retrieve(model.name, id));
  let updated: Answer | undefined;
  if (made && has('update')) {
    updated = see('update', (await updateWhole(context, made)).answer);
  }
  return {
    ...(made ? { made } : {}),
    ...(created ? { created } : {}),
    ...(retrieved ? { retrieved } : {}),
    ...(updated ? { updated } : {}),
    records,
  };
}
