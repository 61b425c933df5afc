import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { onceFor } from '../../../spec/once-for.ts';
import { linkTarget, writableFields } from '../values/values.ts';

/** The fields by which records of a model may link to others, those in its lines too. */
export function createLinkFields({ catalogue, references }: Contract) {
  const linked = onceFor(
    (model: Model) => new Set(writableWithLines(model).map((field) => linkTarget(field, references))),
  );
  return { mayLink, writableWithLines, requiredInLines, wantedOf };

  /** Whether a client can link records of one model to records of another. */
  function mayLink(from: Model, to: Model): boolean {
    return linked(from).has(to.name);
  }

  /** As many as one record may hold links to, and one more, so that each link can be moved to a free one. */
  function wantedOf({ name }: Model): number {
    const linksOf = ({ fields }: Model) =>
      fields
        .filter((field) => !field.readonly && linkTarget(field, references) === name)
        .flatMap(({ type }) => (type === 'manyToMany' ? [1, 2] : [1])).length;
    return 1 + Math.max(1, ...[...catalogue.models.values()].map(linksOf));
  }

  function writableWithLines(model: Model): Field[] {
    return writableFields(model).flatMap((field) => [field, ...linesOf(field)]);
  }

  function requiredInLines(field: Field): Field[] {
    return linesOf(field).filter(({ required }) => required);
  }

  function linesOf({ lines = '' }: Field): Field[] {
    const line = catalogue.models.get(lines);
    return line ? writableFields(line) : [];
  }
}
