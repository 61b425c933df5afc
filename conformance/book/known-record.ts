import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { onceFor } from '../../spec/once-for.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { Meaning } from '../api/meaning.ts';
import { isObject } from '../api/places.ts';
import type { Exchange } from '../target/exchange.ts';

const MOST_WRITES = 2000;

/** A known value of a field, in canonical form. */
export type Fact = {
  readonly value: Value;
  /** The source: an accepted write, a retrieve, or a list. */
  readonly by: 'create' | 'update' | 'retrieve' | 'list';
  /** When it was last known to hold. */
  readonly at: number;
  /** Another value that may hold, since a write of it was not answered. */
  readonly or?: Value;
  /** The value is unknown, but it can't be this one. */
  readonly not?: Value;
  /** The IDs that lines got, which were sent without. */
  readonly lineIds?: readonly number[];
};

/** A record and the facts that the run knows of it. */
export type KnownRecord = {
  readonly model: Model;
  readonly id: number;
  /** A create of the run made it. */
  isOwn: boolean;
  /** `unsure`: a write that may have deleted it was not answered, or deleted a record that it is tied to. */
  life: 'live' | 'deleted' | 'unsure';
  readonly values: Map<string, Fact>;
  /** When the run first knew of it. */
  readonly since: number;
  /** Writes under way that may change it: until they are answered either value is right. */
  pendingWrites: number;
  /** When the last of them ended. */
  quietSince: number;
  /** The last accepted write to the record itself. */
  lastWrite?: {
    readonly at: number;
    readonly operation: 'create' | 'update';
    /** The fields that were sent. */
    readonly names: ReadonlySet<string>;
    readonly exchange: Exchange | undefined;
  };
  /** The last write to a record that it links to, if none to itself came after it. */
  lastTied?: LoggedWrite;
  /** The values that the last refused update sent. */
  lastRefused?: { readonly at: number; readonly sent: ReadonlyMap<string, Value | undefined> };
  /** The digest and time of the last read. The judge skips a read with the same digest. */
  judged?: { readonly digest: string; readonly at: number };
};

/** The records that are known, of each model. Bounded: beyond that the oldest are forgotten. */
export type KnownRecords = {
  /** The records of any model that link to the one with the id. */
  linkingTo(model: Model, id: number): Iterable<KnownRecord>;
  get(model: Model, id: number): KnownRecord | undefined;
  /** The record as one that is there, known from now on if it was not. */
  meet(model: Model, id: number, at: number): KnownRecord;
  of(model: Model): Iterable<KnownRecord>;
  /** How many there are. */
  readonly size: () => number;
};

/** A test system lists some thousand records. Each takes a few kilobytes here. */
const MOST_RECORDS = 20_000;
const MOST_OF_MODEL = 1000;

/** `linkOf` tells which model the values of a field link to. */
export function createKnownRecords(linkOf: (field: Field) => Model | undefined): KnownRecords {
  const linksOf = onceFor(({ fields }: Model): Links => {
    const links = fields.map((field) => [field.name, linkOf(field)] as const);
    return new Map(links.filter((link): link is [string, Model] => link[1] !== undefined));
  });
  const byModel = new Map<Model, Map<number, KnownRecord>>();
  /** The records that link to an id, and how often, by its model and the id. */
  const holders = new Map<Model, Map<number, Map<KnownRecord, number>>>();
  let size = 0;
  return {
    get: (model, id) => byModel.get(model)?.get(id),
    of: (model) => byModel.get(model)?.values() ?? [],
    linkingTo: (model, id) => holders.get(model)?.get(id)?.keys() ?? [],
    size: () => size,
    meet(model, id, at) {
      const known = byModel.get(model) ?? new Map<number, KnownRecord>();
      byModel.set(model, known);
      const found = known.get(id);
      if (found) return found;
      const record: KnownRecord = {
        model,
        id,
        isOwn: false,
        life: 'live',
        values: new Facts(linksOf(model), (to, id, change) => count(record, to, id, change)),
        since: at,
        pendingWrites: 0,
        quietSince: 0,
      };
      known.set(id, record);
      size++;
      if (known.size > MOST_OF_MODEL || size > MOST_RECORDS) forgetOne(known, record);
      return record;
    },
  };

  function count(record: KnownRecord, to: Model, id: number, change: 1 | -1): void {
    const ofModel = holders.get(to) ?? new Map<number, Map<KnownRecord, number>>();
    holders.set(to, ofModel);
    const held = ofModel.get(id) ?? new Map<KnownRecord, number>();
    const times = (held.get(record) ?? 0) + change;
    if (times > 0) ofModel.set(id, held.set(record, times));
    else if (held.delete(record) && held.size === 0) ofModel.delete(id);
  }

  /** Forgets the oldest record without a write under way, deleted ones first. */
  function forgetOne(known: Map<number, KnownRecord>, kept: KnownRecord): void {
    let oldest: KnownRecord | undefined;
    for (const record of known.values()) {
      if (record === kept || record.pendingWrites > 0) continue;
      oldest ??= record;
      if (record.life === 'deleted' || !record.isOwn) {
        oldest = record;
        break;
      }
    }
    if (!oldest || !known.delete(oldest.id)) return;
    oldest.values.clear();
    size--;
  }
}

