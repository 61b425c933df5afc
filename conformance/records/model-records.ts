import { setTimeout as delay } from 'node:timers/promises';
import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { hasOwnForm, type Profile, profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type ApiResponse,
  findRecord,
  findRecordIn,
  forgetHidden,
  type Id,
  isAccepted,
  isRefused,
} from '../api/answer.ts';
import type { ModelApi } from '../api/api.ts';
import { show, type WireCheck } from '../assert/agreement.ts';
import { blocked, describeAnswer, failure, skip } from '../assert/ending.ts';
import {
  type CandidateRecord,
  holds,
  identify,
  idsIn,
  idTooLong,
  integerIdIn,
  isWhatWasSent,
  mayBeAboutBody,
  mayBeDuplicate,
  nameOf,
  readList,
} from './identity.ts';
import type { Links } from './links.ts';
import type { Registry } from './registry.ts';
import type { Removal } from './removal.ts';
import { isLimiting } from './values/pins.ts';
import type { Samples } from './values/samples.ts';
import { type FieldPolicy, updateValues, writableFields } from './values/values.ts';

export type MadeRecord = {
  readonly model: Model;
  readonly id: Id;
  /** The values of the create, in canonical form. */
  readonly sent: RecordValues;
  readonly answer: ApiResponse;
};

/** The parts that all models share. */
export type RecordsCore = {
  readonly links: Links;
  readonly policy: FieldPolicy;
  readonly registry: Registry;
  readonly removal: Removal;
  /** Models for which the target refused a valid record. */
  readonly refused: Set<Model>;
  /** The models whose exceptions hold only for responses. Requests have the usual forms of the service. */
  readonly usualForms: Set<string>;
  readonly check: () => WireCheck;
  /** Accepts an ID anywhere in a response, while learning does not know its place. */
  readonly anyId?: boolean;
  readonly onMade?: (made: MadeRecord) => void;
  codec(profile: Profile): Pick<RecordCodec, 'encodeNamed'>;
};

/** The rounds that prove that a write stores a record. Records of another client fit all of them once in 4,096 times. */
const ROUNDS = 12;

type Owner = {
  readonly api: ModelApi;
  readonly samples: Samples;
  /** The case or question for which records are created. */
  readonly owner?: object | undefined;
};

/** A create that differs from the one of the profile. */
type OtherCreate = {
  /** The case asks whether the target accepts a length, so no shorter text is sent instead. */
  readonly asTold?: true;
  readonly settings?: Partial<Profile>;
  /** Members of the body in addition to the values, in wire form. */
  readonly more?: Readonly<Record<string, Value>>;
};

/** Creates and reads records of one model. */
export type ModelRecords = ReturnType<typeof openModelRecords>;

