import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { createMock, type Mock } from '../../mock/mock.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import {
  changeProfile,
  createProfile,
  DEFAULT_PROFILE,
  type Profile,
  type SettingName,
} from '../../spec/profile/profile.ts';
import { catalogue, observe, references } from '../../testing/profile/learning.ts';
import { type Served, serve } from '../../testing/services/http-server.ts';
import { NoAnswer } from '../target/no-answer.ts';
import type { TargetOptions } from '../target/target.ts';
import type { LearnOptions } from './learn.ts';

const open: Served[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };
type Answering = (url: URL, request: IncomingMessage) => Answer;

async function start(answering: Answering): Promise<string> {
  const served = await serve((request, response) => {
    const {
      status = 200,
      headers = {},
      body,
    } = answering(new URL(request.url ?? '', 'http://strange'), request);
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  open.push(served);
  return served.url;
}

async function learn(answering: Answering, more: Partial<LearnOptions & TargetOptions> = {}) {
  const baseUrl = await start(answering);
  const { learned, sent } = await observe({ baseUrl, timeout: 2000, ...more }, { write: false, ...more });
  const found = (name: SettingName) => {
    const finding = learned.settings.get(name);
    return finding?.kind === 'found' ? finding.value : finding;
  };
  return { found, learned, sent };
}

/** A service that can only list, five records of every model. */
const IDS = [1, 2, 3, 4, 5];
const recordsOf = (ids: readonly (number | string)[]) =>
  ids.map((id) => ({ id, created: '2025-10-22T09:30:00Z', deleted: false }));
const unknownRecord = (url: URL) => /\/\d{6,}$/.test(url.pathname);

/** The same before a mock, for services that are strange in one respect. */
async function mockBehind(
  answer: (mock: Mock, request: IncomingMessage, response: ServerResponse, body: string) => boolean,
  profile: Profile = DEFAULT_PROFILE,
) {
  const mock = await createMock({ catalogue, references, profile, fixtures: loadFixtures('demo') });
  const served = await serve(async (request, response) => {
    const sent = await text(request);
    if (answer(mock, request, response, sent)) return;
    const { method = 'GET', url = '' } = request;
    const body = method === 'GET' ? {} : { body: sent };
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    const reply = await mock.fetch(new Request(`http://mock${url}`, { method, headers, ...body }));
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
  open.push(served);
  return served.url;
}

describe('a service that is none of this interface', () => {
  it('since it compresses unasked is said to do so', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const { learned } = await learn(() => ({ headers, body: '\u001f\u008b' }));
    expect(learned.doubt).toContain(
      'with application/json (content-encoding gzip, not asked for) that is no JSON',
    );
  });

  it('is not written to when it answers HTML, and is said to be doubtful', async () => {
    const html = { headers: { 'content-type': 'text/html' }, body: '<h1>It works!</h1>' };
    const { learned, sent } = await learn(() => html, { write: true });
    expect(learned.doubt).toContain('answered 200 with text/html that is no JSON');
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(learned.settings.get('response.records')).toMatchObject({ kind: 'unknown' });
    expect(learned.profile).toEqual(DEFAULT_PROFILE);
  });

  it('is not written to when it answers other JSON', async () => {
    const { learned, sent } = await learn(() => ({ body: { message: 'hello' } }), { write: true });
    expect(learned.doubt).toBeDefined();
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  it('is asked for credentials where it forbids everything', async () => {
    const { learned } = await learn(() => ({ status: 403, body: { error: 'no' } }));
    expect(learned.doubt).toMatch(/answered 403: .*credentials .*--bearer/);
  });

  it('does no harm with deep, large and odd JSON', async () => {
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
    const odd = `{"__proto__":{"data":[{"id":1}]},"constructor":[{"id":"1"}],"deep":${deep},"many":[${'{},'.repeat(50_000)}{}]}`;
    const { found } = await learn(() => ({ body: odd }));
    expect(found('auth.scheme')).toBe('none');
    expect(({} as Record<string, unknown>).data).toBeUndefined();
  });

  it('makes settings unknown when it breaks on every write', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      if (request.method === 'GET') return false;
      response.writeHead(500).end('{"error":"out of order"}');
      return true;
    });
    const { learned, sent } = await observe({ baseUrl });
    expect(sent.filter(({ method }) => method !== 'GET').length).toBeLessThan(10);
    expect(learned.settings.get('request.encoding')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('answered 500'),
    });
    expect(learned.settings.get('types.currency')).toMatchObject({ kind: 'found', value: 'number' });
    expect(learned.settings.get('delete.readable')).toEqual({
      kind: 'unknown',
      reason: 'delete.effect is unknown',
    });
  });

  it('has removed what it makes of a body that is none', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      if (request.headers['content-type'] !== 'text/plain') return false;
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":777}');
      return true;
    });
    const { sent } = await observe({ baseUrl });
    const made = sent.find(({ headers }) => headers?.['content-type'] === 'text/plain');
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toContain(`DELETE ${made?.path}/777`);
  });

  it('names what could not be removed', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      if (request.method !== 'DELETE') return false;
      response.writeHead(403).end();
      return true;
    });
    const { learned } = await observe({ baseUrl });
    expect(learned.leftovers.length).toBeGreaterThan(5);
    expect(learned.leftovers).toContain('brand/6');
    expect(learned.settings.get('delete.effect')).toMatchObject({ kind: 'unknown' });
  });
});

