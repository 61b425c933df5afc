import type { TypeName } from '../catalogue/field.ts';
import { kitFile } from '../files/kit-file.ts';
import { checkShape } from '../files/shape.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import { onceForOwn } from '../once-for.ts';
import { type Profile, typeSetting } from '../profile/profile.ts';
import type { Value } from './wire-type.ts';

/** The golden wire forms of some types under one option, with where they come from (`vectors.yaml`). */
export type Vectors = {
  readonly types: readonly TypeName[];
  /** The option of the type's setting; absent for types with one form. */
  readonly option?: string;
  /** The value list of a select, as value and name. */
  readonly list?: readonly (readonly [value: string | number, name: string])[];
  /** A standard or a section of the source. */
  readonly from: string;
  /** Written as the one, and read back as the other. */
  readonly pairs: readonly (readonly [canonical: Value, wire: Value])[];
  /** Only written: the canonical form that comes back is another one of the same value. */
  readonly writes?: readonly (readonly [canonical: Value, wire: Value])[];
  /** Only read: other texts of the same value. */
  readonly reads?: readonly (readonly [wire: Value, canonical: Value])[];
  /** No values of the type on the wire. */
  readonly none: readonly Value[];
};

/** All golden vectors, read once. */
export const loadVectors = onceForOwn(kitFile('spec/types/vectors.yaml'), (path) => {
  const file = readYamlFile(path);
  checkShape(file, 'vectors');
  return file.value as readonly Vectors[];
});

/**
 * Returns the golden vectors of a type under the option of a profile: values to send and to expect that no codec of
 * this project produced.
 */
export function vectorsOf(type: TypeName, profile: Profile): Vectors {
  const setting = typeSetting({ type });
  const option = setting && profile[setting];
  const found = loadVectors().find((one) => one.types.includes(type) && one.option === option);
  if (!found) throw new Error(`there are no golden vectors for ${type} under ${option}`);
  return found;
}
