import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { createTarget } from '../target/target.ts';
import { createApi } from './api.ts';
import { fetchList, type Listing } from './listing.ts';

const catalogue = loadCatalogue();
const SIZE = 100;

type Options = {
  readonly records: number;
  readonly paging?: 'offset' | 'page' | 'none';
  readonly total?: boolean;
  readonly answers?: (query: URLSearchParams) => readonly number[];
};

describe('a list', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  test.each([0, 1, 99, 100, 101, 250])('of %i records is fetched whole', async (records) => {
    const listing = await fetch({ records });
    expect(ids(listing)).toEqual(numbers(1, records));
    expect(listing?.complete).toBe(true);
  });

  test('that gives its total is not asked for a page behind the last', async () => {
    const asked: string[] = [];
    const answers = (query: URLSearchParams) => {
      asked.push(String(query.get('offset')));
      return numbers(1, 200)
        .slice(Number(query.get('offset')))
        .slice(0, SIZE);
    };
    const listing = await fetch({ records: 200, total: true, answers });
    expect(asked).toEqual(['0', '100']);
    expect(listing?.complete).toBe(true);
  });

  test.each(['offset', 'page'] as const)(
    'by %s that is too long is looked at from both ends',
    async (paging) => {
      const listing = await fetch({ records: 5050, total: true, paging });
      expect(ids(listing)).toEqual([...numbers(1, 2000), ...numbers(4901, 5050)]);
      expect(listing?.complete).toBe(false);
    },
  );

  test.each(['offset', 'page'] as const)(
    'by %s whose pages hold fewer than are asked for, and no total, is fetched whole',
    async (paging) => {
      const most = 40;
      const answers = (query: URLSearchParams) => {
        const start =
          paging === 'page' ? (Number(query.get('page')) - 1) * most : Number(query.get('offset'));
        return numbers(1, 90).slice(start, start + most);
      };
      const listing = await fetch({ records: 90, paging, answers });
      expect(ids(listing)).toEqual(numbers(1, 90));
      expect(listing?.complete).toBe(true);
    },
  );

  test('that is too long and gives no total is known to be incomplete', async () => {
    const listing = await fetch({ records: 5050 });
    expect(ids(listing)).toEqual(numbers(1, 2000));
    expect(listing?.complete).toBe(false);
  });

  test('whose service ignores the parameters is not taken for whole', async () => {
    const listing = await fetch({ records: 5050, answers: () => numbers(1, SIZE) });
    expect(ids(listing)).toEqual(numbers(1, SIZE));
    expect(listing?.complete).toBe(false);
  });

  test('whose service shows all at once, whatever is asked for, is whole', async () => {
    const listing = await fetch({ records: 250, answers: () => numbers(1, 250) });
    expect(ids(listing)).toEqual(numbers(1, 250));
    expect(listing?.complete).toBe(true);
  });

  test.each([
    ['as many as a page holds by default', 20, false],
    ['fewer than its total', 30, true],
  ] as const)('whose service ignores the parameters and shows %s is not whole', async (_, shown, total) => {
    const listing = await fetch({ records: 300, total, answers: () => numbers(1, shown) });
    expect(listing).toMatchObject({ complete: false, onePage: true });
  });

  test.each([
    [30, true, false],
    [30, false, true],
    [300, true, true],
  ])('of %i records without pages, a total %s, is whole: %s', async (shown, total, complete) => {
    const answers = () => numbers(1, shown);
    const listing = await fetch({ records: 300, paging: 'none', total, answers });
    expect(listing).toMatchObject({ complete, onePage: true });
  });

  test.each(['Link', 'address', 'cursor'])(
    'in parts that nobody knows how to ask for is followed by its %s',
    async (way) => {
      server = createServer((request, response) => {
        const query = new URL(request.url ?? '', 'http://service').searchParams;
        const start = Number(query.get('after') ?? query.get('cursor') ?? 0);
        const next = start + 20 < 50 ? start + 20 : undefined;
        const address = `http://elsewhere/brand?after=${next}`;
        response.setHeader('content-type', 'application/json');
        if (next !== undefined && way === 'Link') response.setHeader('link', `<${address}>; rel="next"`);
        const shown = { Link: null, address, cursor: String(next) }[way];
        const items = numbers(start + 1, Math.min(start + 20, 50)).map((id) => ({ id }));
        response.end(JSON.stringify({ items, next: next === undefined ? null : shown }));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const target = createTarget({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
      const profile = createProfile({ 'list.paging': 'unknown', 'response.records': '/items' }, catalogue);
      const listing = await fetchList(createApi({ target, catalogue, profile: () => profile }), 'brand');
      await target.close();
      expect(ids(listing)).toEqual(numbers(1, 50));
      expect(listing?.complete).toBe(true);
    },
  );

  test('that leads to itself is whole where its total says so', async () => {
    server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.setHeader('x-total-count', '20');
      response.end(JSON.stringify({ items: numbers(1, 20).map((id) => ({ id })), nextCursor: 'x' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const target = createTarget({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const settings = { 'response.total': 'header X-Total-Count', 'response.records': '/items' };
    const profile = createProfile({ 'list.paging': 'unknown', ...settings }, catalogue);
    const listing = await fetchList(createApi({ target, catalogue, profile: () => profile }), 'brand');
    await target.close();
    expect(listing?.complete).toBe(true);
  });

  async function fetch({ records, paging = 'offset', total = false, answers }: Options) {
    server = createServer((request, response) => {
      const query = new URL(request.url ?? '', 'http://service').searchParams;
      const start = paging === 'page' ? (Number(query.get('page')) - 1) * SIZE : Number(query.get('offset'));
      const shown = answers?.(query) ?? numbers(1, records).slice(start, start + SIZE);
      response.setHeader('content-type', 'application/json');
      if (total) response.setHeader('x-total-count', String(records));
      response.end(JSON.stringify(shown.map((id) => ({ id }))));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const target = createTarget({ baseUrl: `http://127.0.0.1:${port}` });
    const settings = total ? { 'response.total': 'header X-Total-Count' } : {};
    const profile = createProfile(
      {
        'list.paging': paging === 'none' ? paging : { style: paging, default: 20, max: SIZE },
        'response.total': 'none',
        ...settings,
      },
      catalogue,
    );
    try {
      return await fetchList(createApi({ target, catalogue, profile: () => profile }), 'brand');
    } finally {
      await target.close();
    }
  }
});

function ids(listing: Listing | undefined): unknown[] {
  return listing?.records.map(({ id }) => id) ?? [];
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
