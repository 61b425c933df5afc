import type { Faker } from '@faker-js/faker';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Subject } from './subjects.ts';

/** How often another value is drawn for a pair of links that another record has. */
export const MOST_DRAWS = 12;

/** A record in the making. */
export type Draft = {
  readonly record: Record<string, unknown>;
  readonly model: Model;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly faker: Faker;
  /** Where the images are. */
  readonly origin: string;
  /** Who or what the record is about. Drawn on first use. */
  subject(): Subject;
  /** The record of an id; only those that were made here may be changed. */
  find(model: string, id: unknown): Record<string, unknown>;
  /** The first existing record with a value in a field; undefined where there is none. */
  first(model: string, field: string, value: unknown): Readonly<Record<string, unknown>> | undefined;
  /** The records that were made here before this one, the oldest first. */
  earlier(model: string): { readonly count: number; at(place: number): Record<string, unknown> };
  /** The ID of a record from before this one, at random; undefined where there is none. */
  draw(model: string): number | undefined;
  /** The name of one of the records of a model, the same for a number; undefined where there are none. */
  nameIn(model: string, number: number): string | undefined;
  /** The id of the record before another, or else of any other; undefined where there is none. */
  neighbor(model: string, id: number): number | undefined;
  /** Whether records of a model are made here. */
  isMade(model: string): boolean;
  /** Whether this is asked for the first time. */
  once(key: string): boolean;
  /** Numbers that records of a round share, such as the stock of a product. */
  readonly notes: Map<string, number>;
  /** Numbers that go on in the next round, such as that of the last sale. There are few. */
  readonly counters: Map<string, number>;
  /** The last day on which anything happens, in milliseconds since 1970. */
  readonly end: number;
};

export const DAY = 86_400_000;

/** Returns the day of a time, as in a date field. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** Counts up from 1 for a key. */
export function count(numbers: Map<string, number>, key: string): number {
  const next = (numbers.get(key) ?? 0) + 1;
  numbers.set(key, next);
  return next;
}

/** Notes that a record was changed when another one was made. */
export function touch(record: Record<string, unknown>, { record: cause }: Draft): void {
  if (String(record.updated) < String(cause.created)) record.updated = cause.created;
}
