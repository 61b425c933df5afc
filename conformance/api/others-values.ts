import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import { onceFor } from '../../spec/once-for.ts';
import { REDACTED, redacting, SHORTEST_SECRET } from '../../spec/redaction.ts';
import type { Exchange, TargetResponse } from '../target/exchange.ts';
import { isId, isObject } from './answer.ts';

/** A body without the values of others, and the removed values. */
export type Hidden = { readonly body: string; readonly values: ReadonlySet<string> };

/** Maximum nesting of a record. A body can be endless. */
const DEEPEST = 50;
/** Maximum number of values to remove from messages. */
const MOST_VALUES = 2000;
/** Maximum number of members of a record. */
const MOST_MEMBERS = 1000;
const valuesIn = new WeakMap<Exchange, ReadonlySet<string>>();

/** Redacts the records that the run did not create, except their IDs and the names of their fields. */
export function hideOthers(
  {
    id: asked,
    model = '',
    operation,
  }: Readonly<Partial<Record<'id' | 'model' | 'operation', string | undefined>>>,
  { body, headers, status }: TargetResponse,
  json: unknown,
  { base, models }: Catalogue,
  isOwn: (model: string, id: unknown) => boolean,
): Hidden {
  const values = new Set<string>();
  // A write returns the written record, which is the run's.
  const isRead = operation === 'list' || operation === 'retrieve';
  if ((operation && !isRead) || body.trim() === '') return { body, values };
  const isSuccess = status >= 200 && status < 300;
  if (json === undefined) return { body: isSuccess && isRead ? hideText(body, headers) : body, values };
  let isHidden = false;
  const shown = look(json, 0, false);
  return { body: isHidden ? JSON.stringify(shown) : body, values };

  function look(value: unknown, depth: number, inList: boolean): unknown {
    if (depth > DEEPEST || isWide(value)) return blot(value, depth);
    if (Array.isArray(value)) return value.map((item) => look(item, depth + 1, true));
    // A list of bare values can be a record without names, or the messages of an error.
    if (!isObject(value)) return inList && isSuccess ? blot(value, depth) : value;
    if (isRecord(value, inList)) return isMine(value, inList) ? value : blot(value, depth);
    return map(value, (member) => look(member, depth + 1, false));
  }

  function isRecord(value: object, inList: boolean): boolean {
    const isLike = () => {
      const names = namesOf(models)(model);
      return Object.keys(value).some((name) => plain(name) !== 'id' && names.has(plain(name)));
    };
    return Object.hasOwn(value, 'id') ? isSuccess || isLike() : isSuccess && (inList || isLike());
  }

  function isMine(value: { readonly id?: unknown }, inList: boolean): boolean {
    return Object.hasOwn(value, 'id')
      ? isOwn(model, value.id)
      : !inList && asked !== undefined && isOwn(model, asked);
  }

  function blot(value: unknown, depth: number): unknown {
    isHidden = true;
    if (depth <= DEEPEST && Array.isArray(value)) return value.map((item) => blot(item, depth + 1));
    if (depth <= DEEPEST && isObject(value) && !isWide(value))
      return map(value, (member, name) => (name === 'id' && isId(member) ? member : blot(member, depth + 1)));
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    // Messages name the URLs of requests, which links in records contain.
    const isSecret = text.length >= SHORTEST_SECRET && !text.includes(`${base}/`);
    if (isSecret && values.size < MOST_VALUES) values.add(text);
    return REDACTED;
  }
}

/** Returns the names of a model's fields, or of all fields for an unknown model. */
const namesOf = onceFor((models: Catalogue['models']) => {
  const namesIn = ({ fields }: Model) => fields.map(({ name }) => plain(name));
  const all = new Set([...models.values()].flatMap(namesIn));
  const known = new Map([...models.values()].map((model) => [model.name, new Set(namesIn(model))]));
  return (model: string): ReadonlySet<string> => known.get(model) ?? all;
});

/** Remembers the removed values for the lifetime of the exchange. */
export function noteHidden(exchange: Exchange, { values }: Hidden): void {
  if (values.size > 0) valuesIn.set(exchange, values);
}

/** Returns a message about exchanges without the values that were removed from them. */
export function hideInText(text: string, exchanges: readonly Exchange[]): string {
  const values = new Set(exchanges.flatMap((exchange) => [...(valuesIn.get(exchange) ?? [])]));
  if (values.size === 0) return text;
  return redacting([...values].flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]))(text);
}

/** Redacts a body that isn't JSON. An HTML page stays, because it shows what responds in place of the service. */
function hideText(body: string, headers: TargetResponse['headers']): string {
  if (/^\s*<(!doctype )?html/i.test(body)) return body;
  return `[redacted: ${body.length} characters that are no JSON, ${headers['content-type']}]`;
}

function isWide(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > MOST_MEMBERS;
}

/** Changes each member and keeps its name, also `__proto__`. */
function map(value: object, change: (member: unknown, name: string) => unknown): object {
  const changed: Record<string, unknown> = Object.hasOwn(value, '__proto__') ? Object.create(null) : {};
  for (const [name, member] of Object.entries(value)) changed[name] = change(member, name);
  return changed;
}

/** Returns a name without case and separators. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}