describe('a service whose lists have another order each time', () => {
  it('has nothing of their order and their parts learned', async () => {
    let turn = 0;
    const baseUrl = await mockBehind((mock, request, response) => {
      const { method, url = '' } = request;
      if (method !== 'GET' || /\/model\/\w+\/./.test(url)) return false;
      void mock.fetch(new Request(`http://mock${url}`)).then(async (reply) => {
        const shown: unknown = await reply.json();
        const records = Array.isArray(shown) ? shown : [];
        const moved = turn++ % Math.max(1, records.length);
        response.writeHead(reply.status, Object.fromEntries(reply.headers));
        response.end(
          JSON.stringify(records.length > 0 ? [...records.slice(moved), ...records.slice(0, moved)] : shown),
        );
      });
      return true;
    });
    const { learned } = await observe({ baseUrl });
    for (const setting of ['list.paging', 'list.sort'] as const)
      expect(learned.settings.get(setting)).toEqual({
        kind: 'unknown',
        reason: expect.stringMatching(/^the list of \w+ has another order each time$/),
      });
    expect(learned.leftovers).toEqual([]);
  });
});

describe('a service whose deletes say yes and do nothing', () => {
  it('has its leftovers named, and no effect of a delete', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      if (request.method !== 'DELETE') return false;
      response.writeHead(204).end();
      return true;
    });
    const { learned } = await observe({ baseUrl });
    expect(learned.leftovers.length).toBeGreaterThan(5);
    expect(learned.settings.get('status.deleted')).toMatchObject({ kind: 'found', value: 204 });
    expect(learned.settings.get('delete.effect')).toMatchObject({
      kind: 'unknown',
      reason: 'a delete is answered with 204 and leaves the record as it was',
    });
  });
});

describe('a service that does not answer', () => {
  it('ends learning when nothing listens', async () => {
    const { url, close } = await serve(() => {});
    await close();
    await expect(observe({ baseUrl: url })).rejects.toMatchObject({ name: 'NoAnswer', gone: true });
  });

  it('ends learning after a few requests when it is unavailable, and says so', async () => {
    let requests = 0;
    const baseUrl = await start(() => {
      requests++;
      return { status: 503, headers: { 'retry-after': '0' } };
    });
    const learning = observe({ baseUrl });
    await expect(learning).rejects.toThrow(NoAnswer);
    await expect(learning).rejects.toThrow(/\/api\/model\/\w+ answered 503: the service is unavailable/);
    expect(requests).toBeLessThan(11);
  });

  it('is learned all the same when one model is unavailable', async () => {
    const [first] = catalogue.models.keys();
    const { found } = await learn((url) =>
      url.pathname.endsWith(`/${first}`)
        ? { status: 503, headers: { 'retry-after': '0' } }
        : { body: recordsOf(IDS) },
    );
    expect(found('auth.scheme')).toBe('none');
  });

  it('ends learning when it lets nobody ask any more, and what was made is removed', async () => {
    let creates = 0;
    const removed: string[] = [];
    const baseUrl = await mockBehind((_, { method, url = '' }, response) => {
      if (method === 'DELETE') removed.push(url);
      if (method !== 'POST' || ++creates <= 20) return false;
      response.writeHead(429).end();
      return true;
    });
    const learning = observe({ baseUrl, pauses: [0, 0] });
    await expect(learning).rejects.toMatchObject({ name: 'NoAnswer', gone: true });
    await expect(learning).rejects.toThrow(
      /^POST \S+ answered 429 \(too many requests\), [^;]*; --rate N [^;]*$/,
    );
    expect(removed.length).toBeGreaterThan(2);
  });

  it('ends learning at the first request when it stays silent', async () => {
    const served = await serve(() => {});
    open.push(served);
    await expect(observe({ baseUrl: served.url, timeout: 50 })).rejects.toThrow(NoAnswer);
  });

  it('ends learning when it goes away, and what was made is named', async () => {
    let writes = 0;
    const baseUrl = await mockBehind((_, request) => {
      if (request.method !== 'GET') writes++;
      if (writes > 6) request.socket.destroy();
      return writes > 6;
    });
    await expect(observe({ baseUrl })).rejects.toThrow(/not removed: .*\/\d+/);
  });
});