export function openModelRecords(core: RecordsCore, model: Model, given: Owner) {
  const { api, owner, samples } = given;
  const { check, links, policy, registry, removal } = core;
  const { adopt, createFresh, idOf, ownId, relink } = createCreates(core, model, given);
  return {
    /** Notes the existing records before the first create, so that new ones can be recognized. */
    remember: () => registry.remember(model),
    /** Whether another record had the ID before, so that the run must not change it. */
    wasThere: (id: unknown) => registry.wasThere(model, id),
    /** Whether the complete list shows the record with this ID, and only records of the run. */
    holdsOnlyOwn: (id: Id) => registry.holdsOnlyOwn(model, id),
    /** Sends a create, again with new values if another record might have some. Removes the record later. */
    create: async (values: RecordValues, other?: OtherCreate) => (await createFresh(values, other)).answer,
    createFresh,
    make,
    update,
    relink,
    retrieve,
    read,
    /** Retrieves a record and returns it in canonical form. */
    readValues: async (id: Id) => check().read(model, await read(id)),
    delete: remove,
    adopt,
    ownId,
    needSame: (id: Id, record: RecordValues) => registry.needSame(model, id, record),
    needNotReused: (id: Id) => registry.needNotReused(model, id),
    needDeleted: (id: Id) => registry.needDeleted(model, id),
    /** Returns the IDs of the records that the run created, unless it deleted them or a record that they link to. */
    existing: () => registry.existing(model),
    /** Returns the list of the model over its pages; undefined if the response is no list under the profile. */
    listing: () => readList(api, model),
    /** Returns the records in the list of the model, up to a maximum; nothing if there is no list. */
    listed: async () => (await readList(api, model))?.records ?? [],
    assertNothingStored: (refused: readonly RecordValues[], again?: () => Promise<unknown>) =>
      assertNoneUnexpected(core, model, owner, refused, again),
    /** Returns the user's ID for a model without a create. */
    boundId(): number | undefined {
      const id = model.operations.includes('create') ? undefined : links.idOf(model.name, 0);
      return typeof id === 'number' ? id : undefined;
    },
    /** Returns the ID of a record that others can link to; undefined if the run has none of the model. */
    linkTo: (name: string) => links.idOf(name, 0),
    /** Lets other records link only to one of the model until the returned function is called. */
    linkOnlyTo: (id: Id) => links.useOnly(model.name, id),
    remedyFor,
    isUnbound: links.isUnbound,
    explain,
  };

  /** Sends an update with valid values. If the profile requires all fields, adds the values that were sent before. */
  async function update(id: Id, change: RecordValues, sent: RecordValues): Promise<ApiResponse> {
    const tied = samples.tie(change, sent);
    const values = updateValues(model, api, tied, sent);
    const body = core.codec(api.profile).encodeNamed(model.name, values);
    return api.update(model.name, id, body);
  }

  /** Sends a delete. If it is refused and the record might have lines, deletes those and sends it again. */
  async function remove(id: Id): Promise<ApiResponse> {
    const own = registry.find(model, id);
    return own ? removal.delete(own) : api.delete(model.name, id);
  }

  /** Creates a record with the values, or with the required fields. Throws `blocked` if that fails. */
  async function make(values: RecordValues = samples.values('required')): Promise<MadeRecord> {
    const { answer, sent } = await createFresh(values);
    const id = idOf(answer);
    if (registry.wasThere(model, id))
      throw blocked(
        `a create of ${withArticle(model.name)} returns the ID ${id}, which another record had before`,
      );
    if (id !== undefined) {
      const record = { model, id, sent, answer };
      core.onMade?.(record);
      return record;
    }
    core.refused.add(model);
    throw blocked(
      `a valid ${model.name} could not be created: ${describeAnswer(answer, api)}${explain(answer, sent)}`,
      answer.exchange,
      { model },
    );
  }

  /** Returns the IDs to supply if the run generated the links of a refused body, else undefined. */
  function remedyFor(refusal: ApiResponse, values?: RecordValues): string | undefined {
    const ofTheBody = [400, 409, 422, profileAt(api.profile, model.name)['status.invalid']];
    return ofTheBody.includes(refusal.status) ? links.remedyFor(model, refusal.body, values) : undefined;
  }

  /** Returns the same remedy, or else the result of the search for the refused field; empty if there is neither. */
  function explain(refusal: ApiResponse, values?: RecordValues): string {
    return remedyFor(refusal, values) || (isRefused(refusal) ? policy.searched(model.name) : '');
  }

  /** Retrieves a record. Throws `blocked` if that fails. */
  async function retrieve(id: Id): Promise<ApiResponse> {
    const answer = await api.retrieve(model.name, id);
    if (isAccepted(answer) && api.recordIn(answer)) return answer;
    const why = `the created ${model.name} can't be retrieved: ${describeAnswer(answer, api)}`;
    throw blocked(why, answer.exchange);
  }

  /** Retrieves a record and returns it in wire form. */
  async function read(id: Id): Promise<RecordValues> {
    return api.recordIn(await retrieve(id)) ?? {};
  }
}

