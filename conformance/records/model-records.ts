import { setTimeout as delay } from 'node:timers/promises';
import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import type { Listing } from '../api/listing.ts';
import { findRecord, type Id } from '../api/places.ts';
import { Blocked, describeAnswer, Failure, Skip } from '../assert/failure.ts';
import { show } from '../assert/wire-check.ts';
import { usedAgain } from './book.ts';
import { type Found, holds, isWhatWasSent, type Made, nameOf } from './identity.ts';
import { idsIn, idTooLong, integerIdIn, mayBeAboutBody, readList } from './ids.ts';
import { type MadeRecord, NotMade, type RecordsCore } from './records-core.ts';
import type { Samples } from './values/samples.ts';
import { updateValues } from './values/values.ts';

/** Milliseconds of a pause in which the run does not write to the model. */
const CALM = 100;

/** How often a write is sent again, each time after a pause, to prove that it stores the record. */
const PROOFS = 3;

type Owner = Pick<Samples, 'fresh' | 'lengthen' | 'shorter'> & {
  readonly api: Api;
  /** Receives the created records. */
  readonly made: Made[];
  /** Other lists that contain records of the run. */
  readonly others?: readonly Made[][];
  /** Returns the default values. */
  required(): RecordValues;
};

/** A create that differs from the one of the profile. */
type OtherCreate = {
  /** The case asks whether the target accepts a length, so no shorter text is sent instead. */
  readonly asTold?: true;
  readonly settings?: Partial<Profile>;
  /** Members of the body in addition to the values, in wire form. */
  readonly more?: Readonly<Record<string, Value>>;
};

/** Creates and reads records of one model. The owner of the lists removes them. */
export type ModelRecords = {
  /** Notes the existing records before the first create, so that new ones can be recognized. */
  remember(): Promise<void>;
  /** Whether another record had the ID before, so that the run must not change it. */
  wasThere(id: unknown): boolean;
  /** Whether the complete list shows the record with this ID, and only records of the run. */
  holdsOnlyOwn(id: Id): Promise<boolean>;
  /**
   * Sends a create with valid values, and removes the record later. If a refusal can be because another record has a
   * value, sends it again with new values.
   */
  create(values: RecordValues, other?: OtherCreate): Promise<Answer>;
  /** Does the same, and returns the values that were sent last. */
  createFresh(values: RecordValues, other?: OtherCreate): Promise<Pick<MadeRecord, 'answer' | 'sent'>>;
  /** Creates a record with the values, or with the required fields. Throws NotMade if that fails. */
  make(values?: RecordValues): Promise<MadeRecord>;
  /** Sends an update with valid values. If the profile requires all fields, adds the values that were sent before. */
  update(id: Id, change: RecordValues, sent: RecordValues): Promise<Answer>;
  /** Retrieves a record. Throws Blocked if that fails. */
  retrieve(id: Id): Promise<Answer>;
  /** Retrieves a record and returns it in wire form. */
  read(id: Id): Promise<RecordValues>;
  /** Retrieves a record and returns it in canonical form. */
  readValues(id: Id): Promise<RecordValues>;
  /** Sends a delete. If it is refused and the record might have lines, deletes those and sends it again. */
  delete(id: Id): Promise<Answer>;
  /** Ensures that a created record is removed. Returns its ID; undefined if the response shows no new ID. */
  adopt(answer: Answer): Id | undefined;
  /** Returns the ID of a created record, from anywhere in the response; undefined if another record has it. */
  ownId(answer: Answer): Id | undefined;
  /** Notes that a record is gone and need not be removed. */
  forget(id: Id): void;
  /** Throws Skip if a record in wire form is not the created one, because the service reused the ID. */
  needSame(id: Id, record: RecordValues): void;
  /**
   * Returns a check for the record that has the ID now. It throws Skip for another record in wire form, also if the run
   * created that one later.
   */
  sameAs(id: Id): (record: RecordValues) => void;
  /** Throws Skip if another record of the run has the ID of a deleted one. */
  needNotReused(id: Id): void;
  /** Throws Skip unless the ID names the deleted record, or none. */
  needDeleted(id: Id): Promise<void>;
  /** Returns the list of the model over its pages; undefined if the response is no list under the profile. */
  listing(): Promise<Listing | undefined>;
  /** Returns the records in the list of the model, up to a maximum; nothing if there is no list. */
  listed(): Promise<readonly RecordValues[]>;
  /**
   * Throws Failure if there is a new record with some of the values that no accepted create sent, and Skip if it might
   * be another client's. `again` repeats the write, which can prove that the record is the run's.
   */
  assertNothingStored(refused: readonly RecordValues[], again?: () => Promise<unknown>): Promise<void>;
  /** Returns the user's ID for a model without a create. */
  boundId(): number | undefined;
  /** Returns the IDs to supply if the run generated the links of a refused body, else undefined. */
  remedyFor(refusal: Answer, sent?: RecordValues): string | undefined;
  /**
   * Whether a field links to a thing outside the catalogue for which neither the user nor a record of the target gives
   * an ID.
   */
  isUnbound(field: Field): boolean;
  /** Returns the same remedy, or else the result of the search for the refused field; empty if there is neither. */
  explain(refusal: Answer, sent?: RecordValues): string;
};

