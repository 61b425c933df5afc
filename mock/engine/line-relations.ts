import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import { parentLink, type References } from '../../spec/references.ts';
import { apiOf } from '../store/api.ts';
import type { Layout } from '../store/store.ts';

/** A model that holds lines, the model of the lines, and how a line knows its parent. */
export type LineRelation = {
  readonly parent: Model;
  /** The field of the parent that shows the lines. */
  readonly field: Field;
  readonly line: Model;
  /** The field of a line with the id of its parent; without one the parent holds the ids of its lines. */
  readonly link?: string;
};

/** Which models hold lines of which. */
export type LineRelations = {
  /** The lines a model holds. */
  ofParent(model: Model): readonly LineRelation[];
  /** The models whose records follow when a record of this model changes; only where a link says which. */
  ofLine(model: Model): readonly LinkedLines[];
  /** What a store has to know of the models. */
  layout(): Layout;
};

type LinkedLines = LineRelation & { readonly link: string };

/** Reads the relations from the array types of section 2 and the inferred links. */
export function findLineRelations(catalogue: Catalogue, references: References): LineRelations {
  const relations = [...catalogue.models.values()].flatMap((parent) => {
    const fields = parent.fields.filter((field) => field.lines !== undefined);
    return fields.flatMap((field): LineRelation[] => {
      const line = catalogue.models.get(field.lines ?? '');
      if (!line) return [];
      const found = parentLink(line, parent, references);
      // Two fields with lines of one model can't share one link: nothing would say which field a line is in.
      const alone = fields.filter((other) => other.lines === field.lines).length === 1;
      return [{ parent, field, line, ...(found?.type === 'int' && alone ? { link: found.name } : {}) }];
    });
  });
  const linked = relations.filter((relation): relation is LinkedLines => relation.link !== undefined);
  const byParent = Map.groupBy(relations, (relation) => relation.parent.name);
  const byLine = Map.groupBy(linked, (relation) => relation.line.name);
  return {
    ofParent: (model) => byParent.get(model.name) ?? [],
    ofLine: (model) => byLine.get(model.name) ?? [],
    layout: () => ({
      links: new Map([...byLine].map(([model, of]) => [model, of.map((relation) => relation.link)])),
      mark: [...catalogue.models.values()].map((model) => fieldOf(model, 'deleted')?.name).find(Boolean),
      api: apiOf(catalogue),
    }),
  };
}
