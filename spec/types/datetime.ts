import { NO_SCALAR, type WireType } from './wire-type.ts';

const FIRST = Date.UTC(2025, 0, 1);

/** `datetime`: a point in time, as 2025-10-22T09:30:00Z or as 2025-10-22 09:30:00 in UTC (`types.datetime`). */
export const datetime: WireType = {
  schema: ({ profile }) =>
    profile['types.datetime'] === 'iso'
      ? { type: 'string', format: 'date-time' }
      : {
          type: 'string',
          pattern: '^[0-9]{4}-[01][0-9]-[0-3][0-9] [0-2][0-9]:[0-5][0-9]:[0-5][0-9]$',
          description: 'UTC.',
        },
  encode: (value, { profile }) => (profile['types.datetime'] === 'iso' ? value : toSpaced(String(value))),
  // One canonical form, so that 09:00Z and 11:00+02:00 are the same value: a service may show either.
  decode: (wire, { profile }) => {
    const point =
      profile['types.datetime'] === 'iso'
        ? readPoint(String(wire))
        : new Date(`${String(wire).replace(' ', 'T')}Z`);
    // Near both ends an offset leads out of the years that the text form has (RFC 3339, section 1).
    const year = point.getUTCFullYear();
    if (!(year >= 0 && year <= 9999)) throw new TypeError(`${wire} is no point in time`);
    // The pattern lets 30 February pass, which Date moves into March.
    if (profile['types.datetime'] === 'space' && toSpaced(point.toISOString()) !== wire)
      throw new TypeError(`${wire} is no point in time`);
    return canonicalDatetime(point);
  },
  compare: (one, other) => {
    const [text, next] = [String(one), String(other)];
    if (text.length === next.length) return compareTexts(text, next);
    // Without its Z the text of a whole second stands before those of its parts, as it should.
    return compareTexts(text.slice(0, -1), next.slice(0, -1));
  },
  sample: (number) => canonicalDatetime(new Date(FIRST + (number % 1_000_000) * 60_000)),
  edges: () => ['2024-02-29T23:59:59Z'],
  counterSamples: () => ['no-datetime', ...NO_SCALAR],
};

/** A leap second is the first moment of the next minute: Date knows none (RFC 3339, section 5.7). */
function readPoint(text: string): Date {
  const leap = /^(.{17})60(.*)$/.exec(text);
  if (!leap) return new Date(text);
  return new Date(new Date(`${leap[1]}59${leap[2]}`).getTime() + 1000);
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function toSpaced(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}

/** UTC, without the fraction of a second where that is zero. */
export function canonicalDatetime(point: Date): string {
  return point.toISOString().replace('.000Z', 'Z');
}
