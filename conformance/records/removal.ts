import { setTimeout as delay } from 'node:timers/promises';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { readRole } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type ApiResponse,
  findRecord,
  findRecordIn,
  idIn,
  idInLocation,
  isAccepted,
  isGone,
  isId,
  isRefused,
} from '../api/answer.ts';
import { type ApiCall, type ModelApi, mayCreate, type Watcher } from '../api/api.ts';
import type { Listing } from '../api/listing.ts';
import { isEnded } from '../assert/ending.ts';
import { Expired, Interrupted, Lost, NoAnswer, sideBySide, unlessUnanswered } from '../target/exchange.ts';
import { Relayed } from '../target/target.ts';
import { identify, isMarked, isTagged, type Made, mightBeSent, nameOf } from './identity.ts';
import { type ChosenParent, type Registry, usedAgain } from './registry.ts';

/** If this many records of a model all exist, or none does, the others count as the same. */
const MOST_TRIED = 10;

/** Milliseconds before each check of records that seem to be there, or that were missing. */
const LOOKS: readonly number[] = [0, 300, 1000];

export type RemovalOptions = {
  readonly api: ModelApi;
  readonly registry: Registry;
  readonly list: (model: Model) => Promise<Listing | undefined>;
  readonly tag?: string | undefined;
  /** No other run has the tag, so this run removes each record with it. */
  readonly tagIsUnique?: boolean | undefined;
  readonly looks?: readonly number[] | undefined;
  /** Whether records of one model might link to records of another. Default: all might. */
  readonly mayLink?: (from: Model, to: Model) => boolean;
  /** Maximum number of parallel deletes. Default 1. */
  readonly concurrency?: number | undefined;
};

type Parts = RemovalOptions & {
  remove(made: Made): Promise<void>;
  isGone(): boolean;
  /** Sends nothing to a target that is gone, because each request would time out. */
  giveUp(error: unknown): undefined;
};

/** Removes the records that the run created, and lists those that it can't remove. It watches all creates. */
export type Removal = ReturnType<typeof createRemoval>;

export function createRemoval(options: RemovalOptions) {
  const { api, concurrency = 1, mayLink = () => true, registry } = options;
  let gone = false;
  const giveUp = (error: unknown) => {
    gone ||= error instanceof NoAnswer && error.gone;
    return undefined;
  };
  const parts: Parts = { ...options, remove, isGone: () => gone, giveUp };
  const unanswered = createUnanswered(parts);
  const open = () => registry.all().filter(({ parent, state }) => !parent && state === undefined);
  const namesOf = (made: readonly Pick<Made, 'id' | 'model'>[]) => [...new Set(made.map(nameOf))];
  return {
    ...unanswered.watcher,
    /** Removes the records of a case or question, newest first. Never throws. */
    async removeOf(owner: object): Promise<void> {
      for (const made of open().reverse()) if (made.owner === owner) await remove(made);
    },
    delete: deleteOne,
    /**
     * Removes all records, each after newer ones that might link to it. Then looks for those that are still there, because
     * some deletes have no effect and some services are slow. Never throws.
     */
    async finish(): Promise<void> {
      await removeTogether();
      await unanswered.finish();
      await removeWhatIsThere(parts);
      await removeChosen();
    },
    /** Returns the records that could not be removed, as `model/id`; final after `finish`. */
    leftovers: () => namesOf(registry.all().filter(({ state }) => state === 'left')),
    /** Returns the records that are still to be removed, as `model/id`. */
    unremoved(): readonly string[] {
      const isThere = ({ parent, state }: Made) =>
        state === undefined ? parent?.state === undefined : state !== 'deleted';
      return namesOf([...registry.all().filter(isThere), ...unanswered.silent()]);
    },
  };

  /**
   * Removes the parents that the service created for one line each, and lists the others that are still there. The only
   * one of a model, or one with several lines, can be the draft of another client.
   */
  async function removeChosen(): Promise<void> {
    const removeOne = async (parent: ChosenParent) => {
      const { id, model } = parent;
      const canRead = !gone && model.operations.includes('retrieve');
      const record = canRead ? findRecordIn(model, await api.retrieve(model.name, id)) : undefined;
      if (canRead && (!record || isMarked(model, record))) return;
      const isOwn = record && parent.isNew && isForOneLine(parent, record);
      if (!isOwn || !isAccepted(await api.delete(model.name, id))) registry.add({ model, id, state: 'left' });
    };
    await sideBySide(registry.chosenParents(), (parent) => removeOne(parent).catch(giveUp), concurrency);
  }

  async function removeTogether(): Promise<void> {
    for (let all = open(); all.length > 0; all = open()) {
      const newer = new Set<Model>();
      const ready = all.reverse().filter(({ model }) => {
        const isLinked = [...newer].some((other) => mayLink(other, model));
        newer.add(model);
        return !isLinked;
      });
      await sideBySide(ready, remove, concurrency);
    }
  }

  async function remove(made: Made): Promise<void> {
    const send = made.id === undefined || gone ? undefined : deleteOne(made);
    try {
      const answer = await send;
      made.state = answer && isAccepted(answer) ? 'deleted' : answer && isGone(answer) ? 'missing' : 'left';
    } catch (error) {
      giveUp(error);
      if (made.state !== 'deleted') made.state = isUnclear(error) ? 'missing' : 'left';
    }
  }

  /** Sends a delete. If it is refused and the record has lines, deletes those and sends it again. */
  async function deleteOne(made: Made): Promise<ApiResponse> {
    const { id, model } = made;
    const answer = await api.delete(model.name, id);
    const mayHaveLines = model.fields.some(({ lines, readonly }) => lines !== undefined && !readonly);
    if (!isRefused(answer) || [404, 410].includes(answer.status) || !mayHaveLines) return answer;
    // Reads the current lines, because an update can have replaced them.
    const record = findRecordIn(model, await api.retrieve(model.name, id));
    const is = record && identify(made, record);
    if (is && (made.state === undefined ? is === 'other' : is !== 'same')) throw usedAgain(made);
    const lines = registry.all().filter(({ parent, state }) => parent === made && state === undefined);
    if (!is || lines.length === 0) return answer;
    // If lines can't be deleted separately, the deletion of their parent shows it.
    for (const line of lines)
      if (line.shown || (await registry.isThere(line)))
        await api.delete(line.model.name, line.id).catch((error) => {
          if (!(error instanceof Lost)) throw error;
        });
    return api.delete(model.name, id);
  }
}

