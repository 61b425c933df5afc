import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { References } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, findRecordIn, isAccepted, isGone } from '../api/answer.ts';
import type { Api, Call, Watcher } from '../api/api.ts';
import type { Listing } from '../api/listing.ts';
import { isId, isObject } from '../api/places.ts';
import { Blocked, Skip } from '../assert/failure.ts';
import { Lost } from '../target/no-answer.ts';
import {
  type Found,
  holds,
  identify,
  isMarked,
  isReplaced,
  isStanding,
  type Made,
  nameOf,
} from './identity.ts';
import { isOwnLine, linesIn, readLines } from './lines.ts';
import { writableFields } from './values/values.ts';

/** The records that the run created or deleted, and those that the target had before. */
export type Book = CreatedRecords & ListedRecords;

/**
 * The records that the run created, and which of them it deleted. It watches every request. It lets a write to the ID
 * of a deleted record, or of one from before an outage, pass only if the ID is proven to be free or still of that
 * record.
 */
type CreatedRecords = Watcher & {
  /** Takes charge of a record that the run created. */
  add(made: Made): void;
  /** Returns the record that the run created last under an ID. */
  find(model: Model, id: unknown): Made | undefined;
  /** Throws Skip where the id of a deleted record names another one that the run made. */
  needNotReused(made: Made): void;
  /** The same, and where the target shows another record under the id, or none can be told. */
  needDeleted(made: Made): Promise<void>;
  /** Throws Skip where a record that has the id is another one than the one that was made. */
  needSame(made: Made, record: RecordValues): void;
  /** Returns the lines that a record of the run shows now, in wire form. */
  linesOf(made: Made, record: RecordValues): Promise<Made[]>;
  /** Returns the lines that a record of the run showed last and that are not deleted. */
  linesLeft(made: Made): Made[];
  /** Returns the lines that records of the run have shown, by model, the newest last. */
  lines(): ReadonlyMap<Model, readonly Made[]>;
  /** Deleted records that might remain: the response to the delete, or to a retrieve after it, was unusual. */
  oddlyDeleted(): readonly Made[];
  /**
   * The record that has the ID, if it is the one that was made. Throws Skip where the answer is about something else.
   */
  isThere(made: Made): Promise<RecordValues | undefined>;
};

/** The records that the lists of the target show, to recognize a record that no response to a create showed. */
type ListedRecords = {
  /** Notes what the list of a model shows, once, before its first case. */
  remember(model: Model): Promise<void>;
  /** Notes that a response to a create showed the record. */
  note(model: Model, id: unknown): void;
  /** Whether a record had the ID when the model was remembered. The run must not change it. */
  wasThere(model: Model, id: unknown): boolean;
  /** Whether the model was remembered from a complete list. */
  isWhole(model: Model): boolean;
  /** Whether the list is complete, shows the record with the ID, and shows only records that the run created. */
  holdsOnlyOwn(model: Model, id: unknown): Promise<boolean>;
  /** Whether the list might hold records that no response to a create showed. */
  mayHoldUnexpected(model: Model): Promise<boolean>;
  /** Returns the new records that hold some of the values; none if the list is not complete. */
  findUnexpected(model: Model, sought: readonly RecordValues[]): Promise<readonly Found[]>;
};

/** The parts with which the book reads lists. */
export type Sight = {
  /** The list as it is now. */
  list(model: Model): Promise<Listing | undefined>;
  /** The records that were seen already, and whether those are all; undefined where the list was not looked at. */
  seenBefore?: ((model: Model) => Promise<Pick<Listing, 'records' | 'complete'> | undefined>) | undefined;
  /** Whether no other client sends these values; canonical, as is the record that shows them. */
  identifies(model: Model, values: RecordValues, found: RecordValues): boolean;
  /** The record in canonical form. */
  read(model: Model, wire: RecordValues): RecordValues;
};

const BLIND: Sight = { list: async () => undefined, identifies: () => false, read: (_, wire) => wire };

type Described = Pick<Contract, 'catalogue' | 'references'>;