describe('credentials', () => {
  const challenges = [
    ['Bearer realm="x"', 'bearer', '--bearer TOKEN'],
    ['Basic realm="x"', 'basic', '--basic USER:PASSWORD'],
    ['ApiKey header="Api-Token"', 'apiKey', '--api-key Api-Token=VALUE'],
  ] as const;

  it.each(challenges)(
    '%s without credentials ends with the flag to give',
    async (challenge, scheme, flag) => {
      const learning = learn(() => ({ status: 401, headers: { 'www-authenticate': challenge } }));
      await expect(learning).rejects.toThrow(UsageError);
      await expect(learning).rejects.toThrow(
        `asks for credentials of the scheme ${scheme}; expected ${flag}`,
      );
    },
  );

  it('that are refused are said to be, and not repeated', async () => {
    const learning = learn(() => ({ status: 401, headers: { 'www-authenticate': 'Bearer' } }), {
      credentials: { authorization: 'Bearer s3cret' } as never,
    });
    await expect(learning).rejects.toThrow('does not take the credentials given; expected --bearer TOKEN');
    await expect(learning).rejects.not.toThrow('s3cret');
  });

  it('that a long challenge repeats are not shown in part', async () => {
    const token = 's3cret-t0k3n-f0r-y0u';
    for (const length of [180, 186, 192]) {
      const challenge = `Bearer realm="${'x'.repeat(length - 14)}${token}, ${'y'.repeat(300)}"`;
      const learning = learn(() => ({ status: 401, headers: { 'www-authenticate': challenge } }), {
        credentials: { authorization: `Bearer ${token}` } as never,
      });
      await expect(learning).rejects.toThrow(/ \(WWW-Authenticate: .{200}…\): the service/);
      await expect(learning).rejects.not.toThrow('s3c');
    }
  });

  const silent: Answering = (_, request) =>
    request.headers['x-my-key'] || request.headers.authorization ? { body: recordsOf(IDS) } : { status: 401 };

  it('in a header of their own are an API key where the 401 names no scheme', async () => {
    const baseUrl = await start(silent);
    const { learned } = await observe({ baseUrl, credentials: { 'x-my-key': 's3cret' } }, { write: false });
    expect(learned.settings.get('auth.scheme')).toMatchObject({ kind: 'found', value: 'apiKey' });
    expect(learned.settings.get('auth.header')).toMatchObject({ kind: 'found', value: 'X-My-Key' });
    expect(JSON.stringify([...learned.settings])).not.toContain('s3cret');
  });

  it('stand in no finding and no error, wherever and however cut the service repeats them', async () => {
    const secret = 's3cret-t0k3n-f0r-y0u';
    const credentials = { authorization: `Bearer ${secret}` };
    const status = { challenge: 401, forbidden: 403, list: 200 };
    for (const [place, code] of Object.entries(status))
      for (const before of [0, 85, 105, 190].map((length) => ' '.repeat(length).replaceAll(' ', 'x'))) {
        const echo = `${before}${secret}`;
        const record = { id: secret, created: echo, [secret]: echo, deleted: echo };
        const baseUrl = await start(() => ({
          status: code,
          headers: {
            'www-authenticate': `ApiKey ${before ? 'realm' : 'header'}="${echo}"`,
            'x-ratelimit-limit': echo,
            'x-version': echo,
          },
          body:
            place === 'list' ? { [secret]: [record, record], message: echo } : { error: `version ${echo}` },
        }));
        const outcome = await observe({ baseUrl, credentials }).then(
          ({ learned: { settings, profile, doubt } }) => JSON.stringify([...settings, profile, doubt]),
          (error: Error) => error.message,
        );
        // The beginning of a secret that was cut is a part of it too.
        expect({ place, outcome }).toEqual({ place, outcome: expect.not.stringContaining('s3cret') });
      }
  });

  it('in Authorization stay unknown where neither the 401 nor the caller names the scheme', async () => {
    const baseUrl = await start(silent);
    const options = { baseUrl, credentials: { authorization: 'Bearer s3cret' } };
    const { learned } = await observe(options, { write: false });
    expect(learned.settings.get('auth.scheme')).toMatchObject({ kind: 'unknown' });
    const { learned: told } = await observe(options, { write: false, credentials: 'bearer' });
    expect(told.settings.get('auth.scheme')).toMatchObject({ kind: 'found', value: 'bearer' });
  });

  it('are found where the service looks at the version first', async () => {
    const baseUrl = await start((url, request) => {
      if (url.searchParams.get('ver_sion') !== catalogue.version)
        return { status: 400, body: { error: 'no ver_sion' } };
      return request.headers.authorization
        ? { body: recordsOf(IDS) }
        : { status: 401, headers: { 'www-authenticate': 'Basic' } };
    });
    const credentials = { authorization: 'Basic dTpw' };
    const { learned } = await observe({ baseUrl, credentials }, { write: false });
    // No common name, and none that a message with "version" in it mentions.
    expect(learned.settings.get('version.in')).toMatchObject({ kind: 'unknown' });
    const named = await start((url, request) => {
      if (url.searchParams.get('my-version') !== catalogue.version)
        return { status: 400, body: { error: 'which my-version?' } };
      return request.headers.authorization
        ? { body: recordsOf(IDS) }
        : { status: 401, headers: { 'www-authenticate': 'Basic' } };
    });
    const { learned: both } = await observe({ baseUrl: named, credentials }, { write: false });
    expect(both.settings.get('version.in')).toMatchObject({ kind: 'found', value: 'query' });
    expect(both.settings.get('version.name')).toMatchObject({ kind: 'found', value: 'my-version' });
    expect(both.settings.get('auth.scheme')).toMatchObject({ kind: 'found', value: 'basic' });
  });
});

