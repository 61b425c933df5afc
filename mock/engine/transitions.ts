import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Transitions } from '../../spec/profile/profile.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { givenLines, idOf, linesOf } from './lines.ts';
import type { RecordReader } from './unit-of-work.ts';
import { pointerTo, type Violation } from './violation.ts';

/**
 * The moves of status fields that are not allowed (setting `transitions`), in the record and in those of its lines
 * that are changed with it.
 */
export async function refuseTransitions(
  reader: RecordReader,
  model: Model,
  before: RecordValues,
  values: RecordValues,
  pointer = '',
): Promise<Violation[]> {
  const { transitions } = reader.profile;
  if (transitions === 'any') return [];
  const violations = refuseMoves(model, before, values, transitions, pointer);
  for (const relation of reader.relations.ofParent(model)) {
    const items = givenLines(values, relation) ?? [];
    for (const line of items.length > 0 ? await linesOf(reader, relation, before) : []) {
      const index = items.findIndex((item) => idOf(item) === line.id);
      const item = items[index];
      if (typeof item !== 'object') continue;
      const at = pointerTo(pointerTo(pointer, relation.field.name), index);
      violations.push(...(await refuseTransitions(reader, relation.line, line, item as RecordValues, at)));
    }
  }
  return violations;
}

/** Staying always is allowed. */
function refuseMoves(
  model: Model,
  before: RecordValues,
  values: RecordValues,
  transitions: Exclude<Transitions, 'any'>,
  pointer: string,
): Violation[] {
  return model.fields.flatMap((field) => {
    const moves = Object.hasOwn(transitions, field.key) ? transitions[field.key] : undefined;
    const [from, to] = [before[field.name] ?? null, values[field.name]];
    // A first value is no move.
    if (moves === undefined || to === undefined || from === null || from === to) return [];
    const targets = (Object.hasOwn(moves, String(from)) ? moves[String(from)] : undefined) ?? [];
    if (targets.some((target) => String(target) === String(to))) return [];
    const allowed = [from, ...targets].join(', ');
    const message = `can't change from ${from} to ${to}. Allowed values: ${allowed}`;
    return [{ pointer: pointerTo(pointer, field.name), message }];
  });
}
