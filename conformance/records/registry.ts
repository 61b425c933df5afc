import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { linkedModel, parentLink, type References } from '../../spec/references.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import {
  type ApiResponse,
  findRecordIn,
  type Id,
  idIn,
  isAccepted,
  isGone,
  isId,
  isObject,
} from '../api/answer.ts';
import type { ApiCall, ModelApi } from '../api/api.ts';
import type { Listing } from '../api/listing.ts';
import { type Ended, skip } from '../assert/ending.ts';
import { Lost } from '../target/exchange.ts';
import { type CandidateRecord, holds, identify, isMarked, type Made, nameOf } from './identity.ts';
import { holdsLines, writableFields } from './values/values.ts';

/** A record that the service chose, or created, as the parent of lines that the run created by themselves. */
export type ChosenParent = Pick<Made, 'id' | 'model'> & {
  /** Whether the service created it: each line of the run by itself got another parent. */
  readonly isNew: boolean;
  readonly lines: readonly RecordValues[];
};

/** The parts with which the registry reads lists. */
export type Sight = {
  /** The list as it is now. */
  list(model: Model): Promise<Listing | undefined>;
  /** The records that were seen already, and whether those are all; undefined where the list was not looked at. */
  seenBefore?: ((model: Model) => Promise<Pick<Listing, 'records' | 'complete'> | undefined>) | undefined;
  /** The record in canonical form. */
  read(model: Model, wire: RecordValues): RecordValues;
};

/** The IDs in the list of a model, as strings, because their form might be wrong. */
type Known = {
  /** Those at first, and of the records that the run created or found since. */
  readonly ids: Set<string>;
  /** Those at first, without lines of the run. */
  readonly before: ReadonlySet<string>;
  readonly complete: boolean;
};

type Parts = Pick<Contract, 'catalogue' | 'references'> & {
  readonly all: Made[];
  /** By the name. An ID that was used again is that of the newest record. */
  readonly newest: Map<string, Made>;
  readonly known: Map<Model, Known>;
  /** Returns the record that the run created last under an ID. */
  find(model: Pick<Model, 'name'>, id: unknown): Made | undefined;
};

/**
 * The records that the run created, and the earlier lists of the target. It watches every request. A write to
 * the ID of a deleted record, or of one from before an outage, passes only if a retrieve shows the same record or none.
 */
export type Registry = ReturnType<typeof createRegistry>;

/** `api` reads, and is not watched by the registry. Without `sight`, no list is remembered. */
export function createRegistry(
  contract: Pick<Contract, 'catalogue' | 'references'>,
  api: ModelApi,
  sight?: Sight,
) {
  const newest = new Map<string, Made>();
  const find: Parts['find'] = (model, id) => (isId(id) ? newest.get(nameOf({ model, id })) : undefined);
  const parts: Parts = { ...contract, all: [], newest, known: new Map(), find };
  return { ...createOwnRecords(parts, api), ...createListedRecords(parts, sight) };
}

