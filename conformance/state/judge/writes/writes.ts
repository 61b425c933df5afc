import { createCreateJudge } from './created.ts';
import type { EndedWrite, WriteJudgeParts } from './ended-write.ts';
import { createUpdateJudge } from './updated.ts';

export type { EndedWrite };

/** Judges answers to accepted writes: sent values are shown, readonly ones ignored, common ones kept. */
export function createWriteJudge(parts: WriteJudgeParts): {
  apply(write: EndedWrite): void;
} {
  const created = createCreateJudge(parts);
  const { openUp, updated } = createUpdateJudge(parts);
  return { apply };

  function apply(write: EndedWrite): void {
    const { at, meaning, own, seen, sent } = write;
    if (seen?.outcome === 'refused') {
      if (own && meaning.operation === 'update') own.lastRefused = { at, sent };
      return;
    }
    if (seen?.outcome === 'accepted') {
      if (meaning.operation === 'create') created(write, seen);
      if (meaning.operation === 'update') updated(write, seen);
      if (meaning.operation === 'create' || meaning.operation === 'update') return;
    }
    if (!own) return;
    if (meaning.operation === 'delete') own.life = seen?.outcome === 'accepted' ? 'deleted' : 'unsure';
    else if (meaning.operation === 'update') openUp(own, sent);
    else own.values.clear();
    delete own.judged;
  }
}