/** `api` reads, and is not watched by the book. Without `sight`, no list is remembered. */
export function createBook(contract: Described, api: Api, sight = BLIND): Book {
  const created = new Map<string, Made>();
  const find: Book['find'] = (model, id) => (isId(id) ? created.get(nameOf({ model, id })) : undefined);
  return {
    ...createCreatedRecords(contract, api, created, find),
    ...createListedRecords(contract, find, sight),
  };
}

function createCreatedRecords(
  { catalogue, references }: Described,
  api: Api,
  created: Map<string, Made>,
  find: Book['find'],
): CreatedRecords {
  const { models } = catalogue;
  /** How often the service was away: it may come back with other records. */
  let outages = 0;
  /** The records that were seen after the last time, with the number of times. */
  const seenSince = new WeakMap<Made, number>();
  const oddly = new Set<Made>();
  /** By their names: an ID that was used again is that of the newest. */
  const lines = new Map<string, Made>();
  const linesOf: CreatedRecords['linesOf'] = (...one) => readLines({ catalogue, references }, api, ...one);
  let usual: string | undefined;
  return {
    add(made) {
      if (made.id !== undefined) created.set(nameOf(made), made);
      seenSince.set(made, outages);
      noteLines(made);
    },
    linesOf,
    linesLeft({ model, shown }) {
      const names = linesIn(catalogue, model, shown).map(nameOf);
      const known = names.flatMap((name) => lines.get(name) ?? []);
      return known.filter((line) => !find(line.model, line.id)?.isDeleted);
    },
    lines: () => Map.groupBy(lines.values(), ({ model }) => model),
    isOwn: (model, id) => namedBy({ model, id }) !== undefined,
    find,
    needNotReused,
    async needDeleted(made) {
      needNotReused(made);
      if (made.id !== undefined) await needFree(made);
    },
    needSame(made, record) {
      if (identify(made, record) === 'other') throw usedAgain(made);
    },
    oddlyDeleted: () => [...oddly],
    async isThere(made) {
      const answer = made.id === undefined ? undefined : await api.retrieve(made.model.name, made.id);
      const record = answer && findRecordIn(made.model, answer);
      if (answer && isAboutElse(made, answer, record)) throw new Skip(`${answer.asked} shows something else`);
      // A delete of a linked record can set the link to null.
      const changes = [...(made.changes ?? []), withoutLinks(made.model, references)];
      return record && identify({ ...made, changes }, record) === 'same' ? record : undefined;
    },
    before,
    failed(call, error) {
      noteAfterDelete(call);
      const made = call.operation === 'delete' ? namedBy(call) : undefined;
      if (made && error instanceof Lost) made.isDeleted = true;
      // If the delete had its effect, another client's record can have the ID by now.
      else if (made) seenSince.set(made, outages - 1);
    },
    again(call, why) {
      if (why === 'lost') return undefined;
      outages++;
      return before(call);
    },
    answered(call, answer) {
      const made = namedBy(call);
      if (!made || made.isDeleted) return noteAfterDelete(call, answer);
      if (call.operation === 'delete') {
        if (!isAccepted(answer)) return;
        usual ??= formOf(answer, made);
        if (formOf(answer, made) !== usual) oddly.add(made);
        made.isDeleted = true;
        return;
      }
      const record = findRecordIn(made.model, answer);
      if (!record || String(record.id) !== String(made.id)) return;
      if (isUnclear(made) && identify(made, record) !== 'same') return;
      seenSince.set(made, outages);
      made.shown = record;
      if (made.changes) made.changes = made.changes.filter((sent) => sent !== call.sent);
      noteLines(made);
    },
  };

  /** A retrieve after a delete that does not say that the record is gone leaves it unclear. */
  function noteAfterDelete(call: Call, answer?: Answer): void {
    const made = call.operation === 'retrieve' ? namedBy(call) : undefined;
    if (made?.isDeleted && !(answer && saysGone(made, answer))) oddly.add(made);
  }

  function noteLines({ model, shown }: Made): void {
    for (const line of linesIn(catalogue, model, shown)) if (line.shown) lines.set(nameOf(line), line);
  }

  function before(call: Call): Promise<void> | undefined {
    if (call.request.method === 'GET') return undefined;
    const made = namedBy(call);
    if (!made) return undefined;
    // If no response shows the record, the service might or might not have applied the update.
    if (!made.isDeleted && call.operation === 'update' && call.sent)
      made.changes = [...(made.changes ?? []), call.sent];
    if (made.isDeleted || isUnclear(made)) return needFree(made);
    if (made.isUnproven) return needOwn(api, made);
    return showsIds(made) ? noteLinesById(made) : undefined;
  }

  /** Whether the record shows lines as IDs that the run did not create by themselves. */
  function showsIds({ model, shown }: Made): boolean {
    return linesIn(catalogue, model, shown).some((one) => !one.shown && !isStanding(find(one.model, one.id)));
  }

  /** Notes lines while their parent proves them: the write might leave them without it. */
  async function noteLinesById(parent: Made): Promise<void> {
    for (const line of await linesOf(parent, parent.shown ?? {})) lines.set(nameOf(line), line);
  }

  function isUnclear(made: Made): boolean {
    return outages > (seenSince.get(made) ?? 0);
  }

  function needNotReused(made: Made): void {
    const last = find(made.model, made.id);
    if (isStanding(last) && last !== made) throw usedAgain(made);
  }

  async function needFree(made: Made): Promise<void> {
    if (!made.model.operations.includes('retrieve')) throw usedAgain(made);
    const answer = await api.retrieve(made.model.name, made.id);
    const record = findRecordIn(made.model, answer);
    if (!isGone(answer) && !(record && identify(made, record) === 'same')) throw usedAgain(made);
    seenSince.set(made, outages);
  }

  function namedBy({ id, model: name = '' }: { id?: unknown; model?: string | undefined }): Made | undefined {
    const model = models.get(name);
    return model && find(model, id);
  }
}