function createOwnRecords(parts: Parts, api: ModelApi) {
  const { all, catalogue, find, known, newest, references } = parts;
  const { models } = catalogue;
  const chosen = createChosenParents(parts);
  const namedBy = ({ id, model }: ApiCall) => model && find(model, id);
  return {
    add,
    /** Returns the parents that the service chose for lines of the run, and that are not older than the run. */
    chosenParents: chosen.all,
    find,
    /** Returns all records, oldest first: those that the run created, and the lines that they showed. */
    all: (): readonly Made[] => all,
    isOwn: (name: string, id: unknown) => find({ name }, id) !== undefined,
    existing: (model: Model): readonly Id[] =>
      all.flatMap((made) =>
        made.model === model && made.id !== undefined && isExisting(made) ? made.id : [],
      ),
    /** Throws `skip` if a record in wire form is not the created one, because the service reused the ID. */
    needSame(model: Model, id: Id, record: RecordValues): void {
      const made = findDeleted(model, id);
      if (identify(made, record) === 'other') throw usedAgain(made);
    },
    needNotReused,
    /** Throws `skip` unless the ID names the deleted record, or none. */
    async needDeleted(model: Model, id: Id): Promise<void> {
      needNotReused(model, id);
      await needFree(findDeleted(model, id));
    },
    isThere,
    before(call: ApiCall): Promise<void> | undefined {
      const made = call.request.method === 'GET' ? undefined : namedBy(call);
      if (!made) return undefined;
      const isGone = made.state === 'deleted' || made.state === 'missing';
      // If no response shows the record, the service might or might not have applied the update.
      if (!isGone && call.operation === 'update' && call.sent)
        made.changes = [...(made.changes ?? []), call.sent];
      return isGone || made.isUnclear ? needFree(made) : undefined;
    },
    again(call: ApiCall, why: 'away' | 'lost'): Promise<void> | undefined {
      if (why === 'lost') return undefined;
      // The service might come back with other records.
      for (const made of newest.values()) made.isUnclear = true;
      const made = call.request.method === 'GET' ? undefined : namedBy(call);
      return made && needFree(made);
    },
    failed(call: ApiCall, error: unknown): void {
      const made = call.operation === 'delete' ? namedBy(call) : undefined;
      if (made && error instanceof Lost) made.state = 'deleted';
      // If the delete had its effect, another client's record can have the ID by now.
      else if (made) made.isUnclear = true;
    },
    answered(call: ApiCall, answer: ApiResponse): void {
      if (call.operation === 'create') chosen.note(call.model, answer);
      const made = namedBy(call);
      if (!made) return;
      if (call.operation === 'delete' && isAccepted(answer)) made.state = 'deleted';
      const record = call.operation === 'delete' ? undefined : findRecordIn(made.model, answer);
      if (!record || made.state === 'deleted' || String(record.id) !== String(made.id)) return;
      if (made.isUnclear && identify(made, record) !== 'same') return;
      made.isUnclear = false;
      made.shown = record;
      made.changes = made.changes?.filter((sent) => sent !== call.sent);
      noteLines(made);
    },
  };

  /** Whether a created record exists, as far as the run knows, and links to no record that it deleted. */
  function isExisting({ isUnclear, model, parent, shown = {}, state }: Made): boolean {
    const isLinkToDeleted = ({ key, name }: Field) => {
      const linked = models.get(linkedModel(references, { key }) ?? '');
      return linked && [shown[name] ?? []].flat().some((one) => find(linked, idIn(one))?.state === 'deleted');
    };
    return !state && !isUnclear && !parent && !model.fields.some(isLinkToDeleted);
  }

  /** Takes charge of a record that the run created. */
  function add(made: Made): Made {
    all.push(made);
    if (made.id !== undefined) newest.set(nameOf(made), made);
    known.get(made.model)?.ids.add(String(made.id));
    noteLines(made);
    return made;
  }

  /** Notes the lines that a record of the run shows, because its delete might leave them. */
  function noteLines(parent: Made): void {
    if (parent.parent) return;
    for (const { id, model, shown } of linesIn(parent, catalogue)) {
      const line = find(model, id);
      if (known.get(model)?.before.has(String(id))) continue;
      if (!line || line.state === 'deleted') add({ model, id, parent, shown });
      else if (line.parent && shown) line.shown = shown;
    }
  }

  /** Returns the record that has the ID, if it is the created one. Throws `skip` if the response is about something else. */
  async function isThere(made: Made): Promise<RecordValues | undefined> {
    const { id, model, parent } = made;
    if (id === undefined) return undefined;
    const answer = await api.retrieve(model.name, id);
    const record = findRecordIn(model, answer);
    const isElse = record ? String(record.id) !== String(id) : !showsNone(answer);
    if (isElse) throw skip(`${answer.asked} shows something else`);
    if (!record || made.isReplaced) return undefined;
    // An ID is no proof, so a line that was shown as its ID must link to its parent.
    if (parent && !made.shown) return linksTo(record, model, parent, references) ? record : undefined;
    // A delete of a linked record can set the link to null.
    const links = model.fields.filter(({ key, readonly }) => !readonly && references.has(key));
    const unlinked = Object.fromEntries(links.map(({ name }) => [name, null]));
    return identify({ ...made, changes: [...(made.changes ?? []), unlinked] }, record) === 'same'
      ? record
      : undefined;
  }

  /** Returns the last deleted record with the ID, else the last created one. */
  function findDeleted(model: Model, id: Id): Made {
    const isDeleted = (one: Made) => one.model === model && one.id === id && one.state === 'deleted';
    return all.findLast(isDeleted) ?? find(model, id) ?? { model, id };
  }

  /** Throws `skip` if another record of the run has the ID of a deleted one. */
  function needNotReused(model: Model, id: Id): void {
    const made = findDeleted(model, id);
    const last = find(model, id);
    if (last && last !== made && last.state !== 'deleted') throw usedAgain(made);
  }

  async function needFree(made: Made): Promise<void> {
    if (made.isReplaced || !made.model.operations.includes('retrieve')) throw usedAgain(made);
    const answer = await api.retrieve(made.model.name, made.id);
    const record = findRecordIn(made.model, answer);
    if (!isGone(answer) && !(record && identify(made, record) === 'same')) throw usedAgain(made);
    made.isUnclear = false;
  }
}