/** The models that fields link to, by the fields' names. */
type Links = ReadonlyMap<string, Model>;

/** The facts of one record, which count the ids that they link to. */
class Facts extends Map<string, Fact> {
  readonly #links: Links;
  readonly #count: (to: Model, id: number, change: 1 | -1) => void;

  constructor(links: Links, count: (to: Model, id: number, change: 1 | -1) => void) {
    super();
    this.#links = links;
    this.#count = count;
  }

  override set(field: string, fact: Fact): this {
    const to = this.#links.get(field);
    if (to) {
      this.#release(field, to);
      for (const id of idsOf(fact)) this.#count(to, id, 1);
    }
    return super.set(field, fact);
  }

  override delete(field: string): boolean {
    const to = this.#links.get(field);
    if (to) this.#release(field, to);
    return super.delete(field);
  }

  override clear(): void {
    for (const [field, to] of this.#links) this.#release(field, to);
    super.clear();
  }

  #release(field: string, to: Model): void {
    for (const id of idsOf(this.get(field))) this.#count(to, id, -1);
  }
}

/** The IDs that a known value links to. */
export function idsOf(fact: Fact | undefined): readonly number[] {
  return [...idsIn(fact?.value), ...(fact?.lineIds ?? [])];
}

/** The ids that a value links to: one, several, or those of lines. */
export function idsIn(value: Value | undefined): number[] {
  if (typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return [value]
    .flat()
    .map((item) => (isObject(item) ? item.id : item))
    .filter((id) => typeof id === 'number');
}

/** A write that was answered, or had its time. */
export type LoggedWrite = {
  readonly model: Model;
  readonly operation: Meaning['operation'];
  readonly id: number | undefined;
  readonly at: number;
  readonly exchange: Exchange | undefined;
};

type StartedWrite = Omit<LoggedWrite, 'at' | 'exchange'>;

/** The last writes, to find the one that changed another record. */
export type WriteLog = {
  /** The result is called once, when it has ended. */
  begin(write: StartedWrite): (at: number, exchange: Exchange | undefined) => void;
  /** The writes to models that ended since, the last one first. */
  since(at: number, wanted: (model: Model) => boolean): LoggedWrite[];
  /** The last write of each kind that ended since, or is under way, without those that are no operation. */
  kinds(at: number): LoggedWrite[];
  /** Whether a write to such a model ended since, or is under way. */
  isBusy(at: number, wanted: (model: Model) => boolean): boolean;
};

export function createWriteLog(): WriteLog {
  const writes: LoggedWrite[] = [];
  const last = new Map<Model, number>();
  const underWay = new Set<StartedWrite>();
  const since = (at: number) => writes.filter((write) => write.at > at).toReversed();
  return {
    begin(write) {
      underWay.add(write);
      return (at, exchange) => {
        underWay.delete(write);
        last.set(write.model, at);
        writes.push({ ...write, at, exchange });
        if (writes.length > 2 * MOST_WRITES) writes.splice(0, MOST_WRITES);
      };
    },
    since: (at, wanted) => since(at).filter(({ model }) => wanted(model)),
    kinds(at) {
      const begun = [...underWay].map((write) => ({
        ...write,
        at: Number.POSITIVE_INFINITY,
        exchange: undefined,
      }));
      const kinds = new Map<string, LoggedWrite>();
      for (const write of [...since(at), ...begun]) {
        const kind = `${write.operation} ${write.model.name}`;
        if (write.operation !== 'other' && !kinds.has(kind)) kinds.set(kind, write);
      }
      return [...kinds.values()];
    },
    isBusy: (at, wanted) =>
      [...last].some(([model, ended]) => ended > at && wanted(model)) ||
      [...underWay].some(({ model }) => wanted(model)),
  };
}

/** Whether two writes are the same operation on one model. */
export function isOfKind(one: StartedWrite, other: StartedWrite): boolean {
  return one.operation === other.operation && one.model === other.model;
}
