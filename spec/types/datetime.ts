import type { Profile } from '../profile/profile.ts';
import { NO_SCALAR, type TypeSchema, type Value, type WireType } from './wire-type.ts';

const FIRST = Date.UTC(2025, 0, 1);

type Form = Profile['types.datetime'];

const SECONDS = '[0-9]{4}-[01][0-9]-[0-3][0-9]SEPARATOR[0-2][0-9]:[0-5][0-9]:[0-5][0-9]';

const SCHEMAS: Readonly<Record<Form, TypeSchema>> = {
  iso: { type: 'string', format: 'date-time' },
  space: { type: 'string', pattern: `^${SECONDS.replace('SEPARATOR', ' ')}$`, description: 'UTC.' },
  local: { type: 'string', pattern: `^${SECONDS.replace('SEPARATOR', 'T')}([.][0-9]{1,9})?$` },
  // Smaller numbers, before 1973, are seconds.
  milliseconds: { type: 'integer', format: 'int64', minimum: 100_000_000_000, maximum: 253_402_300_799_999 },
};

/**
 * `datetime`: a point in time, as 2025-10-22T09:30:00Z, as 2025-10-22 09:30:00 in UTC, without a zone, which counts as
 * UTC then, or as milliseconds since 1970 (`types.datetime`).
 */
export const datetime: WireType = {
  schema: ({ profile }) => SCHEMAS[profile['types.datetime']],
  encode: (value, { profile }) => write(String(value), profile['types.datetime']),
  // One canonical form, so that 09:00Z and 11:00+02:00 are the same value: a service may show either.
  decode: (wire, { profile }) => {
    const form = profile['types.datetime'];
    const point = readAs(String(wire), form);
    // Near both ends an offset leads out of the years that the text form has (RFC 3339, section 1).
    const year = point.getUTCFullYear();
    if (!(year >= 0 && year <= 9999)) throw new TypeError(`${wire} is not a valid date and time`);
    // The patterns let 30 February pass, which Date moves into March.
    const isText = form === 'space' || form === 'local';
    if (isText && String(write(point.toISOString(), form)).slice(0, 19) !== String(wire).slice(0, 19))
      throw new TypeError(`${wire} is not a valid date and time`);
    return canonicalDatetime(point);
  },
  sample: (number) => canonicalDatetime(new Date(FIRST + (number % 1_000_000) * 60_000)),
  edges: () => ['2024-02-29T23:59:59Z'],
  counterSamples: () => ['no-datetime', ...NO_SCALAR],
};

function write(iso: string, form: Form): Value {
  switch (form) {
    case 'iso':
      return iso;
    case 'space':
      return iso.slice(0, 19).replace('T', ' ');
    case 'local':
      return iso.slice(0, -1);
    case 'milliseconds':
      return Date.parse(iso);
  }
}

function readAs(wire: string, form: Form): Date {
  if (form === 'milliseconds') return new Date(Number(wire));
  return form === 'iso' ? readPoint(wire) : new Date(`${wire.replace(' ', 'T')}Z`);
}

/** A leap second is the first moment of the next minute: Date knows none (RFC 3339, section 5.7). */
function readPoint(text: string): Date {
  const leap = /^(.{17})60(.*)$/.exec(text);
  if (!leap) return new Date(text);
  return new Date(new Date(`${leap[1]}59${leap[2]}`).getTime() + 1000);
}

/** UTC, without the fraction of a second where that is zero. */
export function canonicalDatetime(point: Date): string {
  return point.toISOString().replace('.000Z', 'Z');
}
