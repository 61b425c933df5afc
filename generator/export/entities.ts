import { schemaName } from '../../spec/binding.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { type Selection, selectModels } from '../selection.ts';

/** A line of a diagram from the model with the field to the one it leads to. */
export type EntityLink = {
  readonly from: string;
  readonly to: string;
  readonly field: string;
  /** The source states which lines a record has; which ids a field holds is inferred. */
  readonly basis: 'stated' | 'inferred';
  /** Whether a record leads to many, as lines and lists of ids do. */
  readonly many: boolean;
};

/** Models by area with their links, as far as they are wanted. */
export type Entities = {
  readonly title: string;
  readonly areas: readonly { readonly name: string; readonly models: readonly Model[] }[];
  readonly links: readonly EntityLink[];
};

/** What a diagram of a contract shows. Throws UsageError when the selection names what is not there. */
export function entitiesOf({ catalogue, references }: Contract, selection: Selection): Entities {
  const selected = selectModels(catalogue, selection);
  const models = [...selected.values()];
  return {
    title: `${catalogue.title} ${catalogue.version}`,
    areas: areasOf(catalogue, models),
    links: models.flatMap((model) => model.fields.flatMap((field) => linkOf(model, field) ?? [])),
  };

  function linkOf({ name: from }: Model, field: Field): EntityLink | undefined {
    if (field.lines !== undefined)
      return selected.has(field.lines)
        ? { from, to: field.lines, field: field.name, basis: 'stated', many: true }
        : undefined;
    const reference = references.get(field.key);
    if (reference === undefined || !('to' in reference) || !selected.has(reference.to)) return undefined;
    const many = field.type === 'manyToMany';
    return { from, to: reference.to, field: field.name, basis: 'inferred', many };
  }
}

function areasOf({ areas }: Catalogue, models: readonly Model[]): Entities['areas'] {
  return areas
    .map(({ name }) => ({ name, models: models.filter(({ area }) => area === name) }))
    .filter(({ models: own }) => own.length > 0);
}

/** The type and flags of a field, as the source writes them. */
export function notationOf(field: Field): { readonly type: string; readonly flags: readonly string[] } {
  return {
    type: field.lines === undefined ? field.type : `${schemaName(field.lines)}[]`,
    flags: [...(field.required ? ['req'] : []), ...(field.readonly ? ['ro'] : [])],
  };
}
