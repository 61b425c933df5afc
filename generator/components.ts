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

/** The shared parts of a document. Only what is referred to is there. */
export type Components = {
  /**
   * Refers to a part, which is made when it is first referred to. `owner` says what the part describes: throws
   * UsageError when two things want one name.
   */
  refer<Kind extends keyof Parts>(
    kind: Kind,
    name: string,
    owner: string,
    make: () => Parts[Kind],
  ): SchemaReference;
  /** All parts, by their names. */
  all(): OpenAPIV3_1.ComponentsObject;
};

export function createComponents(): Components {
  const made = new Map<keyof Parts, Map<string, { owner: string; part: unknown }>>();
  return {
    refer: (kind, name, owner, make) => {
      const known = made.get(kind) ?? new Map();
      made.set(kind, known);
      const there = known.get(name);
      if (there === undefined) {
        // Held before it is made, so that a part may refer to itself.
        const entry = { owner, part: undefined as unknown };
        known.set(name, entry);
        entry.part = make();
      } else if (there.owner !== owner)
        throw new UsageError(
          `${owner} and ${there.owner} both need the ${kind.slice(0, -1)} ${name}. Rename one of them in the catalogue.`,
        );
      return { $ref: `#/components/${kind}/${name}` };
    },
    all: () =>
      Object.fromEntries(
        ORDER.flatMap((kind) => {
          const parts = [...(made.get(kind) ?? [])].toSorted(([one], [other]) => (one < other ? -1 : 1));
          return parts.length === 0
            ? []
            : [[kind, Object.fromEntries(parts.map(([name, { part }]) => [name, part]))]];
        }),
      ),
  };
}

const ORDER = ['schemas', 'responses', 'parameters', 'examples', 'links'] as const;
