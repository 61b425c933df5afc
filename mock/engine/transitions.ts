import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Transitions } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { pointerTo, type Violation } from '../operations/violation.ts';

/** The moves of status fields that are not allowed (setting `transitions`); staying always is. */
export function refuseMoves(
  model: Model,
  before: RecordValues,
  values: RecordValues,
  transitions: Transitions,
): Violation[] {
  if (transitions === 'any') return [];
  return model.fields.flatMap((field) => {
    const moves = Object.hasOwn(transitions, field.key) ? transitions[field.key] : undefined;
    const [from, to] = [before[field.name] ?? null, values[field.name]];
    // A first value is no move.
    if (moves === undefined || to === undefined || from === null || from === to) return [];
    const targets = (Object.hasOwn(moves, String(from)) ? moves[String(from)] : undefined) ?? [];
    if (targets.some((target) => String(target) === String(to))) return [];
    const expected = [from, ...targets].join(', ');
    const message = `may not move from ${from} to ${to}; expected one of ${expected}`;
    return [{ pointer: pointerTo('', field.name), message }];
  });
}
