import type { Value } from '../../spec/types/wire-type.ts';
import type { SchemaOrReference } from '../schemas/schema.ts';

/** A part of a body and the JSON pointer it stands at; "" is the body itself. */
export type Placed<Part> = readonly [pointer: string, part: Part];

/** The body that holds each value at its pointer: `[['/data', []], ['/meta/total', 0]]` → `{ data: [], meta: { total: 0 } }`. */
export function envelope(placed: readonly Placed<Value>[]): Value {
  return nest<Value>(placed, (members) => Object.fromEntries(members));
}

/** The schema of that body. */
export function envelopeSchema(placed: readonly Placed<SchemaOrReference>[]): SchemaOrReference {
  return nest<SchemaOrReference>(placed, (members) => ({
    type: 'object',
    required: members.map(([name]) => name),
    properties: Object.fromEntries(members),
  }));
}

function nest<Part>(
  placed: readonly Placed<Part>[],
  wrap: (members: readonly (readonly [name: string, part: Part])[]) => Part,
): Part {
  const whole = placed.find(([pointer]) => pointer === '');
  if (whole) return whole[1];
  const members = new Map<string, Placed<Part>[]>();
  for (const [pointer, part] of placed) {
    const [, name = '', ...rest] = pointer.split('/');
    const inner: Placed<Part> = [rest.map((step) => `/${step}`).join(''), part];
    members.set(name, [...(members.get(name) ?? []), inner]);
  }
  return wrap([...members].map(([name, inner]) => [name, nest(inner, wrap)] as const));
}
