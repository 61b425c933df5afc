import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { References } from '../../spec/references.ts';
import type { Decoration } from '../decoration.ts';

/** What a defect may know of the service it is in. */
export type Plan = {
  readonly catalogue: Catalogue;
  readonly profile: Profile;
  readonly references: References;
};

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
  /** What the service does, in a sentence without its subject. */
  readonly violates: string;
  /** The rules of the suite that are about it, by id. */
  readonly rules: readonly string[];
  /** It shows in requests about other fields than its own, and what they are answered need not name it. */
  readonly elsewhere?: true;
  /** The places of a model that it applies to under a profile; each place is one violation. */
  places(model: Model, plan: Plan): readonly Place[];
  decorate(place: Place, plan: Plan): Decoration;
};

type Described = Pick<Defect, 'name' | 'violates' | 'rules' | 'elsewhere'>;

/** A defect of a model as a whole; with details it has several places in each. */
export function modelDefect(
  defect: Described & {
    applies?(model: Model, plan: Plan): boolean;
    details?(model: Model, plan: Plan): readonly string[];
    decorate(place: ModelPlace, plan: Plan): Decoration;
  },
): Defect {
  const { applies = () => true, decorate, details, ...described } = defect;
  return {
    ...described,
    places: (model, plan) => {
      if (!applies(model, plan)) return [];
      return details ? details(model, plan).map((detail) => ({ model, detail })) : [{ model }];
    },
    decorate: ({ model, detail = '' }, plan) => decorate({ model, detail }, plan),
  };
}

/** A defect of single fields; with details a field has several places. */
export function fieldDefect(
  defect: Described & {
    applies(field: Field, model: Model, plan: Plan): boolean;
    details?(field: Field, model: Model, plan: Plan): readonly string[];
    decorate(place: FieldPlace, plan: Plan): Decoration;
  },
): Defect {
  const { applies, decorate, details, ...described } = defect;
  return {
    ...described,
    places: (model, plan) =>
      model.fields
        .filter((field) => applies(field, model, plan))
        .flatMap((field) => {
          if (!details) return [{ model, field }];
          return details(field, model, plan).map((detail) => ({ model, field, detail }));
        }),
    decorate: ({ model, field, detail = '' }, plan) => {
      if (!field) throw new TypeError(`${defect.name} is a defect of a field`);
      return decorate({ model, field, detail }, plan);
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