export function openModelRecords(core: RecordsCore, model: Model, owner: Owner): ModelRecords {
  const { book, links } = core;
  const { api, made, others = [] } = owner;
  const createUntied = creatingAnew(create, { ...owner, fresh: (values) => tie(owner.fresh(values)) });
  const tie = (values: RecordValues) => core.policy.tie(model, values);
  const createFresh: ModelRecords['createFresh'] = (values, other) => createUntied(tie(values), other);
  const { adopt, mayAdopt, ownId, shownIn } = createAdoption(core, model, owner);
  const read = async (id: Id) => api.recordIn(await retrieve(id)) ?? {};
  return {
    remember: () => book.remember(model),
    wasThere: (id) => book.wasThere(model, id),
    holdsOnlyOwn: (id) => book.holdsOnlyOwn(model, id),
    create: async (values, other) => (await createFresh(values, other)).answer,
    createFresh,
    make,
    update,
    delete: remove,
    retrieve,
    read,
    readValues: async (id) => core.check().read(model, await read(id)),
    adopt,
    ownId,
    forget(id) {
      for (const list of [made, ...others]) {
        const index = list.findIndex((item) => item.id === id && item.model === model);
        if (index >= 0) core.deleted.push(...list.splice(index, 1));
      }
    },
    needSame: (id, record) => book.needSame(madeWith(id), record),
    sameAs(id) {
      const made = madeWith(id);
      return (record) => {
        book.needNotReused(made);
        book.needSame(made, record);
      };
    },
    needNotReused: (id) => book.needNotReused(madeWith(id)),
    needDeleted: (id) => book.needDeleted(madeWith(id)),
    listing: () => readList(api, model),
    listed: async () => (await readList(api, model))?.records ?? [],
    assertNothingStored: (refused, again) => assertNoneUnexpected(core, model, made, refused, again),
    boundId: () => {
      const id = model.operations.includes('create') ? undefined : links.idOf(model.name, 0);
      return typeof id === 'number' ? id : undefined;
    },
    remedyFor,
    isUnbound: links.isUnbound,
    explain,
  };

  async function create(values: RecordValues, { more, settings }: OtherCreate = {}): Promise<Answer> {
    const spoken = settings ? api.under(settings) : api;
    const body = core.codec(spoken.profile).encodeNamed(model.name, values);
    if (!settings) core.checkBody?.('Create', model.name, body);
    await book.remember(model);
    const answer = await spoken.create(model.name, { ...body, ...more });
    const problem = mayAdopt(answer) ? undefined : await problemOf(ownId(answer), api, model, answer);
    if (problem) made.push({ model, id: undefined });
    if (problem) throw problem;
    adopt(answer, true);
    if (isAccepted(answer) && idsIn(spoken, model, answer).length === 0) made.push({ model, id: undefined });
    return answer;
  }

  async function update(id: Id, change: RecordValues, sent: RecordValues): Promise<Answer> {
    const tied = core.policy.tie(model, change, sent);
    const values = updateValues(model, api, tied, sent);
    const body = core.codec(api.profile).encodeNamed(model.name, values);
    core.checkBody?.('Update', model.name, body);
    return api.update(model.name, id, body);
  }

  /** Returns the record that last had the ID: the last deleted one, or else the last created one. */
  function madeWith(id: Id): Made {
    const deleted = core.deleted.findLast((one) => one.id === id && one.model === model);
    return deleted ?? book.find(model, id) ?? { model, id };
  }

  async function remove(id: Id): Promise<Answer> {
    const answer = await api.delete(model.name, id);
    const own = book.find(model, id);
    if (!isRefused(answer) || !own) return answer;
    // Without shown values, the record can't be told from a later one with its ID.
    if (!own.shown && own.isDeleted) throw usedAgain(own);
    if (!(await core.removal.removeLines(own))) return answer;
    return api.delete(model.name, id);
  }

  async function make(values: RecordValues = owner.required()): Promise<MadeRecord> {
    const { answer, sent } = await createFresh(values);
    const id = core.anyId ? ownId(answer) : integerIdIn(api, answer);
    if (book.wasThere(model, id))
      throw new Blocked(
        `a create of ${withArticle(model.name)} returns the ID ${id}, which another record had before`,
      );
    if (id !== undefined) {
      const record = { model, id, sent, answer };
      core.onMade?.({ ...record, shown: shownIn(answer) });
      return record;
    }
    core.refused.add(model);
    throw new NotMade(
      `a valid ${model.name} could not be created: ${describeAnswer(answer, api)}${explain(answer, sent)}`,
      answer.exchange,
      undefined,
      model,
    );
  }

  function remedyFor(refusal: Answer, values?: RecordValues): string | undefined {
    const ofTheBody = [400, 409, 422, profileAt(api.profile, model.name)['status.invalid']];
    return ofTheBody.includes(refusal.status) ? links.remedyFor(model, refusal.body, values) : undefined;
  }

  function explain(refusal: Answer, values?: RecordValues): string {
    return remedyFor(refusal, values) || (isRefused(refusal) ? core.policy.searched(model.name) : '');
  }

  async function retrieve(id: Id): Promise<Answer> {
    const answer = await api.retrieve(model.name, id);
    if (isAccepted(answer) && api.recordIn(answer)) return answer;
    throw new Blocked(
      `the created ${model.name} can't be retrieved: ${describeAnswer(answer, api)}`,
      answer.exchange,
    );
  }
}

