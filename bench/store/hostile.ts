import type { Model, Operation } from '../../spec/catalogue/catalogue.ts';

/** A request, wrong in some way or not at all. */
export type Hostile = {
  readonly method: string;
  /** Below the base, with its query. */
  readonly path: string;
  readonly body?: string;
  readonly type?: string;
  /** The operation, if the request has one. */
  readonly operation?: Operation;
};

type State = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** Strings without spaces. */
const words = (text: string) => text.split(' ');

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  -1e-320,
  2 ** 53 + 2,
  '',
  ' ',
  'a',
  'ñandú \ud83d\ude00 \u0000 \u2028 \ud800',
  '2025-02-30',
  '2025-10-22T09:30:00+99:00',
  'https://[',
  '__proto__',
  '"\\',
  "'; DROP TABLE records; --",
  'x'.repeat(5000),
  [],
  [[[]]],
  [null, 1, '1', {}],
  {},
  { id: 1, constructor: { prototype: 1 } },
  Array.from({ length: 300 }, (_, index) => index),
];
const TEXTS = ['', ...words('{ [ null [] 1 "a" {"a":1,"a":2} {"__proto__":{"a":1}} \u0000 \ufeff{}')];
const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
  '',
  '/',
  'x',
];
const QUERIES = [...words('limit offset sort page id deleted __proto__ a[b]'), '', '%', 'limit=1&limit'];
const TAILS = words('/0 /-1 /1e3 /9007199254740993 /%00 /%2e%2e // /1/1 /a /__proto__ /%ff');
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'BREW'];

/** Draws one of a list that is not empty. */
export function pick<One>(all: readonly One[], random: () => number): One {
  return all[Math.floor(random() * all.length)] as One;
}

/** Draws requests: to one record in three as they should be, or nearly so. */
export function createHostile(random: () => number, samples: State) {
  const any = <One>(all: readonly One[]): One => pick(all, random);
  return { request };

  function request(model: Model, ids: readonly number[]): Hostile {
    if (random() < 0.1) return nonsense(model, ids);
    const operation = any(model.operations);
    const record = `/${model.name}/${ids.length > 0 && random() < 0.9 ? any(ids) : Math.floor(random() * 50)}`;
    switch (operation) {
      case 'retrieve':
        return { method: 'GET', path: record, operation };
      case 'list':
        return { method: 'GET', path: `/${model.name}${query(model)}`, operation };
      case 'create':
        return { method: 'POST', path: `/${model.name}`, operation, ...bodyOf(model) };
      case 'update':
        return { method: 'POST', path: record, operation, ...bodyOf(model) };
      case 'delete':
        return random() < 0.5
          ? { method: 'DELETE', path: record, operation }
          : { method: 'GET', path: record, operation: 'retrieve' };
    }
  }

  function nonsense(model: Model, ids: readonly number[]): Hostile {
    const path = `/${random() < 0.1 ? any(['', '..', '__proto__', 'é', 'x'.repeat(3000)]) : model.name}`;
    const tail = random() < 0.5 ? any(TAILS) : `/${any(ids) ?? 1}`;
    const method = any(METHODS);
    // Does not check requests that are valid by chance.
    return {
      method: method === 'POST' || method === 'DELETE' ? 'PUT' : method,
      path: path + tail + query(model),
    };
  }

  function query({ fields }: Model): string {
    const parts = Array.from({ length: Math.floor(random() * 3) }, () => {
      const name = random() < 0.5 ? any(QUERIES) : any(fields).name;
      const value = name === 'sort' && random() < 0.7 ? any(['', '-']) + any(fields).name : any(VALUES);
      return `${name}=${encodeURIComponent(String(value).replace(/[\ud800-\udfff]/g, '')).slice(0, 200)}`;
    });
    return parts.length > 0 ? `?${parts.join('&')}` : '';
  }

  function bodyOf(model: Model): Pick<Hostile, 'body' | 'type'> {
    if (random() < 0.1) return { body: any(TEXTS), type: any(TYPES) };
    const writable = model.fields.filter((field) => !field.readonly);
    const sample = any(samples[model.name] ?? [{}]) ?? {};
    const sent: Record<string, unknown> = {};
    for (const { lines, name } of writable) if (lines !== undefined) sent[name] = [];
    for (const { name } of writable) if (sample[name] !== undefined) sent[name] = sample[name];
    if (random() < 0.4)
      for (let times = 1 + random() * 2; times > 0; times--) sent[any(model.fields).name] = any(VALUES);
    if (random() < 0.1) delete sent[any(model.fields).name];
    if (random() < 0.05) sent[any(['unknown', '', 'constructor'])] = any(VALUES);
    return { body: JSON.stringify(sent), type: 'application/json' };
  }
}
