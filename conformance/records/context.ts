import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import type { Answer } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import type { Listing } from '../api/listing.ts';
import type { WireCheck } from '../assert/wire-check.ts';
import type { PlanContext } from '../plan/plan-context.ts';
import type { Exchange } from '../target/exchange.ts';

/** A record that was made for a case. */
export type MadeRecord = {
  readonly id: number;
  /** The canonical values that were sent. */
  readonly sent: RecordValues;
  /** The answer to the create. */
  readonly answer: Answer;
};

/** Answers to look at: many rules judge them, so they are asked for once a model. */
export type Observation = {
  /** A record made with all writable fields; undefined where the model can't be created or the create failed. */
  readonly made?: MadeRecord;
  /** The answer to the create, whatever it was. */
  readonly created?: Answer;
  readonly retrieved?: Answer;
  /** The answer to an update of all writable fields. */
  readonly updated?: Answer;
  /** Every record seen, in wire form, with the operation that showed it. */
  readonly records: readonly SeenRecord[];
};

/** A record in wire form, the operation that showed it, and the exchange. */
export type SeenRecord = {
  readonly from: string;
  readonly record: RecordValues;
  readonly exchange?: Exchange | undefined;
};

/** What a create with nothing but required values, and a retrieve after it, were answered. */
export type Minimal = { readonly created: Answer; readonly retrieved: Answer };

/** One field of a record that was updated, and the whole record around it; values are canonical, writable fields only. */
export type UpdateStep = {
  readonly field: Field;
  readonly value: Value;
  readonly before: RecordValues;
  readonly answer: Answer;
  /** The answer to the retrieve after it. */
  readonly seen: Answer;
  readonly after: RecordValues;
};

/** A record of its own that was deleted, and what is left of it. */
export type Aftermath = {
  readonly id: number;
  readonly sent: RecordValues;
  /** The answer to the delete; where it was no success, nothing else was asked. */
  readonly answer: Answer;
  readonly retrieved?: Answer;
  /** In wire form, as the retrieve showed it. */
  readonly record?: RecordValues;
  readonly list?: Answer;
  /** In wire form, as it stands in the list. */
  readonly listed?: RecordValues;
};

/** A record before and after an update of all writable fields; canonical values. */
export type WholeUpdate = {
  readonly id: number;
  readonly sent: RecordValues;
  readonly change: RecordValues;
  readonly answer: Answer;
  readonly before: RecordValues;
  readonly after: RecordValues;
};

/** Something to find out of a model by a few requests; asked once a model, whatever cases want to know. */
export type Question<T> = (context: CaseContext) => Promise<T>;

/** What a case works with. Every record made through it is removed when the case ends, newest first. */
export type CaseContext = PlanContext & {
  readonly model: Model;
  /** Only GET is sent. */
  readonly readOnly: boolean;
  readonly codec: RecordCodec;
  readonly check: WireCheck;
  readonly api: Api;
  /** A number no other case of the run gets: samples made from it are told apart. */
  number(): number;
  /** Valid canonical values for the model: its required fields, or all writable ones. */
  values(extent: 'required' | 'all'): Record<string, Value>;
  /** All writable fields anew, for an update: a status stays where the profile lets it move nowhere else. */
  valuesAfter(current: RecordValues): Record<string, Value>;
  /** A valid value that differs from the given one and that a record with it may move to; undefined if there is none. */
  otherValue(field: Field, current: Value | undefined): Value | undefined;
  /** Sends a create with valid values, and takes charge of what it makes. */
  create(values: RecordValues): Promise<Answer>;
  /** Sends an update to valid values; where the profile wants all fields, those that were sent before go with it. */
  update(id: number, change: RecordValues, sent: RecordValues): Promise<Answer>;
  /**
   * What to supply where a refusal may be about ids of things outside the catalogue: those that the model, or what is
   * sent, links to by an id that is made up, or by one of the target's own that the refusal names. Of what the refusal
   * names, if it names any of it; empty where it is about no such id.
   */
  remedyFor(refusal: string, sent?: RecordValues): string;
  /** Creates a record with the required fields, or with the given values; throws Blocked when that does not work. */
  make(values?: RecordValues): Promise<MadeRecord>;
  /** Retrieves a record; throws Blocked when that does not work. */
  retrieve(id: number): Promise<Answer>;
  /** The same, as the record in wire form. */
  read(id: number): Promise<RecordValues>;
  /** The same, as the record in canonical form. */
  readValues(id: number): Promise<RecordValues>;
  /** Takes charge of what a create made, so that it is removed; undefined when the answer shows no id. */
  adopt(answer: Answer): number | undefined;
  /** A record is gone, and need not be removed. */
  forget(id: number): void;
  /** The answer to a question that cases of the model share. What it makes is removed at the end of the run. */
  ask<T>(question: Question<T>): Promise<T>;
  /** The answers to one create, retrieve, list, update of the model; asked for once a model. */
  observe(): Promise<Observation>;
  /** Each writable field of one record updated after the other; asked for once a model. */
  updates(): Promise<readonly UpdateStep[]>;
  /** One record updated as a whole; asked for once a model. */
  wholeUpdate(): Promise<WholeUpdate>;
  /** One record deleted; asked for once a model. */
  deletion(): Promise<Aftermath>;
  /** Adds exchanges that others share to those of the case. */
  show(exchanges: readonly Exchange[]): void;
  /** The operations as they would be under other settings. */
  apiWith(settings: Partial<Profile>): Api;
  /** The answer to a list that is asked for without a query; asked for once a model. */
  plainList(): Promise<Answer>;
  /** A record that was made with the required fields alone; made once a model. */
  minimal(): Promise<Minimal>;
  /** A record that was made with all writable fields, in wire form; made once a model, and never written again. */
  whole(): Promise<RecordValues>;
  /** The list of the model over its pages; undefined when the answer is none under the profile. */
  listing(): Promise<Listing | undefined>;
  /** The records of the model that stand in its list, up to a bound; none when there is no list. */
  listed(): Promise<readonly RecordValues[]>;
  /** Takes note of the records that are there before the first case, so that a new one is told from them. */
  remember(): Promise<void>;
  /** Whether a record of the model had the id before: it is not the run's to change. */
  wasThere(id: unknown): boolean;
  /** Throws Failure when there is a new record with some of the values that no accepted create made. */
  assertNothingStored(refused: readonly RecordValues[]): Promise<void>;
};
