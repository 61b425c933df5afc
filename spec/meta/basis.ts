import type { Field } from '../catalogue/field.ts';
import type { Contract } from '../contract.ts';
import { typeSetting } from '../profile/profile.ts';
import { isText, refusesBlank, valueListOf } from '../types/types.ts';

/** Where a fact comes from: the source, an inferred link, or the profile. */
export type Basis = 'stated' | 'inferred' | 'assumed';

/** The facts about a field. `form` is the wire format of its values. Only requests have a `minLength`. */
export type FieldFact =
  | 'type'
  | 'required'
  | 'readonly'
  | 'values'
  | 'link'
  | 'form'
  | 'minLength'
  | 'maxLength';

const FROM_WEAKEST: readonly Basis[] = ['assumed', 'inferred', 'stated'];

/** Returns the basis of each fact that the contract has about a field. */
export function basesOf(
  field: Field,
  { profile, references }: Pick<Contract, 'profile' | 'references'>,
): { readonly [Fact in FieldFact]?: Basis } {
  return {
    type: 'stated',
    required: 'stated',
    readonly: 'stated',
    ...(valueListOf({ field, profile }) && { values: field.choices ? 'stated' : 'assumed' }),
    ...(references.has(field.key) && { link: 'inferred' }),
    ...(typeSetting(field) !== undefined && { form: 'assumed' }),
    ...(refusesBlank(field, profile) && { minLength: 'assumed' }),
    ...(isText(field) && profile['limits.text'] !== 'none' && { maxLength: 'assumed' }),
  };
}

/** Returns the weakest of some bases: assumed, inferred, stated. */
export function weakestOf(bases: readonly Basis[]): Basis {
  return FROM_WEAKEST.find((basis) => bases.includes(basis)) ?? 'stated';
}
