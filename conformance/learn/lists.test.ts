import { describe, expect, it } from 'vitest';
import { changeProfile } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/profile/learning.ts';
import {
  type Answering,
  IDS,
  recordsOf,
  unknownRecord,
  useStrangeService,
} from '../../testing/profile/strange-service.ts';

const { learn } = useStrangeService();

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

  it('are pages that count from 0 all the same where each begins one too late', async () => {
    const { found } = await learn(listing('size', 'page', (at, size) => (at > 0 ? at * size + 1 : 0)));
    expect([found('list.paging'), found('list.pageParameter')]).toEqual(['index', 'page']);
  });

  it('stay unknown where an offset counts from 1', async () => {
    const { found } = await learn(listing('count', 'start', (at) => Math.max(at, 1) - 1));
    expect(found('list.paging')).toEqual({ kind: 'unknown', reason: 'start counts records from 1' });
    expect(found('list.sizeParameter')).toBe('count');
  });

  it('are pages that count from 0', async () => {
    const { found } = await learn(listing('size', 'page', (at, size) => at * size));
    expect([found('list.paging'), found('list.pageParameter'), found('list.sizeParameter')]).toEqual([
      'index',
      'page',
      'size',
    ]);
  });

  it.each([
    [
      'in pages of a size that nobody asks for',
      'page',
      {},
      /^page divides lists into pages, but no parameter sets/,
    ],
    [
      'after a cursor',
      'after',
      {},
      /^no parameter divides lists into pages, .* Only a list with more than 100 records/,
    ],
    ['that say they hold more', 'after', { count: 5 }, /reports more records than it returns$/],
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
      reason: expect.stringMatching(/in a form that no profile supports, such as "\/[A-Z]+"$/),
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
