import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import type { References } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, findRecordIn, isAccepted, isGone } from '../api/answer.ts';
import type { Api, Call, Watcher } from '../api/api.ts';
import { type Id, isId, isObject } from '../api/places.ts';
import { Skip } from '../assert/failure.ts';
import { identify, isMarked, type Made, nameOf } from '../book/identity.ts';
import { linesIn, readLines } from '../book/lines.ts';

/**
 * What the run made, and which of it is deleted. It stands beside every request: a write to an id whose record was
 * deleted, or was made before the service was away, is sent only while that id is proven to be free, or still that
 * record's.
 */
export type Ledger = Watcher & {
  /** Takes charge of a record that a create answered with. */
  add(made: Made): void;
  /** The record with an id that the run made last. */
  find(model: Model, id: Id): Made | undefined;
  /** Whether the run made the record, and did not delete it. */
  isStanding(model: Model, id: unknown): boolean;
  /** The same, if it is deleted. */
  findDeleted(model: Model, id: unknown): Made | undefined;
  /** Throws Skip where the id of a deleted record names another one that the run made. */
  needNoHeir(made: Made): void;
  /** The same, and where the target shows another record under the id, or none can be told. */
  needDeleted(made: Made): Promise<void>;
  /** Throws Skip where a record that has the id is another one than the one that was made. */
  needSame(made: Made, record: RecordValues): void;
  /**
   * Returns the lines that a record of the run shows now, in wire form. An ID is no proof, so a line that is shown
   * as its ID is included only if a retrieve of it links to the record.
   */
  linesOf(made: Made, record: RecordValues): Promise<Made[]>;
  /** Returns the lines that a record of the run showed last and that are not deleted. */
  linesLeft(made: Made): Made[];
  /** The lines that records of the run have shown, by model, the newest last. */
  lines(): ReadonlyMap<Model, readonly Made[]>;
  /** Deleted records that might remain: the response to the delete, or to a retrieve after it, was unusual. */
  oddlyDeleted(): readonly Made[];
  /** The record that has the ID, if it is the one that was made. Throws Skip where the answer is about something else. */
  isThere(made: Made): Promise<RecordValues | undefined>;
};

