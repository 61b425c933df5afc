import { isDeepStrictEqual } from 'node:util';
import type { Field, TypeName } from '../catalogue/field.ts';
import { kitFile } from '../files/kit-file.ts';
import { checkShape } from '../files/shape.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import { type Profile, typeSetting } from '../profile/profile.ts';
import { compileWireSchema, type Obeys } from './obeys.ts';
import { WIRE_TYPES } from './types.ts';
import type { Context, Value, WireType } from './wire-type.ts';

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

let known: readonly Vectors[] | undefined;

/** All golden vectors, read once. */
export function loadVectors(): readonly Vectors[] {
  if (known) return known;
  const file = readYamlFile(kitFile('spec/types/vectors.yaml'));
  checkShape(file, 'vectors');
  known = file.value as Vectors[];
  return known;
}

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

/** A field that the vectors of a type are about. */
export function fieldOf(type: TypeName, { list }: Vectors): Field {
  return {
    name: 'part',
    key: 'thing.part',
    type,
    required: false,
    readonly: false,
    common: false,
    ...(list ? { choices: list.map(([value, name]) => ({ value, name })) } : {}),
    ...(type === 'lines' ? { lines: 'stockInvoiceLine' } : {}),
  };
}

/** Where the codecs that a profile needs differ from the golden vectors; nothing where they agree. */
export function findCodecFaults(
  profile: Profile,
  types: Readonly<Record<string, WireType>> = WIRE_TYPES,
): string[] {
  // The values and lengths that one service takes are no matter of the form.
  const open: Profile = { ...profile, values: {}, 'limits.text': 'none' };
  return Object.entries(types).flatMap(([name, type]) => {
    const vectors = vectorsOf(name as TypeName, profile);
    const context = { field: fieldOf(name as TypeName, vectors), profile: open };
    const obeys = compileWireSchema(JSON.stringify(type.schema(context)));
    return faultsOf(type, vectors, context, obeys).map((fault) => `${name} ${vectors.option ?? ''} ${fault}`);
  });
}

function faultsOf(
  type: WireType,
  { none, pairs, reads = [], writes = [] }: Vectors,
  context: Context,
  obeys: Obeys,
): string[] {
  const decode = (wire: Value) => attempt(() => type.decode(wire, context));
  const written = [...pairs, ...writes];
  const read = [...pairs.map(([value, wire]) => [wire, value] as const), ...reads];
  return [
    ...written.flatMap(([value, wire]) => differs('is written', value, wire, type.encode(value, context))),
    ...read.flatMap(([wire, value]) => differs('is read', wire, value, decode(wire))),
    ...[...written.map(([, wire]) => wire), ...read.map(([wire]) => wire)]
      .filter((wire) => !obeys(wire))
      .map((wire) => `${show(wire)} is refused by the schema`),
    ...none
      .filter((wire) => obeys(wire) && decode(wire) !== undefined)
      .map((wire) => `${show(wire)} is taken, which is no value`),
  ];
}

function differs(how: string, from: Value, expected: Value, found: Value | undefined): string[] {
  if (isDeepStrictEqual(found, expected)) return [];
  return [`${show(from)} ${how} as ${show(found)}; expected ${show(expected)}`];
}

function attempt(decode: () => Value): Value | undefined {
  try {
    return decode();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? 'nothing';
}