function createAdoption(core: RecordsCore, model: Model, { api, made }: Owner) {
  const { book } = core;
  const shownIn = (answer: Answer) => findRecord(model, answer.json)?.value;
  return { adopt, mayAdopt, ownId, shownIn };

  /** Whether a response certainly shows the created record. */
  function mayAdopt(answer: Answer): boolean {
    return book.isWhole(model) || isWhatWasSent(model, shownIn(answer), answer.exchange);
  }

  function ownId(answer: Answer): Id | undefined {
    return idsIn(api, model, answer).find((id) => !book.wasThere(model, id));
  }

  function adopt(answer: Answer, isSure = mayAdopt(answer)): Id | undefined {
    const ids = idsIn(api, model, answer);
    const own = isSure ? ownId(answer) : undefined;
    if (ids.length > 0) {
      const record: Made = { model, id: own };
      const shown = shownIn(answer);
      if (shown) {
        record.shown = shown;
        record.isUnproven = !isWhatWasSent(model, shown, answer.exchange);
      }
      made.push(record);
      book.add(record);
    }
    if (own !== undefined) book.note(model, own);
    if (answer.inexactId !== undefined) throw idTooLong(model, answer.inexactId);
    const id = core.anyId ? own : integerIdIn(api, answer);
    return !isSure || book.wasThere(model, id) ? undefined : id;
  }
}

/**
 * Returns a create that is repeated after some refusals, because the source doesn't state what the service requires:
 * with new values if another record might have them, with short texts if a column might be short. It returns the values
 * that were sent last. If the service accepts short texts, the texts of the model stay short.
 */