/** `api` reads, and is not watched by the ledger itself. */
export function createLedger(
  { catalogue, references }: Pick<Contract, 'catalogue' | 'references'>,
  api: Api,
): Ledger {
  const { models } = catalogue;
  const standing = createShelf();
  const deleted = createShelf();
  /** How often the service was away: it may come back with other records. */
  let outages = 0;
  /** The records that were seen after the last time, with the number of times. */
  const seenSince = new WeakMap<Made, number>();
  const oddly = new Set<Made>();
  /** By their names: an ID that was used again is that of the newest. */
  const lines = new Map<string, Made>();
  const linesOf: Ledger['linesOf'] = (...one) => readLines({ catalogue, references }, api, ...one);
  let usual: string | undefined;
  return {
    add(made) {
      standing.put(made);
      seenSince.set(made, outages);
      noteLines(made);
    },
    linesOf,
    linesLeft({ model, shown }) {
      const names = linesIn(catalogue, model, shown).map(nameOf);
      const known = names.flatMap((name) => lines.get(name) ?? []);
      return known.filter((line) => standing.get(line.model, line.id) || !deleted.get(line.model, line.id));
    },
    lines: () => Map.groupBy(lines.values(), ({ model }) => model),
    isOwn(name, id) {
      const model = models.get(name);
      return (
        model !== undefined && isId(id) && (standing.get(model, id) ?? deleted.get(model, id)) !== undefined
      );
    },
    isStanding: (model, id) => isId(id) && standing.get(model, id) !== undefined,
    find: (model, id) => standing.get(model, id) ?? deleted.get(model, id),
    findDeleted: (model, id) => (isId(id) && !standing.get(model, id) ? deleted.get(model, id) : undefined),
    needNoHeir,
    async needDeleted(made) {
      needNoHeir(made);
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
    failed: (call) => noteAfterDelete(call),
    again(call) {
      outages++;
      return before(call);
    },
    answered(call, answer) {
      const made = namedBy(call, standing);
      if (!made) return noteAfterDelete(call, answer);
      if (call.operation === 'delete') {
        if (!isAccepted(answer)) return;
        usual ??= formOf(answer, made);
        if (formOf(answer, made) !== usual) oddly.add(made);
        standing.take(made);
        deleted.put(made);
        return;
      }
      const record = findRecordIn(made.model, answer);
      if (!record || String(record.id) !== String(made.id)) return;
      if (isDoubted(made) && identify(made, record) !== 'same') return;
      seenSince.set(made, outages);
      made.shown = record;
      if (made.changes) made.changes = made.changes.filter((sent) => sent !== call.sent);
      noteLines(made);
    },
  };

  /** A retrieve after a delete that does not say that the record is gone leaves it in doubt. */
  function noteAfterDelete(call: Call, answer?: Answer): void {
    const made = call.operation === 'retrieve' ? namedBy(call, deleted) : undefined;
    if (made && !(answer && saysGone(made, answer))) oddly.add(made);
  }

  function noteLines({ model, shown }: Made): void {
    for (const line of linesIn(catalogue, model, shown)) if (line.shown) lines.set(nameOf(line), line);
  }

  function before(call: Call): Promise<void> | undefined {
    if (call.request.method === 'GET') return undefined;
    const own = namedBy(call, standing);
    // If no response shows the record, the service might or might not have applied the update.
    if (own && call.operation === 'update' && call.sent) own.changes = [...(own.changes ?? []), call.sent];
    const made = own ?? namedBy(call, deleted);
    if (made && (!own || isDoubted(made))) return needFree(made);
    if (own?.isUnproven) return needOwn(api, own);
    return own && showsIds(own) ? noteLinesById(own) : undefined;
  }

  /** Whether the record shows lines as IDs that the run did not create by themselves. */
  function showsIds({ model, shown }: Made): boolean {
    return linesIn(catalogue, model, shown).some((one) => !one.shown && !standing.get(one.model, one.id));
  }

  /** Notes lines while their parent proves them: the write might leave them without it. */
  async function noteLinesById(parent: Made): Promise<void> {
    for (const line of await linesOf(parent, parent.shown ?? {})) lines.set(nameOf(line), line);
  }

  function isDoubted(made: Made): boolean {
    return outages > (seenSince.get(made) ?? 0);
  }

  function needNoHeir(made: Made): void {
    const heir = standing.get(made.model, made.id);
    if (heir && heir !== made) throw usedAgain(made);
  }

  async function needFree(made: Made): Promise<void> {
    if (!made.model.operations.includes('retrieve')) throw usedAgain(made);
    const answer = await api.retrieve(made.model.name, made.id);
    const record = findRecordIn(made.model, answer);
    if (!isGone(answer) && !(record && identify(made, record) === 'same')) throw usedAgain(made);
    seenSince.set(made, outages);
  }

  function namedBy({ id, model = '' }: Call, among: Shelf): Made | undefined {
    const known = id === undefined ? undefined : models.get(model);
    return known && among.get(known, id);
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

/** Records by model and id. In a path an id is a text, whatever it is in a body. */
type Shelf = {
  get(model: Model, id: Id | undefined): Made | undefined;
  put(made: Made): void;
  take(made: Made): void;
};

function createShelf(): Shelf {
  const ofModel = new Map<Model, Map<string, Made>>();
  return {
    get: (model, id) => ofModel.get(model)?.get(String(id)),
    put(made) {
      if (made.id === undefined) return;
      const known = ofModel.get(made.model) ?? new Map<string, Made>();
      ofModel.set(made.model, known.set(String(made.id), made));
    },
    take: ({ id, model }) => void ofModel.get(model)?.delete(String(id)),
  };
}

/** The links of a record without values. */
function withoutLinks(model: Model, references: References): RecordValues {
  const links = model.fields.filter(({ key, readonly }) => !readonly && references.has(key));
  return Object.fromEntries(links.map(({ name }) => [name, null]));
}

export function usedAgain(made: Made): Skip {
  return new Skip(
    `the service reused the ID of ${nameOf(made)} after its delete, so it might now be another client's record`,
  );
}

/** What tells an answer to a delete from one of something else, such as a page to log in. */
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
