import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';

/** What is known before the first request. */
export type PlanContext = Contract & {
  /** The types of whose form nothing can be said; none when absent. */
  readonly unknownForms?: UnknownForms | undefined;
};

/** Types whose form on the wire no option of the profile has. */
export type UnknownForms = ReadonlyMap<TypeName, UnknownForm>;

export type UnknownForm = {
  /** Why it could not be learned. */
  readonly why: string;
  /** Whether values are accepted in the form of the profile, though not shown in it. */
  readonly isTaken: boolean;
};

/** Why values of a field can't be read; undefined where their form is known. */
export function whyFormless(
  field: Field,
  { unknownForms }: Pick<PlanContext, 'unknownForms'>,
): string | undefined {
  const form = unknownForms?.get(field.type);
  return form && whyUnlearned(`types.${field.type}`, form.why);
}

export function whyUnlearned(setting: string, why: string): string {
  return `${setting} could not be learned (${why}); --profile may give it`;
}
