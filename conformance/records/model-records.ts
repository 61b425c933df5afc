import { withArticle } from '../../spec/article.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted, isRefused } from '../api/answer.ts';
import type { Listing } from '../api/listing.ts';
import type { Id } from '../api/places.ts';
import { describeAnswer } from '../assert/describe-answer.ts';
import { Blocked } from '../assert/failure.ts';
import { createAdoption } from './adoption.ts';
import { creatingAnew } from './creating-anew.ts';
import { doubtOf, idsIn, integerIdIn, readList } from './ids.ts';
import { usedAgain } from './ledger.ts';
import type { Made } from './made.ts';
import { type MadeRecord, NotMade, type OtherCreate, type Owner, type RecordsCore } from './records-core.ts';
import { assertNoStray } from './strays.ts';

/** Makes and reads records of one model; what it makes is removed by whoever opened it. */
export type ModelRecords = {
  /** Takes note of the records that are there before the first one is made, so that a new one is told from them. */
  remember(): Promise<void>;
  /** Whether a record of the model had the id before: it is not the run's to change. */
  wasThere(id: unknown): boolean;
  /** Whether the list can be seen whole, shows the record with this id, and nothing but what the run made. */
  holdsOnlyOwn(id: Id): Promise<boolean>;
  /**
   * Sends a create with valid values, and takes charge of what it makes. Where it is refused and may have been for a
   * value that another record has, it is sent once more with new ones.
   */
  create(values: RecordValues, other?: OtherCreate): Promise<Answer>;
  /** The same, with the values that were sent last. */
  createFresh(values: RecordValues): Promise<Pick<MadeRecord, 'answer' | 'sent'>>;
  /** Creates a record with the values, or with the required fields; throws NotMade when that does not work. */
  make(values?: RecordValues): Promise<MadeRecord>;
  /** Sends an update to valid values; where the profile wants all fields, those that were sent before go with it. */
  update(id: Id, change: RecordValues, sent: RecordValues): Promise<Answer>;
  /** Retrieves a record; throws Blocked when that does not work. */
  retrieve(id: Id): Promise<Answer>;
  /** The same, as the record in wire form. */
  read(id: Id): Promise<RecordValues>;
  /** The same, as the record in canonical form. */
  readValues(id: Id): Promise<RecordValues>;
  /** Sends a delete; where it is refused although the record may have lines, those are removed before it is sent again. */
  delete(id: Id): Promise<Answer>;
  /** Takes charge of what a create made, so that it is removed; undefined when the answer shows no id of its own. */
  adopt(answer: Answer): Id | undefined;
  /** The id of what a create made, wherever the answer shows it; undefined where it is the id of another record. */
  ownId(answer: Answer): Id | undefined;
  /** A record is gone, and need not be removed. */
  forget(id: Id): void;
  /** Throws Skip where a record in wire form has an id that was used again: it is another one than was made. */
  needSame(id: Id, record: RecordValues): void;
  /**
   * Returns a check for the record that has the ID now. It throws Skip for a record in wire form that is another one,
   * also if the run created that one later.
   */
  sameAs(id: Id): (record: RecordValues) => void;
  /** Throws Skip where what was deleted left its id to another record of the run; a write to it looks for all others. */
  needNoHeir(id: Id): void;
  /** Throws Skip unless what was deleted is still what its id names, or nothing is. */
  needDeleted(id: Id): Promise<void>;
  /** The list of the model over its pages; undefined when the answer is none under the profile. */
  listing(): Promise<Listing | undefined>;
  /** The records of the model that stand in its list, up to a bound; none when there is no list. */
  listed(): Promise<readonly RecordValues[]>;
  /**
   * Throws Failure when there is a new record with some of the values that no accepted create made, and Skip where it
   * might be another client's. `again` sends the write again, which can prove that the record is the run's.
   */
  assertNothingStored(refused: readonly RecordValues[], again?: () => Promise<unknown>): Promise<void>;
  /** The id that the bindings give for a model of which the run can make no record. */
  boundId(): number | undefined;
  /** Returns the IDs to supply if the run generated the links of a refused body, else undefined. */
  remedyFor(refusal: Answer, sent?: RecordValues): string | undefined;
  /** Whether a field links to a thing outside the catalogue, and neither the user nor a record of the target gives an ID. */
  isUnbound(field: Field): boolean;
  /** The same, or else what a search for the refused field found out; empty where there is nothing to say. */
  explain(refusal: Answer, sent?: RecordValues): string;
};

export function openModelRecords(core: RecordsCore, model: Model, owner: Owner): ModelRecords {
  const { known, ledger, links } = core;
  const { api, made, others = [] } = owner;
  const createFresh = creatingAnew(create, owner);
  const { adopt, mayAdopt, ownId, shownIn } = createAdoption(core, model, owner);
  const read = async (id: Id) => api.recordIn(await retrieve(id)) ?? {};
  return {
    remember: () => known.remember(model),
    wasThere: (id) => known.wasThere(model, id),
    holdsOnlyOwn: (id) => known.holdsOnlyOwn(model, id),
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
    needSame: (id, record) => ledger.needSame(madeWith(id), record),
    sameAs(id) {
      const made = madeWith(id);
      return (record) => {
        ledger.needNoHeir(made);
        ledger.needSame(made, record);
      };
    },
    needNoHeir: (id) => ledger.needNoHeir(madeWith(id)),
    needDeleted: (id) => ledger.needDeleted(madeWith(id)),
    listing: () => readList(api, model),
    listed: async () => (await readList(api, model))?.records ?? [],
    assertNothingStored: (refused, again) => assertNoStray(core, model, made, refused, again),
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
    await known.remember(model);
    const answer = await spoken.create(model.name, { ...body, ...more });
    const doubt = mayAdopt(answer) ? undefined : await doubtOf(ownId(answer), api, model, answer);
    if (doubt) made.push({ model, id: undefined });
    if (doubt) throw doubt;
    adopt(answer, true);
    if (isAccepted(answer) && idsIn(spoken, model, answer).length === 0) made.push({ model, id: undefined });
    return answer;
  }

  async function update(id: Id, change: RecordValues, sent: RecordValues): Promise<Answer> {
    const values = api.profile['request.update'] === 'full' ? { ...sent, ...change } : change;
    const body = core.codec(api.profile).encodeNamed(model.name, values);
    core.checkBody?.('Update', model.name, body);
    return api.update(model.name, id, body);
  }

  /** The record with the id that was deleted last, or else made last. */
  function madeWith(id: Id): Made {
    const deleted = core.deleted.findLast((one) => one.id === id && one.model === model);
    return deleted ?? ledger.find(model, id) ?? { model, id };
  }

  async function remove(id: Id): Promise<Answer> {
    const answer = await api.delete(model.name, id);
    const own = ledger.find(model, id);
    if (!isRefused(answer) || !own) return answer;
    // What was never shown can't be told from what was given its id.
    if (!own.shown && !ledger.isStanding(model, id)) throw usedAgain(own);
    if (!(await core.removal.removeLines(own))) return answer;
    return api.delete(model.name, id);
  }

  async function make(values: RecordValues = owner.required()): Promise<MadeRecord> {
    const { answer, sent } = await createFresh(values);
    const id = core.anyId ? ownId(answer) : integerIdIn(api, answer);
    if (known.wasThere(model, id))
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
    const ofTheBody = [400, 409, 422, api.profile['status.invalid']];
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