describe('a service that says the same to whatever is asked', () => {
  it.each([
    [null],
    [{ user: null, ok: true }],
    [{ count: 0 }],
    [{ error: null, data: { id: 1, name: 'x' } }],
  ])('is written nothing to where that may be an empty list: %j', async (body) => {
    const { learned, sent } = await learn(() => ({ body }), { write: true });
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(learned.doubt).toBe('no list was answered');
  });

  it('is learned where it refuses a model that it does not have', async () => {
    const known = (url: URL) => catalogue.models.has(url.pathname.split('/')[3] ?? '');
    const { learned } = await learn((url) => (known(url) ? { body: null } : { status: 404 }));
    expect(learned.doubt).toBe(undefined);
  });
});

describe('lists', () => {
  const part =
    (url: URL, size: string, place: string, index: (at: number, size: number) => number): Answering =>
    () => {
      const wanted = Number(url.searchParams.get(size) ?? 100);
      const at = index(Number(url.searchParams.get(place) ?? 0), wanted);
      return { body: recordsOf(IDS.slice(at, at + wanted)) };
    };
  const listing =
    (size: string, place: string, index: (at: number, size: number) => number): Answering =>
    (url, request) =>
      unknownRecord(url) ? { status: 404 } : part(url, size, place, index)(url, request);

  it('are parted by whatever the parameters are called', async () => {
    const { found } = await learn(listing('take', 'skip', (at) => at));
    expect([found('list.paging'), found('list.sizeParameter'), found('list.offsetParameter')]).toEqual([
      'offset',
      'take',
      'skip',
    ]);
    const { found: paged } = await learn(
      listing('per_page', 'page', (at, size) => (Math.max(at, 1) - 1) * size),
    );
    expect([paged('list.paging'), paged('list.sizeParameter'), paged('list.pageParameter')]).toEqual([
      'page',
      'per_page',
      'page',
    ]);
  });

  it.each([
    ['early', -1],
    ['late', 1],
  ])('are pages all the same where each begins one too %s', async (_, shift) => {
    const { found } = await learn(
      listing('per_page', 'page', (at, size) => (at > 1 ? (at - 1) * size + shift : 0)),
    );
    expect([found('list.paging'), found('list.pageParameter')]).toEqual(['page', 'page']);
  });

  it('stay unknown where an offset counts from 1', async () => {
    const { found } = await learn(listing('count', 'start', (at) => Math.max(at, 1) - 1));
    expect(found('list.paging')).toEqual({ kind: 'unknown', reason: 'start counts records from 1' });
    expect(found('list.sizeParameter')).toBe('count');
  });

  it('stay unknown where pages count from 0', async () => {
    const { found } = await learn(listing('size', 'page', (at, size) => at * size));
    expect(found('list.paging')).toEqual({ kind: 'unknown', reason: 'page counts pages from 0' });
    expect(found('list.pageParameter')).toEqual({ kind: 'unknown', reason: 'list.paging is unknown' });
    expect(found('list.sizeParameter')).toBe('size');
  });

  it.each([
    ['in pages of a size that nobody asks for', 'page', {}, /^page parts a list, and no parameter says/],
    ['after a cursor', 'after', {}, /^no parameter parts a list, .* only more than 100 at once/],
    ['that say they hold more', 'after', { count: 5 }, /says that there are more records than it shows$/],
  ] as const)('%s have no paging learned but what shows', async (_, place, beside, reason) => {
    const { found } = await learn((url) => {
      if (unknownRecord(url)) return { status: 404 };
      const page = Number(url.searchParams.get(place) ?? 1);
      const records = recordsOf(IDS.slice((page - 1) * 4, page * 4));
      return page > 2 ? { status: 404 } : { body: { ...beside, data: records } };
    });
    expect(found('list.paging')).toEqual({ kind: 'unknown', reason: expect.stringMatching(reason) });
  });

  it('of more than a hundred records at once have no parts', async () => {
    const many = Array.from({ length: 101 }, (_, index) => index + 1);
    const { found } = await learn((url) =>
      unknownRecord(url) ? { status: 404 } : { body: recordsOf(many) },
    );
    expect(found('list.paging')).toBe('none');
  });

  it('tell all records from those of a page', async () => {
    const { found } = await learn((url) => {
      if (unknownRecord(url)) return { status: 404, body: { error: 'none' } };
      const items = recordsOf(
        IDS.slice(Number(url.searchParams.get('offset') ?? 0)).slice(
          0,
          Number(url.searchParams.get('limit') ?? 9),
        ),
      );
      return { body: { meta: { count: items.length, total: IDS.length, version: 7 }, result: { items } } };
    });
    expect([found('response.records'), found('response.total'), found('response.totalPointer')]).toEqual([
      '/result/items',
      'pointer',
      '/meta/total',
    ]);
  });

  it('under the name of their model have a place that names it', async () => {
    const under = (nameOf: (model: string) => string) =>
      learn((url) => {
        if (unknownRecord(url)) return { status: 404 };
        return { body: { [nameOf(url.pathname.split('/')[3] ?? '')]: recordsOf(IDS), total: 5 } };
      });
    const snake = (model: string) => model.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const places = new Map([
      ['/{model}List', (model: string) => `${model}List`],
      ['/{model_name}_items', (model: string) => `${snake(model)}_items`],
      ['/{model}s', (model: string) => `${model}s`],
      ['/{models}', (model: string) => `${model.replace(/y$/, 'ie')}s`.replace('metricDatas', 'metricData')],
    ]);
    for (const [place, nameOf] of places) expect((await under(nameOf)).found('response.records')).toBe(place);
    expect((await under((model) => model.toUpperCase())).found('response.records')).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/in a form that no profile has, as at "\/[A-Z]+"$/),
    });
  });

  it('that grow while they are asked for show no size', async () => {
    let count = 5;
    const { found } = await learn((url) => {
      if (unknownRecord(url)) return { status: 404 };
      const at = Number(url.searchParams.get('offset') ?? 0);
      const size = Number(url.searchParams.get('limit') ?? 1000);
      const ids = Array.from({ length: count++ }, (_, index) => index + 1);
      return { body: recordsOf(ids.slice(at, at + size)) };
    });
    expect(found('list.sizeParameter')).toBe('limit');
    for (const size of ['list.defaultSize', 'list.maxSize'] as const)
      expect(found(size)).toMatchObject({
        kind: 'unknown',
        reason: expect.stringMatching(/list .* brand|list/),
      });
  });

  it('of a service that refuses large pages show the largest one that was taken', async () => {
    const many = Array.from({ length: 300 }, (_, index) => index + 1);
    const { found } = await learn((url) => {
      const size = Number(url.searchParams.get('limit') ?? 30);
      if (unknownRecord(url)) return { status: 404 };
      if (size > 200) return { status: 400, body: { error: 'too many' } };
      const at = Number(url.searchParams.get('offset') ?? 0);
      return { headers: { 'x-total': '300' }, body: recordsOf(many.slice(at, at + size)) };
    });
    expect(found('list.maxSize')).toBe(200);
    expect(found('response.totalHeader')).toBe('X-Total');
  });

  it('whose default size is above the default greatest size make a profile all the same', async () => {
    const many = Array.from({ length: 700 }, (_, index) => index + 1);
    const { found, learned } = await learn((url) => {
      if (unknownRecord(url)) return { status: 404 };
      const at = Number(url.searchParams.get('offset') ?? 0);
      return { body: recordsOf(many.slice(at, at + Number(url.searchParams.get('limit') ?? 600))) };
    });
    expect(found('list.defaultSize')).toBe(600);
    expect(changeProfile(learned.profile, {}, catalogue)['list.maxSize']).toBe(600);
  });

  it('whose records have ids that are texts are read too', async () => {
    const { found } = await learn((url) => {
      const id = url.pathname.split('/')[4];
      if (unknownRecord(url)) return { status: 404 };
      return {
        body: id === undefined ? { data: recordsOf(['a1', 'a2', 'a3']) } : { data: recordsOf([id])[0] },
      };
    });
    expect([found('response.records'), found('response.record')]).toEqual(['/data', '/data']);
  });
});