/** Whether the service created a parent for a single line: at the same time, and without lines of others. */
function isForOneLine({ lines: [line, ...more], model }: ChosenParent, record: RecordValues): boolean {
  const seconds = (one?: RecordValues) => {
    const time = readRole(model, 'created', one ?? {});
    return (typeof time === 'number' ? time : Date.parse(String(time))) / 1000;
  };
  const shown = model.fields.flatMap(({ lines, name }) => (lines === undefined ? [] : (record[name] ?? [])));
  const isAlone = more.length === 0 && [shown].flat().every((one) => idIn(one) === line?.id);
  return isAlone && Math.abs(seconds(record) - seconds(line)) <= 1;
}

/** A create that ends with one of these has not created a record: it was not sent, or its credentials were refused. */
const NOT_SENT = [Expired, Interrupted, Relayed];

/** A create without a known result. */
type Unanswered = {
  readonly sent: RecordValues;
  /** There was no response, or one that says nothing. A 5xx seldom stores a record. */
  readonly isSilent: boolean;
};

/** Removes or lists the records that creates without a known result might have stored. */
function createUnanswered({ giveUp, isGone, list, registry, remove, tag = '', tagIsUnique }: Parts) {
  const unanswered = new Map<Model, readonly Unanswered[]>();
  const modelOf = (call: ApiCall) => (mayCreate(call) ? call.model : undefined);
  const note = (model: Model, { sent = {} }: ApiCall, isSilent: boolean) =>
    void unanswered.set(model, [...(unanswered.get(model) ?? []), { sent, isSilent }]);
  const watcher: Watcher = {
    answered(call, answer) {
      const model = modelOf(call);
      // A service that says that it has no create stored nothing.
      if (!model || answer.status === 501) return;
      // A success with an unreadable body might have stored a record.
      const namesRecord = () => idInLocation(answer.headers) ?? findRecord(model, answer.json);
      const isKnown = isRefused(answer) || (isAccepted(answer) && namesRecord() !== undefined);
      if (!isKnown || answer.again) note(model, call, !isKnown && answer.status < 500);
    },
    failed(call, error) {
      const model = modelOf(call);
      if (model && !NOT_SENT.some((kind) => error instanceof kind)) note(model, call, true);
    },
    async again(call, why) {
      const model = why === 'lost' ? modelOf(call) : undefined;
      if (model) await removeUnanswered(model, unanswered.get(model) ?? []).catch(() => {});
    },
  };
  const isAnySilent = (creates: readonly Unanswered[]) => creates.some(({ isSilent }) => isSilent);
  return {
    watcher,
    silent: () =>
      [...unanswered]
        .filter(([, creates]) => isAnySilent(creates))
        .map(([model]) => ({ model, id: undefined })),
    async finish(): Promise<void> {
      for (const [model, creates] of unanswered) {
        const listing = await removeUnanswered(model, creates).catch(giveUp);
        // A list that shows only some records proves nothing about a 5xx.
        const isOpen = listing ? listing.complete : model.operations.includes('list');
        if ((isOpen || isAnySilent(creates)) && (isGone() || (await registry.mayHoldUnexpected(model))))
          registry.add({ model, id: undefined, state: 'left' });
      }
    },
  };

  /** Removes the records of creates without a known result, if the list shows them with the tag of the run. */
  async function removeUnanswered(
    model: Model,
    creates: readonly Unanswered[],
  ): Promise<Listing | undefined> {
    const listing = await list(model);
    for (const shown of listing?.records ?? []) {
      const { id } = shown;
      const known = registry.find(model, id);
      if (!isId(id) || registry.wasThere(model, id) || (known && known.state !== 'deleted')) continue;
      if (!creates.some(({ sent }) => mightBeSent(model, sent, shown))) continue;
      // Without a unique tag, the record can be another run's.
      if (tagIsUnique && isTagged(shown, tag)) await remove(registry.add({ model, id, shown }));
      else registry.add({ model, id, shown, state: 'left' });
    }
    return listing;
  }
}

