import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import type { Question } from '../../cases/rule.ts';

/** A record that the case created and deleted, and what requests still show of it. */
export type Aftermath = {
  readonly id: Id;
  readonly sent: RecordValues;
  /** The answer to the delete; where it was no success, nothing else was asked. */
  readonly answer: Answer;
  readonly retrieved?: Answer;
  /** In wire form, as the retrieve showed it. */
  readonly record?: RecordValues;
  readonly list?: Answer;
  /** The record in the list, in wire form. */
  readonly listed?: RecordValues;
};

/** Makes a record, deletes it, and looks where it may still be found. */
export const deletion: Question<Aftermath> = {
  name: 'deletion',
  againAfter5xx: true,
  async ask(context) {
    const { api, model, records } = context;
    const { id, sent } = await records.make();
    const answer = await records.delete(id);
    if (!isAccepted(answer)) return { id, sent, answer };
    const has = (operation: 'retrieve' | 'list') => model.operations.includes(operation);
    const retrieved = has('retrieve') ? await api.retrieve(model.name, id) : undefined;
    const record = retrieved && isAccepted(retrieved) ? api.recordIn(retrieved) : undefined;
    if (record) records.needSame(id, record);
    const listing = has('list') ? await records.listing() : undefined;
    const listed = listing?.records.find((item) => item.id === id);
    if (listed && !record) records.needSame(id, listed);
    return {
      id,
      sent,
      answer,
      ...(retrieved ? { retrieved } : {}),
      ...(record ? { record } : {}),
      ...(listing ? { list: listing.first } : {}),
      ...(listed ? { listed } : {}),
    };
  },
};
