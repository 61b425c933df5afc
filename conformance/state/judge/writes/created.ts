import type { Seen } from '../../seen.ts';
import type { EndedWrite, WriteJudgeParts } from './ended-write.ts';
import { createWriteExpectations } from './expectations.ts';

/** Judges the answer to an accepted create: a new id, sent values shown, readonly ones ignored. */
export function createCreateJudge(parts: WriteJudgeParts): (write: EndedWrite, seen: Seen) => void {
  const { blame, check, known } = parts;
  const expect = createWriteExpectations(parts);
  return ({ at, meaning: { model }, sent }: EndedWrite, seen: Seen): void => {
    const wire = seen.records?.[0];
    const id = wire?.id;
    if (!wire || typeof id !== 'number' || !Number.isSafeInteger(id)) return;
    const before = known.get(model, id);
    if (before?.isOwn && before.life === 'live' && before.since < seen.asked) blame.replaced(before, seen);
    const record = known.meet(model, id, seen.asked);
    record.isOwn = true;
    record.life = 'live';
    record.values.clear();
    delete record.judged;
    delete record.lastRefused;
    record.lastWrite = { at, operation: 'create', names: new Set(sent.keys()), exchange: seen.exchange };
    const answer = { by: 'create' as const, record, wire, shown: check.read(model, wire), seen, at };
    for (const field of model.fields) {
      const value = sent.get(field.name);
      if (value === undefined || value === null) continue;
      if (field.readonly) expect.ignored(answer, field, value);
      else expect.taken(answer, field, value);
    }
  };
}
