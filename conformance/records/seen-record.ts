import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import type { Api } from '../api/api.ts';

/** A record that an answer showed. */
export type SeenRecord = {
  readonly model: Model;
  /** The operation that showed it, as messages name it: `list`, `retrieve after a delete`. */
  readonly from: string;
  /** In wire form. */
  readonly record: RecordValues;
  readonly answer: Answer;
};

/** The record that an answer shows where the profile says; none where it is no success, or shows none. */
export function seenIn(
  { api, model }: { readonly api: Api; readonly model: Model },
  from: string,
  answer: Answer | undefined,
): SeenRecord[] {
  const record = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
  return answer && record ? [{ model, from, record, answer }] : [];
}