describe('rates', () => {
  const withHeader = (headers: Record<string, string>) => learn(() => ({ headers, body: recordsOf(IDS) }));

  const limits: [headers: Record<string, string>, rate: number][] = [
    [{ 'ratelimit-policy': '"default";q=100;w=1' }, 100],
    [{ 'ratelimit-policy': '600;w=60' }, 10],
    [{ 'ratelimit-limit': '50, 50;w=5' }, 10],
  ];
  it.each(limits)('%j is a number of requests a second', async (headers, rate) => {
    const { found } = await withHeader(headers);
    expect(found('limits.rate')).toBe(rate);
  });

  it('without a number of seconds stay unknown', async () => {
    const { found } = await withHeader({ 'x-ratelimit-limit': '60' });
    expect(found('limits.rate')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('x-ratelimit-limit: 60'),
    });
  });
});

describe('a limit of texts', () => {
  it('stays unknown where another type of them has another one', async () => {
    const baseUrl = await mockBehind((_, _request, response, body) => {
      if (!/"name":"x{41}/.test(body)) return false;
      response.writeHead(422).end();
      return true;
    });
    const { learned } = await observe({ baseUrl });
    expect(learned.settings.get('limits.text')).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/^\w+\.name takes 40 characters, \w+\.\w+ another number$/),
    });
  });
});

