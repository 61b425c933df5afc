import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Decoration } from '../decoration.ts';

/** Where a defect can stand: in a model, mostly in one of its fields. */
export type Place = {
  readonly model: Model;
  readonly field?: Field;
  /** Tells apart the places of one field: a member of its value list, say. */
  readonly detail?: string;
};

/** A place as its defect sees it: the detail is there, and empty where the defect has no details. */
export type ModelPlace = { readonly model: Model; readonly detail: string };
export type FieldPlace = ModelPlace & { readonly field: Field };

/** One way to break the contract. */
export type Defect = {
  /** A slug: `create.drops-field`. */
  readonly name: string;
  /** What the service does, as a sentence without a subject. */
  readonly violates: string;
  /** The rules of the suite that are about it, by id. */
  readonly rules: readonly string[];
  /** It shows in requests about other fields, so that the failing case need not name its field. */
  readonly elsewhere?: true;
  /** It shows only if the service begins without records. */
  readonly onEmpty?: true;
  /** The places of a model that it applies to under a profile; each place is one violation. */
  places(model: Model, contract: Contract): readonly Place[];
  decorate(place: Place, contract: Contract): Decoration;
};

type Described = Pick<Defect, 'name' | 'violates' | 'rules' | 'elsewhere' | 'onEmpty'>;

/** A defect of a model as a whole; with details it has several places in each. */
export function modelDefect(
  defect: Described & {
    applies?(model: Model, contract: Contract): boolean;
    details?(model: Model, contract: Contract): readonly string[];
    decorate(place: ModelPlace, contract: Contract): Decoration;
  },
): Defect {
  const { applies = () => true, decorate, details, ...described } = defect;
  return {
    ...described,
    places: (model, contract) => {
      if (!applies(model, contract)) return [];
      return details ? details(model, contract).map((detail) => ({ model, detail })) : [{ model }];
    },
    decorate: ({ model, detail = '' }, contract) => decorate({ model, detail }, contract),
  };
}

/** A defect of single fields; with details a field has several places. */
export function fieldDefect(
  defect: Described & {
    applies(field: Field, model: Model, contract: Contract): boolean;
    details?(field: Field, model: Model, contract: Contract): readonly string[];
    decorate(place: FieldPlace, contract: Contract): Decoration;
  },
): Defect {
  const { applies, decorate, details, ...described } = defect;
  return {
    ...described,
    places: (model, contract) =>
      model.fields
        .filter((field) => applies(field, model, contract))
        .flatMap((field) => {
          if (!details) return [{ model, field }];
          return details(field, model, contract).map((detail) => ({ model, field, detail }));
        }),
    decorate: ({ model, field, detail = '' }, contract) => {
      if (!field) throw new TypeError(`${defect.name} is a defect of a field, but no field is given.`);
      return decorate({ model, field, detail }, contract);
    },
  };
}

/** Whether the model has all of the operations. */
export function has(model: Model, ...operations: readonly Model['operations'][number][]): boolean {
  return operations.every((operation) => model.operations.includes(operation));
}

export function isWritable(field: Field): boolean {
  return !field.readonly;
}
