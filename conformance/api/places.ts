import type { Model } from '../../spec/catalogue/catalogue.ts';
import { joinPointer } from '../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** A value of a body, and its JSON pointer. */
export type BodyValue<Kind = unknown> = { readonly pointer: string; readonly value: Kind };

// An envelope is a few names deep. Everything deeper is data, and can be endless.
const DEEPEST = 5;
const MOST_PLACES = 2000;

/** Returns the values of a body from the outside in, except those inside lists. */
export function placesIn(body: unknown): BodyValue[] {
  return placesOf(body, (_value): _value is unknown => true);
}

function placesOf<Kind>(body: unknown, is: (value: unknown) => value is Kind): BodyValue<Kind>[] {
  const found: BodyValue<Kind>[] = is(body) ? [{ pointer: '', value: body }] : [];
  const within = isObject(body) ? [{ pointer: '', value: body, depth: 1 }] : [];
  let seen = 1;
  for (const { depth, pointer, value } of within)
    for (const name of Object.keys(value)) {
      if (seen++ >= MOST_PLACES) break;
      const inner = value[name];
      const isInner = isObject(inner) && depth < DEEPEST;
      if (!isInner && !is(inner)) continue;
      const place = pointer + joinPointer([name]);
      if (is(inner)) found.push({ pointer: place, value: inner });
      if (isInner) within.push({ pointer: place, value: inner, depth: depth + 1 });
    }
  return found;
}

/** Returns the lists of objects, including empty lists. */
export function listsIn(body: unknown): BodyValue<readonly RecordValues[]>[] {
  return placesOf(body, (value) => Array.isArray(value) && value.every(isObject));
}

/** Returns the object with an ID that has most fields of the model; the outermost of equals. */
export function findRecord(model: Model, body: unknown): BodyValue<RecordValues> | undefined {
  const objects = placesOf(body, (value): value is RecordValues => isObject(value) && isId(value.id));
  return best(objects, ({ value }) => likeness(model, value));
}

/** Returns the list whose first item has most fields of the model; undefined if all lists are empty. */
export function findRecords(model: Model, body: unknown): BodyValue<readonly RecordValues[]> | undefined {
  const filled = listsIn(body).filter(({ value }) => value.some((item) => isId(item.id)));
  return best(filled, ({ value }) => likeness(model, value[0] ?? {}));
}

/** Returns the first item with the most points; undefined if none has points. */
export function best<Item>(items: readonly Item[], pointsOf: (item: Item) => number): Item | undefined {
  let leader: Item | undefined;
  let most = 0;
  for (const item of items) {
    const points = pointsOf(item);
    if (points > most) [leader, most] = [item, points];
  }
  return leader;
}

/** Returns the most frequent name, with its first voter. */
export function mostNamed<Voter>(
  votes: readonly (readonly [name: string, voter: Voter])[],
): readonly [name: string, voter: Voter] | undefined {
  return best(votes, ([name]) => votes.filter(([other]) => other === name).length);
}

/** An ID in a path. IDs are whole numbers, but the suite also understands strings. */
export type Id = number | string;

export function isId(value: unknown): value is Id {
  return Number.isSafeInteger(value) || (typeof value === 'string' && /^[\w-]{1,64}$/.test(value));
}

/** Whether an ID in a path is an integer below 2^53. Greater integers can't be distinguished from their neighbors. */
export function isIntegerId(text: string): boolean {
  return /^\d{1,16}$/.test(text) && Number.isSafeInteger(Number(text));
}

export function isObject(value: unknown): value is RecordValues {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** Returns the ID at the end of a Location header (RFC 9110, 10.2.2). */
export function idInLocation(headers: Readonly<Record<string, string>>): number | undefined {
  const id = /\/(\d+)\/?$/.exec(headers.location ?? '')?.[1];
  return id !== undefined && isIntegerId(id) ? Number(id) : undefined;
}

function likeness(model: Model, record: RecordValues): number {
  let count = 0;
  for (const { name } of model.fields) if (Object.hasOwn(record, name)) count++;
  return count;
}
