import type { OpenAPIV3_1 } from 'openapi-types';
import { UsageError } from '../spec/files/usage-error.ts';
import type { Schema, SchemaReference } from './schemas/schema.ts';

type Parts = {
  schemas: Schema;
  responses: OpenAPIV3_1.ResponseObject;
  parameters: OpenAPIV3_1.ParameterObject;
  examples: OpenAPIV3_1.ExampleObject;
  links: OpenAPIV3_1.LinkObject;
};

export type Components = ReturnType<typeof createComponents>;

/** Collects the shared parts of a document that something refers to. */
export function createComponents() {
  const made = new Map<keyof Parts, Map<string, { owner: string; part: unknown }>>();
  return {
    /**
     * Refers to a part, and makes it at the first reference. `owner` is the subject of the part. Throws UsageError for
     * two subjects with one name.
     */
    refer: <Kind extends keyof Parts>(
      kind: Kind,
      name: string,
      owner: string,
      make: () => Parts[Kind],
    ): SchemaReference => {
      const known = made.get(kind) ?? new Map();
      made.set(kind, known);
      const there = known.get(name);
      if (there === undefined) {
        // Registered first, so that a part can refer to itself.
        const entry = { owner, part: undefined as unknown };
        known.set(name, entry);
        entry.part = make();
      } else if (there.owner !== owner)
        throw new UsageError(
          `${owner} and ${there.owner} both need the ${kind.slice(0, -1)} ${name}. Rename one of them in the catalogue.`,
        );
      return { $ref: `#/components/${kind}/${name}` };
    },
    /** Returns all parts by their names. */
    all: (): OpenAPIV3_1.ComponentsObject => {
      const kinds = ORDER.flatMap((kind) => {
        const parts = [...(made.get(kind) ?? [])].map(([name, { part }]) => [name, part] as const);
        const inOrder = parts.toSorted(([one], [other]) => (one < other ? -1 : 1));
        return parts.length === 0 ? [] : [[kind, Object.fromEntries(inOrder)]];
      });
      return Object.fromEntries(kinds);
    },
  };
}

const ORDER = ['schemas', 'responses', 'parameters', 'examples', 'links'] as const;
