import type { Catalogue, Model } from '../../spec/catalogue.ts';
import type { Field } from '../../spec/field.ts';
import type { Profile } from '../../spec/profile.ts';
import { createRecordCodec, type RecordValues } from '../../spec/record-codec.ts';
import { parentLink, type References } from '../../spec/references.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { isAccepted } from '../api.ts';
import type { Bindings } from '../bindings.ts';
import { findRecord, isId } from '../places.ts';
import { linkTarget, writableFields } from '../values.ts';
import type { Asking } from './asking.ts';
import { type Id, NotMade, type Seen, Unlearned } from './finding.ts';
import { describe } from './quoting.ts';
import type { Survey } from './survey.ts';

/** A record that was made, with the canonical values that were sent. */
export type MadeHere = {
  readonly model: Model;
  readonly id: Id;
  readonly sent: RecordValues;
  readonly seen: Seen;
};

/** Makes the records that probes need, and takes all of them away again. */
export type Making = {
  /** Canonical values for the required fields but some; what they link to is made first. Throws Unlearned. */
  required(model: Model, leaveOut?: readonly (Field | undefined)[]): Promise<Record<string, Value>>;
  /** A canonical value for one field. Throws Unlearned for a required link to nothing. */
  value(field: Field): Promise<Value | undefined>;
  /** Sends canonical values in the wire form of a profile, and takes charge of what a success made. */
  create(model: Model, values: RecordValues, profile?: Profile, more?: RecordValues): Promise<Seen>;
  /** Makes a record with the required fields and the given ones. Throws NotMade when that is refused. */
  make(model: Model, values?: RecordValues): Promise<MadeHere>;
  /** Updates a record with the values given: with them alone, or with all it needs, as the profile wants it. */
  update(made: MadeHere, values: RecordValues): Promise<Seen>;
  /** Deletes a record; one that is gone need not be removed later. */
  remove(model: Model, id: Id): Promise<Seen>;
  /** Whether a create of a valid record of the model was refused. */
  isRefused(model: Model): boolean;
  refuse(model: Model): void;
  /** The id of the record that a success made. */
  idIn(model: Model, seen: Seen): Id | undefined;
  /** Removes all that was made, newest first; gives what could not be removed, as `model/id`. */
  clean(): Promise<readonly string[]>;
};

export type MakingOptions = {
  readonly catalogue: Catalogue;
  readonly references: References;
  readonly bindings: Bindings;
  readonly seed: number;
  readonly ask: Asking;
  readonly survey: Survey;
};

export function createMaking(options: MakingOptions, profileNow: () => Profile): Making {
  const { ask, bindings, catalogue, references, survey } = options;
  const made: { readonly model: Model; readonly id: Id | undefined }[] = [];
  const linked = new Map<string, Id | undefined>();
  const refused = new Set<Model>();
  let last = options.seed;
  return {
    required,
    value,
    create,
    make,
    update,
    remove,
    isRefused: (model) => refused.has(model),
    refuse: (model) => refused.add(model),
    idIn,
    clean,
  };

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

  async function linkTo(name: string): Promise<Id | undefined> {
    if (linked.has(name)) return linked.get(name);
    // Nothing while it is being made: what needs it to be there first can't be a part of it.
    linked.set(name, bindings.get(name)?.[0]);
    if (linked.get(name) === undefined) linked.set(name, await makeOrFind(name));
    return linked.get(name);
  }

  async function makeOrFind(name: string): Promise<Id | undefined> {
    const model = catalogue.models.get(name);
    try {
      if (model?.operations.includes('create')) return (await make(model)).id;
    } catch (error) {
      if (!(error instanceof Unlearned)) throw error;
    }
    const there = (await survey.records()).find(
      ({ model: owner, record }) => owner === model && isId(record.id) && !record.deleted,
    );
    return there?.record.id as Id | undefined;
  }

  async function create(
    model: Model,
    values: RecordValues,
    profile: Profile = profileNow(),
    more: RecordValues = {},
  ): Promise<Seen> {
    const wire = createRecordCodec(catalogue, profile).encodeNamed(model.name, values);
    const seen = await ask.create(model.name, { ...wire, ...more }, profile);
    if (isAccepted(seen)) made.push({ model, id: idIn(model, seen) });
    return seen;
  }

  async function make(model: Model, values: RecordValues = {}): Promise<MadeHere> {
    const given = model.fields.filter(({ name }) => Object.hasOwn(values, name));
    const sent = { ...(await required(model, given)), ...values };
    const seen = await create(model, sent);
    const id = isAccepted(seen) ? idIn(model, seen) : undefined;
    if (id === undefined) {
      refused.add(model);
      throw new NotMade(`no ${model.name} could be made: ${describe(seen)}`);
    }
    const record = findRecord(model, seen.json)?.value;
    if (record) survey.note({ model, record, from: 'one', seen });
    return { model, id, sent, seen };
  }

  async function update({ model, id, sent }: MadeHere, values: RecordValues): Promise<Seen> {
    const profile = profileNow();
    const whole = profile['request.update'] === 'full' ? { ...sent, ...values } : values;
    return ask.update(model.name, id, createRecordCodec(catalogue, profile).encodeNamed(model.name, whole));
  }

  async function remove(model: Model, id: Id): Promise<Seen> {
    const seen = await ask.delete(model.name, id);
    const index = made.findIndex((one) => one.model === model && one.id === id);
    if (isAccepted(seen) && index >= 0) made.splice(index, 1);
    return seen;
  }

  function idIn(model: Model, seen: Seen): Id | undefined {
    const id = findRecord(model, seen.json)?.value.id;
    if (isId(id)) return id;
    const place = /\/(\d+)\/?$/.exec(seen.headers.location ?? '')?.[1];
    return place === undefined ? undefined : Number(place);
  }

  async function clean(): Promise<readonly string[]> {
    const left: string[] = [];
    for (const { model, id } of made.splice(0).reverse()) {
      const removed = id !== undefined && !ask.lost() && (await isRemoved(model, id).catch(() => false));
      if (!removed) left.push(`${model.name}/${id ?? '(an id that was not shown)'}`);
    }
    return left;
  }

  async function isRemoved(model: Model, id: Id): Promise<boolean> {
    const seen = await ask.delete(model.name, id);
    // Gone already is gone too.
    return isAccepted(seen) || [404, 410, profileNow()['status.unknownRecord']].includes(seen.status);
  }
}