describe('a service that has or allows only a part', () => {
  it('is learned from the models it has', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      const missing = /\/(brand|taskComment|warehouse)(\/|\?|$)/.test(request.url ?? '');
      if (missing) response.writeHead(404).end();
      return missing;
    });
    const { learned, sent } = await observe({ baseUrl });
    expect(learned.settings.get('delete.effect')).toMatchObject({ kind: 'found', value: 'mark' });
    expect(sent.filter(({ method, path }) => method === 'POST' && path.endsWith('/brand'))).toEqual([]);
  });

  it('is learned from the models whose records may be made', async () => {
    const baseUrl = await mockBehind((_, request, response) => {
      const forbidden = request.method === 'POST' && /\/(brand|warehouse)$/.test(request.url ?? '');
      if (forbidden) response.writeHead(403).end();
      return forbidden;
    });
    const { learned } = await observe({ baseUrl });
    const unknown = [...learned.settings].flatMap(([name, { kind }]) => (kind === 'unknown' ? name : []));
    expect(unknown).toEqual(['list.defaultSize', 'list.maxSize', 'limits.rate']);
  });

  it('shows the moves of states in which no record can be made', async () => {
    const moves = { 'stockOrder.status': { 0: [1], 1: [2, 3], 2: [3], 3: [] } };
    const baseUrl = await mockBehind(
      (_, request, response, body) => {
        const begun =
          request.method === 'POST' && request.url?.endsWith('/stockOrder') && !body.includes('"status":0');
        if (begun) response.writeHead(422).end();
        return begun === true;
      },
      createProfile({ transitions: moves }, catalogue),
    );
    const { learned } = await observe({ baseUrl });
    // A state two moves away is reached by a single walk, and may not be reached again for its other moves.
    const { transitions } = learned.profile;
    const found = transitions === 'any' ? {} : (transitions['stockOrder.status'] ?? {});
    expect(Object.entries(found).length).toBeGreaterThan(1);
    expect(moves['stockOrder.status']).toMatchObject(found);
  });
});