/** Throws Skip where a retrieve shows that the ID of a create's answer is that of another record. */
async function needOwn(api: Api, made: Made): Promise<void> {
  const { id, model } = made;
  const answer = model.operations.includes('retrieve') ? await api.retrieve(model.name, id) : undefined;
  const record = answer && findRecordIn(model, answer);
  if (record && identify(made, record) === 'other') throw usedAgain(made);
  made.isUnproven = false;
}

/** The records in the list of a model, and those that the run created since. */
type Known = {
  readonly ids: Set<string>;
  /** Unexpected records with the ID of a deleted record, by the ID, as they were found. */
  readonly inherited: Map<string, RecordValues>;
  /** The ids at first, as texts: the form they are shown in may be wrong. */
  readonly before: ReadonlySet<string>;
  readonly complete: boolean;
};

function createListedRecords(
  contract: Described,
  find: Book['find'],
  { identifies, list, read, seenBefore }: Sight,
): ListedRecords {
  const known = new Map<Model, Known>();
  const refused = new Map<Model, Blocked>();
  return {
    async remember(model) {
      if (known.has(model)) return;
      const reason = refused.get(model);
      if (reason) throw reason;
      const look = async () => (await seenBefore?.(model)) ?? (await list(model));
      const listing = await look().catch((error) => {
        // Records that can't be told apart now can't be told apart later.
        if (error instanceof Blocked) refused.set(model, error);
        throw error;
      });
      const idsOf = (records: readonly RecordValues[] = []) => new Set(records.map(({ id }) => String(id)));
      // Lines come with their parents, which may have been made before anybody asked for lines.
      const before = idsOf(listing?.records.filter((record) => !isOwnLine(contract, find, model, record)));
      const complete = listing?.complete ?? false;
      known.set(model, { ids: idsOf(listing?.records), inherited: new Map(), before, complete });
    },
    note(model, id) {
      known.get(model)?.ids.add(String(id));
      known.get(model)?.inherited.delete(String(id));
    },
    wasThere: (model, id) => known.get(model)?.before.has(String(id)) ?? false,
    isWhole: (model) => known.get(model)?.complete ?? false,
    async holdsOnlyOwn(model, made) {
      const { ids, before } = known.get(model) ?? {};
      // Where others had records at first, nothing is shown by looking again.
      if (before && before.size > 0) return false;
      const listing = await list(model);
      return (
        listing?.complete === true &&
        // A list that leaves one out may leave out those of others.
        listing.records.some(({ id }) => String(id) === String(made)) &&
        listing.records.every(
          (one) => ids?.has(String(one.id)) && !before?.has(String(one.id)) && !mayBeReplaced(model, one),
        )
      );
    },
    async mayHoldUnexpected(model) {
      const { ids, complete } = known.get(model) ?? {};
      return (
        !ids ||
        !complete ||
        (await listed(model)).some(
          (one) => !isMarked(model, one) && (!ids.has(String(one.id)) || mayBeReplaced(model, one)),
        )
      );
    },
    async findUnexpected(model, sought) {
      const { complete, inherited, ids } = known.get(model) ?? {};
      // Records of a model without writable fields look the same, so each new record counts.
      const areAlike = sought.length > 0 && writableFields(model).length === 0;
      const telling = sought.filter((values) => Object.keys(values).length > 0);
      if (!ids || !inherited || !complete || (telling.length === 0 && !areAlike)) return [];
      const unexpected: Found[] = [];
      for (const record of await listed(model)) {
        const id = String(record.id);
        const deleted = ids.has(id) ? findDeleted(model, record.id) : undefined;
        if (ids.has(id) && !deleted) continue;
        ids.add(id);
        const now = read(model, record);
        const held = telling.filter((values) => holds(model, now, values));
        if (held.length === 0 && !areAlike) continue;
        if (deleted) {
          const before = inherited.get(id) ?? deleted.shown;
          const own = held.filter((values) => identifies(model, values, now));
          if (!before || !isReplaced(model, read(model, before), now, own)) continue;
          inherited.set(id, record);
        }
        unexpected.push({ model, id: isId(record.id) ? record.id : undefined, shown: record });
      }
      return unexpected;
    },
  };

  function findDeleted(model: Model, id: unknown): Made | undefined {
    const made = find(model, id);
    return made?.isDeleted ? made : undefined;
  }

  /** Whether the id of a deleted record may name another one. A list that is late shows what was deleted as it was. */
  function mayBeReplaced(model: Model, record: RecordValues): boolean {
    const deleted = findDeleted(model, record.id);
    return deleted !== undefined && identify(deleted, record) !== 'same';
  }

  async function listed(model: Model): Promise<readonly RecordValues[]> {
    return (await list(model))?.records ?? [];
  }
}

/** The links of a record without values. */
function withoutLinks(model: Model, references: References): RecordValues {
  const links = model.fields.filter(({ key, readonly }) => !readonly && references.has(key));
  return Object.fromEntries(links.map(({ name }) => [name, null]));
}

export function usedAgain(made: Made): Skip {
  return new Skip(
    `after its delete, ${nameOf(made)} might be another client's record, so the run sends no write to it`,
  );
}

/** Returns the form of a response, which differs between a delete and, say, a login page. */
function formOf({ body, json, status }: Answer, { id }: Made): string {
  const kind = json === undefined ? body.trim() === '' : Array.isArray(json) || typeof json;
  return `${status} ${kind} ${isObject(json) && String(json.id) === String(id)}`;
}

function saysGone({ model }: Made, answer: Answer): boolean {
  const record = findRecordIn(model, answer);
  return isGone(answer) || (record !== undefined && isMarked(model, record));
}

/** Whether an answer to a retrieve tells nothing of the record: a redirect, or a record with another ID. */
function isAboutElse({ id }: Made, { status }: Answer, record: RecordValues | undefined): boolean {
  return (status >= 300 && status < 400) || (record !== undefined && String(record.id) !== String(id));
}