/** Whether a response without a record shows that there is none: a refusal, or a success that can be read. */
function showsNone(answer: ApiResponse): boolean {
  return isGone(answer) || (isAccepted(answer) && (answer.json !== undefined || answer.body === ''));
}

/** Returns the lines that a record shows, with or as IDs, if they can be deleted. */
function linesIn(
  { model, shown = {} }: Made,
  { models }: Pick<Catalogue, 'models'>,
): Pick<Made, 'id' | 'model' | 'shown'>[] {
  return model.fields.flatMap(({ lines = '', name, readonly }) => {
    const line = readonly ? undefined : models.get(lines);
    if (!line?.operations.includes('delete')) return [];
    return [shown[name] ?? []].flat().flatMap((one) => {
      const id = idIn(one);
      return isId(id) ? [{ model: line, id, shown: isObject(one) ? one : undefined }] : [];
    });
  });
}

/** Finds the parents of created lines that are neither created by the run nor older than it. */
function createChosenParents({ find, known, ...contract }: Parts) {
  const chosen = new Map<string, Omit<ChosenParent, 'isNew'>>();
  /** The models of which a line got the parent of another line, or one that the service had before. */
  const shared = new Set<Model>();
  return {
    all: (): readonly ChosenParent[] =>
      [...chosen.values()].map((parent, _, parents) => ({
        ...parent,
        isNew:
          !shared.has(parent.model) && parents.some((one) => one !== parent && one.model === parent.model),
      })),
    note(line: Model | undefined, answer: ApiResponse): void {
      const record = line && findRecordIn(line, answer);
      if (!record) return;
      for (const [model, link] of parentsChosenFor(line, contract)) {
        const id = idIn(record[link]);
        const { before, complete } = known.get(model) ?? {};
        if (!complete || !isId(id)) continue;
        const name = nameOf({ model, id });
        const isKnown = before?.has(String(id)) || find(model, id) !== undefined;
        if (isKnown || chosen.has(name)) shared.add(model);
        if (!isKnown) chosen.set(name, { model, id, lines: [...(chosen.get(name)?.lines ?? []), record] });
      }
    },
  };
}

