import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { isObject } from '../api/places.ts';
import type { Exchange } from '../target/exchange.ts';

/** What is known of one value of a record; canonical. */
export type Fact = {
  readonly value: Value;
  /** What it is known from: a write that was accepted, or an answer to a retrieve or a list. */
  readonly by: 'create' | 'update' | 'retrieve' | 'list';
  /** When it was last known to hold. */
  readonly at: number;
  /** Another value that may hold, since a write of it was not answered. */
  readonly or?: Value;
  /** The value is unknown, but it can't be this one. */
  readonly not?: Value;
};

/** What the run knows of one record. */
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
  /** The fields of the last update that was refused, with what was sent. */
  lastRefused?: { readonly at: number; readonly sent: ReadonlyMap<string, Value | undefined> };
  /** What a read showed last, as a digest, and when: the same again is not judged again. */
  judged?: { readonly digest: string; readonly at: number };
};

/** The records that are known, of each model. Bounded: beyond that the oldest are forgotten. */
export type KnownRecords = {
  /** The records of a model whose value of the field links to the id: of fields that are tracked. */
  holding(model: Model, field: string, id: number): Iterable<KnownRecord>;
  get(model: Model, id: number): KnownRecord | undefined;
  /** The record as one that is there, known from now on if it was not. */
  meet(model: Model, id: number, at: number): KnownRecord;
  of(model: Model): Iterable<KnownRecord>;
  /** How many there are. */
  readonly size: () => number;
};

/** Some thousand records stand in the lists of a test system; each takes a few kilobytes. */
const MOST_RECORDS = 20_000;
const MOST_OF_MODEL = 1000;

/** `isLink` tells the fields whose values link to records. */
export function createKnownRecords(isLink: (field: Field) => boolean): KnownRecords {
  const links = new Map<Model, ReadonlySet<string>>();
  const byModel = new Map<Model, Map<number, KnownRecord>>();
  /** The records that link to an id, by model, field and id. */
  const holders = new Map<string, Set<KnownRecord>>();
  let size = 0;
  return {
    get: (model, id) => byModel.get(model)?.get(id),
    of: (model) => byModel.get(model)?.values() ?? [],
    holding: (model, field, id) => holders.get(`${model.name}.${field}/${id}`) ?? [],
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
        values: new Facts(linksOf(model), (field, id, isHeld) => note(record, field, id, isHeld)),
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

  function linksOf(model: Model): ReadonlySet<string> {
    const names = links.get(model) ?? new Set(model.fields.filter(isLink).map(({ name }) => name));
    links.set(model, names);
    return names;
  }

  function note(record: KnownRecord, field: string, id: number, isHeld: boolean): void {
    const key = `${record.model.name}.${field}/${id}`;
    const held = holders.get(key) ?? new Set();
    if (isHeld) holders.set(key, held.add(record));
    else if (held.delete(record) && held.size === 0) holders.delete(key);
  }

  /** The oldest that is not under way; what is gone before what is there. */
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

/** The facts of one record, which tell the ids that they link to. */
class Facts extends Map<string, Fact> {
  readonly #links: ReadonlySet<string>;
  readonly #tell: (field: string, id: number, isHeld: boolean) => void;

  constructor(links: ReadonlySet<string>, tell: (field: string, id: number, isHeld: boolean) => void) {
    super();
    this.#links = links;
    this.#tell = tell;
  }

  override set(field: string, fact: Fact): this {
    this.#release(field);
    if (this.#links.has(field)) for (const id of idsIn(fact.value)) this.#tell(field, id, true);
    return super.set(field, fact);
  }

  override delete(field: string): boolean {
    this.#release(field);
    return super.delete(field);
  }

  override clear(): void {
    for (const field of this.#links) this.#release(field);
    super.clear();
  }

  #release(field: string): void {
    if (this.#links.has(field)) for (const id of idsIn(this.get(field)?.value)) this.#tell(field, id, false);
  }
}

/** The ids that a value links to: one, several, or those of lines. */
export function idsIn(value: Value | undefined): number[] {
  return [value ?? []]
    .flat()
    .map((item) => (isObject(item) ? item.id : item))
    .filter((id) => typeof id === 'number');
}

/** How messages name a record. */
export function nameOf({ id, model }: KnownRecord): string {
  return `${model.name}/${id}`;
}
