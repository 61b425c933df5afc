import type { RecordValues } from '../../../spec/wire/record-codec.ts';

/** A record as the database has it, and as it is used. */
export type SeenRecord = { readonly text: string; readonly record: RecordValues };

/**
 * What this replica saw of records last, which others may have changed since. While the text of one is the same it stays
 * the same object, so that its form on the wire is written once too (reply.ts).
 */
export type Seen = {
  last(space: string, model: string, id: number): SeenRecord | undefined;
  /** The record that a text is now. */
  read(space: string, model: string, id: number, text: string): RecordValues;
  note(space: string, model: string, id: number, seen: SeenRecord): void;
};

const MOST = 10_000;
const LONGEST = 2000;

export function createSeen(): Seen {
  const known = new Map<string, SeenRecord>();
  const nameOf = (space: string, model: string, id: number) => `${space} ${model} ${id}`;
  const keep = (name: string, seen: SeenRecord) => {
    if (known.size >= MOST) known.clear();
    // Of a longer one what it was before would be guessed again and again.
    if (seen.text.length > LONGEST) known.delete(name);
    else known.set(name, seen);
  };
  return {
    last: (space, model, id) => known.get(nameOf(space, model, id)),
    read: (space, model, id, text) => {
      const name = nameOf(space, model, id);
      const last = known.get(name);
      if (last?.text === text) return last.record;
      const record: RecordValues = JSON.parse(text);
      keep(name, { text, record });
      return record;
    },
    note: (space, model, id, seen) => keep(nameOf(space, model, id), seen),
  };
}