/** Creates records of one model, and notes those that the run created. */
function createCreates(core: RecordsCore, model: Model, { api, owner, samples }: Owner) {
  const { links, registry, usualForms } = core;
  const shownIn = (answer: ApiResponse) => findRecord(model, answer.json)?.value;
  const isSent = (answer: ApiResponse) => isWhatWasSent(model, shownIn(answer), answer.exchange);
  const idOf = (answer: ApiResponse) => (core.anyId ? ownId(answer) : integerIdIn(api, answer));
  return { adopt, createFresh, idOf, ownId, relink };

  async function create(values: RecordValues, { more, settings }: OtherCreate = {}): Promise<ApiResponse> {
    const spoken = settings ? api.under(settings) : api;
    const body = core.codec(spoken.profile).encodeNamed(model.name, values);
    await registry.remember(model);
    const answer = await spoken.create(model.name, { ...body, ...more });
    await needOwn(answer);
    adopt(answer, true);
    if (isAccepted(answer) && idsIn(spoken, model, answer).length === 0)
      registry.add({ model, id: undefined, owner });
    return answer;
  }

  /**
   * Sends a create like `create`, and returns the values that were sent last. It is repeated after some refusals, because
   * the source doesn't state what the service requires: with the usual forms if the service shows other ones in some
   * fields, with new values if another record might have them, with short texts if a column might be short. If the service
   * accepts short texts, the texts of the model stay short.
   */
  async function createFresh(
    untied: RecordValues,
    other: OtherCreate = {},
  ): Promise<Pick<MadeRecord, 'answer' | 'sent'>> {
    const values = samples.tie(untied);
    // Any other create can ask whether the target refuses it.
    const isPlain = Object.keys(other).length === 0;
    const send = async (sent: RecordValues) => ({ answer: await create(sent, other), sent });
    let made = await send(values);
    if (isPlain && mayBeAboutBody(made.answer) && hasOtherForms()) {
      usualForms.add(model.name);
      const usual = await send(values);
      if (isAccepted(usual.answer)) made = usual;
      else usualForms.delete(model.name);
    }
    if (mayBeDuplicate(made.answer)) made = await send(samples.tie(samples.fresh(values)));
    // Another record might link to the same ones.
    if (mayBeDuplicate(made.answer)) made = await send(await relink(made.sent));
    // A service might answer with 409 for each value that it refuses.
    const short = isPlain && mayBeAboutBody(made.answer) ? samples.shorter(made.sent) : undefined;
    const again = short && (await send(short));
    if (again && isAccepted(again.answer)) return again;
    if (again) core.policy.lengthen(model.name);
    return made;
  }

  /** Whether the requests of the model and its lines have other forms than those that are usual for the service. */
  function hasOtherForms(): boolean {
    const names = [model.name, ...model.fields.flatMap(({ lines }) => lines ?? [])];
    return !usualForms.has(model.name) && names.some((one) => hasOwnForm(api.profile, one));
  }

  /** Returns the values with links to new records, because another record might link to the same ones. */
  async function relink(values: RecordValues): Promise<Record<string, Value>> {
    const linked: Record<string, Value> = {};
    for (const field of writableFields(model).filter(({ name }) => Object.hasOwn(values, name))) {
      const id = await links.another(field, () => samples.number());
      if (id !== undefined) linked[field.name] = id;
    }
    return samples.tie({ ...values, ...linked });
  }

  /** Returns the ID of a created record, from anywhere in the response; undefined if another record has it. */
  function ownId(answer: ApiResponse): Id | undefined {
    return idsIn(api, model, answer).find((id) => !registry.wasThere(model, id));
  }

  /**
   * Throws `blocked` if the ID of a create might be that of another record: the response doesn't show what was sent, and a
   * retrieve shows another record. If other records can have the ID, the retrieve must show what was sent.
   */
  async function needOwn(answer: ApiResponse): Promise<void> {
    const id = ownId(answer);
    const [shown, isWhole] = [shownIn(answer), registry.isWhole(model)];
    if (id === undefined || isSent(answer) || (isWhole && !shown)) return;
    if (isWhole && !model.operations.includes('retrieve')) return;
    const retrieved = await api.retrieve(model.name, id);
    const record = findRecordIn(model, retrieved);
    const isOther = () => record && identify({ model, id, shown }, record) === 'other';
    if (isWhatWasSent(model, record, answer.exchange) || (isWhole && !isOther()))
      return forgetHidden(retrieved.exchange);
    registry.add({ model, id: undefined, owner });
    throw blocked(
      `a create of ${withArticle(model.name)} returns the ID ${id}, but a retrieve shows none of the sent values, so it might be another record`,
      answer.exchange,
    );
  }

  /** Ensures that a created record is removed. Returns its ID; undefined if the response shows no new ID. */
  function adopt(answer: ApiResponse, isSure = registry.isWhole(model) || isSent(answer)): Id | undefined {
    const own = isSure ? ownId(answer) : undefined;
    if (idsIn(api, model, answer).length > 0) registry.add({ model, id: own, owner, shown: shownIn(answer) });
    if (answer.inexactId !== undefined) throw idTooLong(model, answer.inexactId);
    const id = idOf(answer);
    return !isSure || registry.wasThere(model, id) ? undefined : id;
  }
}