function creatingAnew(
  create: (values: RecordValues, other?: OtherCreate) => Promise<Answer>,
  owner: Pick<Owner, 'fresh' | 'lengthen' | 'shorter'>,
) {
  return async (values: RecordValues, other?: OtherCreate): Promise<Pick<MadeRecord, 'answer' | 'sent'>> => {
    const answer = await create(values, other);
    if (mayBeDuplicate(answer)) {
      const sent = owner.fresh(values);
      return { answer: await create(sent, other), sent };
    }
    const sent = isPlain(other) && mayBeAboutBody(answer) ? owner.shorter(values) : undefined;
    if (!sent) return { answer, sent: values };
    const again = await create(sent);
    if (isAccepted(again)) return { answer: again, sent };
    owner.lengthen();
    return { answer, sent: values };
  };
}

/** Any other create can ask whether the target refuses it. */
function isPlain(other: OtherCreate = {}): boolean {
  return Object.keys(other).length === 0;
}

/**
 * Throws Failure if there is a new record with some of the values that no accepted create sent. A record with values of
 * the run is removed later. For others, `again` repeats the write: they are the run's only if each write stores one and
 * no pause does. Throws Skip otherwise, and if values are pinned.
 */
async function assertNoneUnexpected(
  { book, check, policy, storingRefused }: RecordsCore,
  model: Model,
  made: Made[],
  refused: readonly RecordValues[],
  again?: () => Promise<unknown>,
): Promise<void> {
  const unexpected = await book.findUnexpected(model, refused);
  const own = unexpected.filter(({ id, shown }) => id !== undefined && isOwn(check().read(model, shown)));
  takeCharge(own);
  const first = own[0] ?? unexpected[0];
  if (!first) return;
  if (own.length === 0) {
    const isPinned = model.fields.some((field) => (policy.pinned(field)?.kind ?? 'unique') !== 'unique');
    const isProven = !isPinned && again !== undefined && (await isStoredByEach(again));
    if (!isProven) {
      if (isPinned) made.push({ model, id: undefined });
      throw new Skip(
        `${nameOf({ model, id: String(first.shown.id) })} appeared during a rejected create, but it might be another client's record because ${isPinned ? 'its values are pinned (--pin)' : 'other clients create such records'}`,
      );
    }
  }
  throw new Failure(
    'the target stored a record from a rejected create',
    'nothing stored',
    `record ${show(first.shown.id)} with the values sent`,
  );

  /** Without a value of this run, the record might be another run's and must not be removed. */
  function isOwn(found: RecordValues): boolean {
    return refused.some((values) => policy.identifies(model, values, found) && holds(model, found, values));
  }

  /** Whether each of several writes stores a record, and no pause does. */
  async function isStoredByEach(write: () => Promise<unknown>): Promise<boolean> {
    const found = [...unexpected];
    // If this was proven for the model, or for several others, one more write is enough.
    const isUsual = storingRefused.has(model) || storingRefused.size >= PROOFS;
    for (let proof = 0; proof < (isUsual ? 1 : PROOFS); proof++) {
      // The pause is random, because another run of the suite might take the same steps.
      await delay(CALM * (isUsual ? 0.5 + Math.random() : 1 + 3 * Math.random()));
      if ((await book.findUnexpected(model, refused)).length > 0) return false;
      await write();
      const more = await book.findUnexpected(model, refused);
      if (more.length === 0) return false;
      found.push(...more);
    }
    takeCharge(found);
    storingRefused.add(model);
    return true;
  }

  function takeCharge(found: readonly Found[]): void {
    for (const one of found) {
      if (one.id === undefined) continue;
      made.push(one);
      book.add(one);
    }
  }
}

/**
 * Returns why the suite must not write to the ID that a create returned; undefined if a retrieve shows the sent values.
 */
async function problemOf(
  id: Id | undefined,
  api: Api,
  model: Model,
  { exchange }: Answer,
): Promise<Blocked | undefined> {
  if (id === undefined) return undefined;
  const now = await api.retrieve(model.name, id);
  if (isAccepted(now) && isWhatWasSent(model, findRecord(model, now.json)?.value, exchange)) return undefined;
  const why = `returns the ID ${id}, but a retrieve shows none of the sent values`;
  return new Blocked(
    `a create of ${withArticle(model.name)} ${why}, so it might be another record`,
    exchange,
  );
}

/** Whether a refusal can be because another record has a value. */
function mayBeDuplicate(answer: Answer): boolean {
  if (!isRefused(answer)) return false;
  return answer.status === 409 || /unique|duplicat|already|exist|taken|in use/i.test(answer.body);
}