/** The records in the lists of the target. They identify records that no response to a create showed. */
function createListedRecords({ all, catalogue, find, known, references }: Parts, sight: Sight | undefined) {
  return {
    remember,
    /** Whether a record had the ID when the model was remembered. The run must not change it. */
    wasThere: (model: Model, id: unknown) => known.get(model)?.before.has(String(id)) ?? false,
    /** Whether the model was remembered from a complete list. */
    isWhole: (model: Model) => known.get(model)?.complete ?? false,
    /** Whether the list is complete, shows the record with the ID, and shows only records that the run created. */
    async holdsOnlyOwn(model: Model, id: unknown): Promise<boolean> {
      // If others had records at first, another list shows nothing about them.
      if (known.get(model)?.before.size) return false;
      const listing = await sight?.list(model);
      const isOwn = (record: RecordValues) => find(model, record.id) && !isReplaced(model, record);
      // A list that omits one record can omit those of others.
      const isSeen = listing?.records.some((one) => String(one.id) === String(id));
      return listing?.complete === true && isSeen === true && listing.records.every(isOwn);
    },
    /** Whether the list, or one that can't be read, might hold records that no response to a create showed. */
    async mayHoldUnexpected(model: Model): Promise<boolean> {
      if (!sight) return false;
      const { complete, ids } = known.get(model) ?? {};
      if (!ids || !complete) return true;
      const isNew = (record: RecordValues) => !ids.has(String(record.id)) || isReplaced(model, record);
      const isUnexpected = (record: RecordValues) => isNew(record) && !isMarked(model, record);
      const look = async () => (await sight.list(model))?.records.some(isUnexpected) ?? false;
      return look().catch(() => true);
    },
    findUnexpected,
  };

  /** Whether the ID of a deleted record can name another one. A late list shows a deleted record as it was. */
  function isReplaced(model: Model, record: RecordValues): boolean {
    const made = find(model, record.id);
    return made?.state === 'deleted' && identify(made, record) !== 'same';
  }

  /** Notes what the list of a model shows, once, before its first case. */
  async function remember(model: Model): Promise<void> {
    if (known.has(model) || !sight) return;
    for (const [parent] of parentsChosenFor(model, { catalogue, references })) await remember(parent);
    const look = async () => (await sight.seenBefore?.(model)) ?? (await sight.list(model));
    const { complete = false, records = [] } = (await look()) ?? {};
    const idsOf = (some: readonly RecordValues[]) => new Set(some.map(({ id }) => String(id)));
    // The parents of lines can be older than the first look at lines.
    const isOwn = (record: RecordValues) =>
      all.some(
        (parent) =>
          parent.state !== 'deleted' &&
          holdsLines(parent.model, model) &&
          linksTo(record, model, parent, references),
      );
    const before = idsOf(records.filter((record) => !isOwn(record)));
    known.set(model, { ids: idsOf(records), before, complete });
  }

  /** Returns the new records that hold some of the values; none if the list is not complete. */
  async function findUnexpected(
    model: Model,
    sought: readonly RecordValues[],
  ): Promise<readonly CandidateRecord[]> {
    const { complete, ids } = known.get(model) ?? {};
    // Records of a model without writable fields look the same, so each new record counts.
    const areAlike = sought.length > 0 && writableFields(model).length === 0;
    const telling = sought.filter((values) => Object.keys(values).length > 0);
    if (!sight || !ids || !complete || (telling.length === 0 && !areAlike)) return [];
    return ((await sight.list(model))?.records ?? []).flatMap((record): CandidateRecord[] => {
      const made = find(model, record.id);
      const isOther = made?.state === 'deleted' && !made.isReplaced && identify(made, record) === 'other';
      if (isOther) made.isReplaced = true;
      if (ids.has(String(record.id)) && !isOther) return [];
      ids.add(String(record.id));
      const now = sight.read(model, record);
      if (!areAlike && !telling.some((values) => holds(model, now, values))) return [];
      return [{ model, id: isId(record.id) ? record.id : undefined, shown: record }];
    });
  }
}

/** Returns the models of which the service chooses the parent of a line, each with the name of the readonly link. */
function parentsChosenFor(
  line: Model,
  { catalogue, references }: Pick<Contract, 'catalogue' | 'references'>,
): [parent: Model, link: string][] {
  return [...catalogue.models.values()].flatMap((parent): [Model, string][] => {
    const link = parentLink(line, parent, references);
    return link?.readonly && holdsLines(parent, line) ? [[parent, link.name]] : [];
  });
}

/** Whether the link of a line names its parent. */
function linksTo(record: RecordValues, model: Model, parent: Made, references: References): boolean {
  const link = parentLink(model, parent.model, references);
  return link !== undefined && String(idIn(record[link.name])) === String(parent.id);
}

export function usedAgain(made: Made): Ended {
  return skip(
    `after its delete, ${nameOf(made)} might be another client's record, so the run sends no write to it`,
  );
}
