import { nest, type Placed } from '../../spec/binding.ts';
import type { SchemaOrReference } from '../schemas/schema.ts';

/** The schema of a body that holds each part at its JSON pointer. */
export function envelopeSchema(placed: readonly Placed<SchemaOrReference>[]): SchemaOrReference {
  return nest<SchemaOrReference>(placed, (members) => ({
    type: 'object',
    required: members.map(([name]) => name),
    properties: Object.fromEntries(members),
  }));
}