/**
 * Throws `failure` if there is a new record with some of the values that no accepted create sent. A record with values of
 * the run is removed later. For others, `again` repeats the write: they are the run's only if each write stores one.
 * Throws `skip` otherwise, and if values are pinned.
 */
async function assertNoneUnexpected(
  { check, policy, registry }: RecordsCore,
  model: Model,
  owner: object | undefined,
  refused: readonly RecordValues[],
  again?: () => Promise<unknown>,
): Promise<void> {
  const unexpected = await registry.findUnexpected(model, refused);
  // Without a value of this run, the record might be another run's and must not be removed.
  const isOwn = (found: RecordValues) =>
    refused.some((values) => policy.identifies(model, values, found) && holds(model, found, values));
  const own = unexpected.filter(({ id, shown }) => id !== undefined && isOwn(check().read(model, shown)));
  takeCharge(own);
  const first = own[0] ?? unexpected[0];
  if (!first) return;
  const isPinned = model.fields.some((field) => isLimiting(policy.pinned(field)));
  const isStored = own.length > 0 || (!isPinned && again && (await isStoredByEach(again)));
  if (!isStored) {
    if (isPinned) registry.add({ model, id: undefined, owner });
    throw skip(
      `${nameOf({ model, id: String(first.shown.id) })} appeared during a rejected create, but it might be another client's record because ${isPinned ? 'its values are pinned (--pin)' : 'other clients create such records'}`,
    );
  }
  throw failure(
    'the target stored a record that no accepted create sent',
    'nothing stored',
    `record ${show(first.shown.id)} with the values sent`,
  );

  /**
   * Whether there is a new record after each write, and none without one. Chance decides whether a round has a write, so
   * the writes of another client hardly ever fit all rounds.
   */
  async function isStoredByEach(write: () => Promise<unknown>): Promise<boolean> {
    const found = [...unexpected];
    let longest = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const isWrite = Math.random() < 0.5;
      const began = performance.now();
      await (isWrite ? write() : delay(longest));
      longest = Math.max(longest, performance.now() - began);
      const more = await registry.findUnexpected(model, refused);
      if (more.length > 0 !== isWrite) return false;
      found.push(...more);
    }
    takeCharge(found);
    return true;
  }

  function takeCharge(found: readonly CandidateRecord[]): void {
    for (const one of found) if (one.id !== undefined) registry.add({ ...one, owner });
  }
}
