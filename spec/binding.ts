import type { Model, Operation } from './catalogue/catalogue.ts';
import type { Field } from './catalogue/field.ts';
import { fieldOf } from './catalogue/roles.ts';
import { type Profile, pagesOf, placeIn, profileAt, sortingIn } from './profile/profile.ts';
import type { Value } from './types/wire-type.ts';

/**
 * How operations, records and errors are bound to HTTP: methods, paths, query parameters, envelopes, phrases. The
 * document writes it down, the mock serves it, the suite asks for it.
 */

/** The method of each operation, as a document names it (section 4). */
export const METHODS = {
  retrieve: 'get',
  list: 'get',
  create: 'post',
  // Section 4, rule 1: there is no PUT or PATCH.
  update: 'post',
  delete: 'delete',
} as const satisfies Readonly<Record<Operation, string>>;

/** Whether the path of an operation ends with an id. */
export function hasId(operation: Operation): boolean {
  return operation !== 'list' && operation !== 'create';
}

/** The path of an operation as the document writes it, such as `/api/model/warehouse/{id}`. */
export function templateOf(base: string, { name }: Model, operation: Operation): string {
  return `${base}/${name}${hasId(operation) ? '/{id}' : ''}`;
}

/** The schema of a model as returned: `warehouse` → `Warehouse`; `WarehouseCreate` and `WarehouseUpdate` derive from it. */
export function schemaName(model: string): string {
  return model.charAt(0).toUpperCase() + model.slice(1);
}

/** `retrieve`, `warehouse` → `getWarehouse`. */
export function operationId(operation: Operation, model: string): string {
  return (operation === 'retrieve' ? 'get' : operation) + schemaName(model);
}

/** Whether a deleted record stays, with a mark: a model without the field has none (section 2.0). */
export function marksDeleted(model: Model, profile: Profile): boolean {
  return (
    profileAt(profile, model.name)['delete.effect'] !== 'remove' && fieldOf(model, 'deleted') !== undefined
  );
}

/** Whether a retrieve and a list show the records of a model that are marked as deleted (`delete.effect`). */
export function showsMarked(
  profile: Profile,
  model = '',
): { readonly retrieve: boolean; readonly list: boolean } {
  const effect = profileAt(profile, model)['delete.effect'];
  return { retrieve: effect !== 'mark-only-listed', list: effect.endsWith('listed') };
}

/** The query parameters of every list: where a part of it begins, how long the part is, and its order. */
export type ListParameter = 'offset' | 'page' | 'size' | 'sort';

/** The parameters that a list has under a profile, by what they are for, in the order of the document. */
export function listParameterNames(profile: Profile): ReadonlyMap<ListParameter, string> {
  const names = new Map<ListParameter, string>();
  const pages = pagesOf(profile);
  if (pages) names.set(pages.style === 'offset' ? 'offset' : 'page', pages.from);
  if (pages) names.set('size', pages.size);
  const sorting = sortingIn(profile['list.sort']);
  if (sorting) names.set('sort', sorting.parameter);
  return names;
}

/** The number of the first page of a list (`list.paging`). */
export function firstPage(profile: Profile): 0 | 1 {
  return pagesOf(profile)?.style === 'index' ? 0 : 1;
}

/** The fields of a model that its list can be sorted by: those whose value is one value. */
export function sortFields(model: Model, profile: Profile): Field[] {
  if (profileAt(profile, model.name)['list.sort'] === 'none') return [];
  return model.fields.filter(isScalar);
}

/**
 * The fields of a model that are query parameters of its list. A field named like a parameter of the list itself
 * gives way to it, and a select that is an object has no form in a query.
 */
export function filterFields(model: Model, whole: Profile): Field[] {
  const profile = profileAt(whole, model.name);
  const taken = [...listParameterNames(profile).values()];
  const version = placeIn(profile.version);
  if (version?.in === 'query') taken.push(version.name);
  return model.fields.filter(
    (field) =>
      isScalar(field) &&
      profileAt(whole, field.key)['list.filter'] !== 'none' &&
      !taken.includes(field.name) &&
      !(field.type === 'select' && profileAt(profile, field.key)['types.select'] === 'object'),
  );
}

/** Operators of a filter in addition to equality (`list.filter`). */
export type FilterOperator = 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'in' | 'null';

/** The most values that `in` takes, and the most fields that a list is sorted by. */
export const MOST_VALUES = 100;
export const MOST_SORTS = 5;

const RANGES = ['gt', 'gte', 'lt', 'lte'] as const;
const ORDERED = ['int', 'float', 'currency', 'percent', 'date', 'datetime', 'time', 'duration'];
const TEXTS = ['string', 'text', 'markdown', 'email', 'url', 'image'];

/** The operators of a field that is a query parameter; none under a profile without them. */
export function filterOperators(field: Field, profile: Profile): readonly FilterOperator[] {
  const filter = profileAt(profile, field.key)['list.filter'];
  if (filter === 'contains') return operatorsOf(field).filter((operator) => operator === 'contains');
  return filter === 'brackets' ? operatorsOf(field) : [];
}

/** The operators that fit a field with one value, under every profile. */
export function operatorsOf({ required, type }: Field): readonly FilterOperator[] {
  return [
    ...(ORDERED.includes(type) ? RANGES : []),
    ...(TEXTS.includes(type) ? ['contains' as const] : []),
    'in',
    ...(required ? [] : ['null' as const]),
  ];
}

/** The query parameter of an operator, such as `price[gte]`. */
export function operatorParameter({ name }: Field, operator: FilterOperator): string {
  return `${name}[${operator}]`;
}

/** Whether a field has one value, not a list. */
export function isScalar(field: Field): boolean {
  return !['lines', 'manyToMany', 'daysOfWeek'].includes(field.type);
}

/** A part of a body with its JSON pointer; "" is the whole body. */
export type Placed<Part> = readonly [pointer: string, part: Part];

/** The body that holds each value at its pointer: `[['/data', []], ['/meta/total', 0]]` → `{ data: [], meta: { total: 0 } }`. */
export function envelope(placed: readonly Placed<Value>[]): Value {
  return nest<Value>(placed, (members) => Object.fromEntries(members));
}

/** Puts parts together at their pointers; `wrap` makes one of the members of an object. */
export function nest<Part>(
  placed: readonly Placed<Part>[],
  wrap: (members: readonly (readonly [name: string, part: Part])[]) => Part,
): Part {
  const whole = placed.find(([pointer]) => pointer === '');
  if (whole) return whole[1];
  const members = new Map<string, Placed<Part>[]>();
  for (const [pointer, part] of placed) {
    const [, name = '', ...rest] = pointer.split('/');
    const inner: Placed<Part> = [rest.map((step) => `/${step}`).join(''), part];
    members.set(name, [...(members.get(name) ?? []), inner]);
  }
  return wrap([...members].map(([name, inner]) => [name, nest(inner, wrap)] as const));
}

/**
 * RFC 9457, section 4.2.1: with the type `about:blank`, the title is the status phrase. Node's table changes with its
 * version, and is older than RFC 9110.
 */
export const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
};

/** The media type of an error's body under each option of `errors.form`; undefined where it has none. */
export const ERROR_TYPES = {
  problem: 'application/problem+json',
  simple: 'application/json',
  empty: undefined,
} as const satisfies Readonly<Record<Profile['errors.form'], string | undefined>>;
