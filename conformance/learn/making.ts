import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { findRecord, type Id, idInLocation, isId } from '../api/places.ts';
import { createRemoval, type Made, nameOfMade, type Removal } from '../records/removal.ts';
import type { Target } from '../target/target.ts';
import { NotMade, Unlearned } from './finding.ts';
import { describe } from './probes/quoting.ts';
import type { Reachability } from './reachability.ts';
import { createSamples, type Samples, type SamplesOptions } from './samples.ts';

/** A record that was made, with the canonical values that were sent. */
export type MadeHere = {
  readonly model: Model;
  readonly id: Id;
  readonly sent: RecordValues;
  readonly seen: Answer;
};

/** Makes the records that probes need, and takes all of them away again. */
export type Making = Samples & {
  /** Sends canonical values in the wire form of a profile, and takes charge of what a success made. */
  create(model: Model, values: RecordValues, profile?: Profile, more?: RecordValues): Promise<Answer>;
  /** Takes charge of what an odd request made, where the answer shows a record. */
  adopt(model: Model, seen: Answer): void;
  /** Makes a record with the required fields and the given ones. Throws NotMade when that is refused. */
  make(model: Model, values?: RecordValues): Promise<MadeHere>;
  /** Updates a record with the values given: with them alone, or with all it needs, as the profile wants it. */
  update(made: MadeHere, values: RecordValues): Promise<Answer>;
  /** Deletes a record; one that is gone need not be removed later. */
  remove(model: Model, id: Id): Promise<Answer>;
  /** Whether a create of a valid record of the model was refused. */
  isRefused(model: Model): boolean;
  refuse(model: Model): void;
  /** The id of the record that a success made. */
  idIn(model: Model, seen: Answer): Id | undefined;
  /** Removes all that was made, newest first; gives what could not be removed, as `model/id`. */
  clean(): Promise<readonly string[]>;
  /** What there is to remove still, as `model/id`. */
  unremoved(): readonly string[];
};

export type MakingOptions = SamplesOptions & {
  readonly api: Api;
  readonly reachability: Reachability;
  readonly target: Target;
};

/** Whether the field deleted says yes, in either form of a truth value. */
export function isMarked(deleted: unknown): boolean {
  return deleted === true || deleted === 1;
}

export function createMaking(options: MakingOptions, profileNow: () => Profile): Making {
  const { api, bindings, catalogue, reachability, survey, target } = options;
  const made: Made[] = [];
  const linked = new Map<string, Id | undefined>();
  const refused = new Set<Model>();
  const deleted: Made[] = [];
  let removal: Removal | undefined;
  const samples = createSamples(options, profileNow, linkTo);
  return {
    ...samples,
    create,
    adopt,
    make,
    update,
    remove,
    isRefused: (model) => refused.has(model),
    refuse: (model) => refused.add(model),
    idIn,
    clean,
    unremoved: () => removal?.unremoved(made) ?? made.map(nameOfMade),
  };

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
  ): Promise<Answer> {
    const wire = createRecordCodec(catalogue, profile).encodeNamed(model.name, values);
    // What is there now is not ours, whatever the answer says.
    await survey.lists();
    const seen = await api.under(profile).create(model.name, { ...wire, ...more });
    if (isAccepted(seen)) made.push({ model, id: idIn(model, seen) });
    return seen;
  }

  function adopt(model: Model, seen: Answer): void {
    const id = isAccepted(seen) ? idIn(model, seen) : undefined;
    if (id !== undefined) made.push({ model, id });
  }

  async function make(model: Model, values: RecordValues = {}): Promise<MadeHere> {
    const given = model.fields.filter(({ name }) => Object.hasOwn(values, name));
    const sent = { ...(await samples.required(model, given)), ...values };
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

  async function update({ model, id, sent }: MadeHere, values: RecordValues): Promise<Answer> {
    const profile = profileNow();
    const whole = profile['request.update'] === 'full' ? { ...sent, ...values } : values;
    return api.update(model.name, id, createRecordCodec(catalogue, profile).encodeNamed(model.name, whole));
  }

  async function remove(model: Model, id: Id): Promise<Answer> {
    const seen = await api.delete(model.name, id);
    const index = made.findIndex((one) => one.model === model && one.id === id);
    if (isAccepted(seen) && index >= 0) deleted.push(...made.splice(index, 1));
    return seen;
  }

  function idIn(model: Model, seen: Answer): Id | undefined {
    const shown = [findRecord(model, seen.json)?.value.id, idInLocation(seen.headers)];
    return shown.filter(isId).find((id) => !survey.wasThere(model, id));
  }

  async function clean(): Promise<readonly string[]> {
    if (reachability.lost()) return made.splice(0).map(nameOfMade);
    const own = [...made, ...deleted];
    removal = createRemoval({ catalogue, profile: profileNow() }, target, {
      isMarked: (_, record) => isMarked(record.deleted),
      mayHoldStrays: async (model) => survey.showsMore(model, await api.list(model.name), own),
    });
    await removal.removeAll(made);
    await removal.settle(deleted);
    return removal.leftovers;
  }
}