/** Deletes again what is still there, and adds it to the leftovers if that has no effect. */
async function removeWhatIsThere({
  api,
  giveUp,
  isGone,
  list,
  looks = LOOKS,
  registry,
}: Parts): Promise<void> {
  const models = new Set(registry.all().map(({ model }) => model));
  let suspects: Made[] = [];
  for (const model of models) suspects.push(...((await suspectsOf(model).catch(giveUp)) ?? []));
  for (const wait of looks) {
    if (isGone() || suspects.length === 0) break;
    if (wait > 0) await delay(wait);
    const there: Made[] = [];
    for (const ofModel of Map.groupBy(suspects, ({ model }) => model).values())
      there.push(...(await stillThere(ofModel)));
    for (const made of suspects)
      if (there.includes(made)) made.state = 'left';
      else if (made.state === 'left' && !isGone()) made.state = 'deleted';
    suspects = suspects.filter(({ state }) => state === 'missing' || state === 'left');
  }
  // A created record that no request finds might be there under another ID.
  for (const model of new Set(suspects.filter(({ state }) => state === 'missing').map(({ model }) => model)))
    if (isGone() || (await registry.mayHoldUnexpected(model)))
      registry.add({ model, id: undefined, state: 'left' });

  /** Returns the records that might be there: the list shows them, or no list shows that they are gone. */
  async function suspectsOf(model: Model): Promise<Made[]> {
    const own = registry
      .all()
      .filter((one) => one.model === model && one.state !== 'left' && registry.find(model, one.id) === one);
    if (isGone() || own.length === 0) return [];
    const listing = await unlessUnanswered(() => list(model));
    const missing = own.filter(({ state }) => state === 'missing');
    if (!listing?.complete) return [...new Set([...missing, ...own.toReversed()])];
    const ids = new Set(listing.records.filter((one) => !isMarked(model, one)).map(({ id }) => String(id)));
    const listed = own.filter(({ id }) => ids.has(String(id)));
    // A list can hide records whose delete had no effect.
    return [...new Set([...missing, ...listed, ...own.slice(-1)])];
  }

  async function stillThere(ofModel: readonly Made[]): Promise<readonly Made[]> {
    const there: Made[] = [];
    // Lines were not deleted before.
    const wereDeleted = ofModel.slice(0, MOST_TRIED).every(({ state }) => state !== undefined);
    for (const [index, made] of ofModel.entries()) {
      // The others would cost two requests each.
      if (index === MOST_TRIED && there.length === index && wereDeleted) return ofModel;
      if (isGone() || (index === MOST_TRIED && there.length === 0)) break;
      // If a response is about something else, the next look decides.
      const record = await registry.isThere(made).catch((error) => (isUnclear(error) ? {} : giveUp(error)));
      if (!record || isMarked(made.model, record)) continue;
      there.push(made);
      // The time for removing records can end at any request.
      made.state = 'left';
      await api.delete(made.model.name, made.id).catch(giveUp);
    }
    return there;
  }
}

/** Whether a request was not sent, or its response doesn't count, because it might be about another record. */
function isUnclear(error: unknown): boolean {
  return isEnded(error, 'skip') && !error.ending.withheld;
}
