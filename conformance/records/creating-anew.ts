import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import { mayBeAboutBody, mayBeDuplicate } from './ids.ts';
import type { MadeRecord, OtherCreate, Owner } from './records-core.ts';

type Create = (values: RecordValues, other?: OtherCreate) => Promise<Answer>;

/**
 * A create that is sent once more where its refusal may be about values that the service wants otherwise, of which the
 * source says nothing: with new values where another record may have them, with short texts where columns may be short.
 * Gives the values that were sent last. Where short texts are taken, the texts of the model stay short.
 */
export function creatingAnew(create: Create, owner: Pick<Owner, 'fresh' | 'lengthen' | 'shorter'>) {
  return async (values: RecordValues, other?: OtherCreate): Promise<Pick<MadeRecord, 'answer' | 'sent'>> => {
    const answer = await create(values, other);
    if (mayBeDuplicate(answer)) {
      const sent = owner.fresh(values);
      return { answer: await create(sent, other), sent };
    }
    const sent = isPlain(other) && mayBeAboutBody(answer) ? owner.shorter(values) : undefined;
    if (!sent) return { answer, sent: values };
    const again = await create(sent);
    if (isAccepted(again)) return { answer: again, sent };
    owner.lengthen();
    return { answer, sent: values };
  };
}

/** Of any other create the refusal may be what is asked for. */
function isPlain(other: OtherCreate = {}): boolean {
  return Object.keys(other).length === 0;
}
