import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { Id } from '../api/places.ts';
import type { Bindings } from '../records/bindings.ts';
import { linkTarget, writableFields } from '../records/values.ts';
import { Unlearned } from './finding.ts';
import type { Survey } from './survey.ts';

/** Values to make records of. */
export type Samples = {
  /** Canonical values for the required fields but some; what they link to is made first. Throws Unlearned. */
  required(model: Model, leaveOut?: readonly (Field | undefined)[]): Promise<Record<string, Value>>;
  /** A canonical value for one field. Throws Unlearned for a required link to nothing. */
  value(field: Field): Promise<Value | undefined>;
};

export type SamplesOptions = Omit<Contract, 'profile'> & {
  readonly bindings: Bindings;
  readonly seed: number;
  readonly survey: Survey;
};

/** `linkTo` gives the id of a record of a model, made where there is none. */
export function createSamples(
  { bindings, catalogue, references, seed, survey }: SamplesOptions,
  profileNow: () => Profile,
  linkTo: (model: string) => Promise<Id | undefined>,
): Samples {
  let last = seed;
  return { required, value };

  async function required(
    model: Model,
    leaveOut: readonly (Field | undefined)[] = [],
  ): Promise<Record<string, Value>> {
    const values: Record<string, Value> = {};
    for (const field of writableFields(model))
      if (field.required && !leaveOut.includes(field)) values[field.name] = (await value(field)) ?? null;
    return values;
  }

  async function value(field: Field): Promise<Value | undefined> {
    const profile = profileNow();
    const target = linkTarget(field, references);
    if (target !== undefined) {
      const id = await linkTo(target);
      if (id === undefined && field.required)
        throw new Unlearned(`${field.key} needs a record of ${target}, and none could be made or found`);
      return asLink(field, id);
    }
    if (field.lines !== undefined) return lineValues(field);
    const known = bound(field) ?? (await harvested(field));
    return known ?? WIRE_TYPES[field.type].sample(++last, { field, profile });
  }

  function asLink(field: Field, id: Id | undefined): Value | undefined {
    if (field.type === 'manyToMany') return id === undefined ? [] : [id];
    return id;
  }

  function bound(field: Field): Value | undefined {
    const reference = references.get(field.key);
    const id = reference && 'outside' in reference ? bindings.get(reference.outside)?.[0] : undefined;
    return id === undefined ? undefined : asLink(field, id);
  }

  /** What can't be made up is taken from a record that is there: the id of an outside thing, an unlisted value. */
  async function harvested(field: Field): Promise<Value | undefined> {
    if (!references.has(field.key) && !(field.type === 'select' && !field.choices)) return undefined;
    const profile = profileNow();
    for (const { model, record } of await survey.records()) {
      const seen = model.fields.includes(field) ? record[field.name] : undefined;
      if (seen === undefined || seen === null || (Array.isArray(seen) && seen.length === 0)) continue;
      try {
        return WIRE_TYPES[field.type].decode(seen, { field, profile });
      } catch {
        // The service shows something that is none; another record may show more.
      }
    }
    return undefined;
  }

  async function lineValues(field: Field): Promise<Value> {
    const line = catalogue.models.get(field.lines ?? '');
    const parent = catalogue.models.get(field.key.split('.')[0] ?? '');
    if (!line || !parent || profileNow()['types.lines'] === 'ids') return [];
    return [await required(line, [parentLink(line, parent, references)])];
  }
}
