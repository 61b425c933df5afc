import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/checks.ts';
import { useTarget } from '../../testing/proxies/use-target.ts';
import { createTarget } from '../target/target.ts';
import { createApi } from './api.ts';
import { fetchList, type Listing } from './listing.ts';

const SIZE = 100;

type Options = {
  readonly records: number;
  readonly paging?: 'offset' | 'page' | 'none';
  readonly total?: boolean;
  readonly answers?: (query: URLSearchParams) => readonly number[];
};

const { closing, listen } = useTarget();

/** Fetches the list of brands of a service. */
async function fetchFrom(
  listener: (query: URLSearchParams, response: ServerResponse) => unknown,
  settings: object,
) {
  const url = await listen((request, response) => {
    const query = new URL(request.url ?? '', 'http://service').searchParams;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(listener(query, response)));
  });
  const profile = createProfile({ ...settings }, catalogue);
  const target = closing(createTarget({ baseUrl: url }));
  return fetchList(createApi({ target, catalogue, profile: () => profile }), 'brand');
}

function fetch({ records, paging = 'offset', total = false, answers }: Options) {
  const settings = {
    'list.paging': paging === 'none' ? paging : { style: paging, default: 20, max: SIZE },
    'response.total': total ? 'header X-Total-Count' : 'none',
  };
  return fetchFrom((query, response) => {
    const start = paging === 'page' ? (Number(query.get('page')) - 1) * SIZE : Number(query.get('offset'));
    const shown = answers?.(query) ?? numbers(1, records).slice(start, start + SIZE);
    if (total) response.setHeader('x-total-count', String(records));
    return shown.map((id) => ({ id }));
  }, settings);
}

test.each([0, 1, 99, 100, 101])('all %i records of a list are fetched', async (records) => {
  const listing = await fetch({ records });
  expect([ids(listing), listing?.complete]).toEqual([numbers(1, records), true]);
});

test('if a list gives its total, the suite requests no page after the last one', async () => {
  const asked: string[] = [];
  const answers = (query: URLSearchParams) => {
    asked.push(String(query.get('offset')));
    return numbers(1, 200).slice(Number(query.get('offset')), Number(query.get('offset')) + SIZE);
  };
  const listing = await fetch({ records: 200, total: true, answers });
  expect([asked, listing?.complete]).toEqual([['0', '100'], true]);
});

test.each(['offset', 'page'] as const)(
  'if a list with paging by %s is too long, the suite reads its first and last records',
  async (paging) => {
    const listing = await fetch({ records: 5050, total: true, paging });
    expect(ids(listing)).toEqual([...numbers(1, 2000), ...numbers(4901, 5050)]);
    expect(listing?.complete).toBe(false);
  },
);

test.each(['offset', 'page'] as const)(
  'a list with paging by %s, smaller pages than requested, and no total is fetched completely',
  async (paging) => {
    const most = 40;
    const answers = (query: URLSearchParams) => {
      const at = paging === 'page' ? (Number(query.get('page')) - 1) * most : Number(query.get('offset'));
      return numbers(1, 90).slice(at, at + most);
    };
    const listing = await fetch({ records: 90, paging, answers });
    expect([ids(listing), listing?.complete]).toEqual([numbers(1, 90), true]);
  },
);

test.each([
  ['a full page', 5050, 100, false, false],
  ['all records at once', 250, 250, false, true],
  ['a page of the default size', 300, 20, false, false],
  ['fewer records than its total', 300, 30, true, false],
])(
  'if a service ignores the paging parameters and shows %s, each record is listed once',
  async (_, records, shown, total, complete) => {
    const listing = await fetch({ records, total, answers: () => numbers(1, shown) });
    expect([ids(listing), listing?.complete]).toEqual([numbers(1, shown), complete]);
  },
);

test('a list whose total counts hidden records is complete if a shorter page repeats records', async () => {
  const isShown = (id: number) => id % 4 !== 0;
  const answers = (query: URLSearchParams) =>
    numbers(1, 40)
      .slice(Number(query.get('offset')))
      .filter(isShown);
  const listing = await fetch({ records: 40, total: true, answers });
  expect(ids(listing)).toEqual(numbers(1, 40).filter(isShown));
  expect(listing?.complete).toBe(true);
  expect(listing?.onePage).toBe(false);
});

test.each([
  [30, true, false],
  [30, false, true],
  [300, true, true],
])(
  'a list without pages, with %i of 300 records and a total (%s), is complete: %s',
  async (shown, total, complete) => {
    const listing = await fetch({ records: 300, paging: 'none', total, answers: () => numbers(1, shown) });
    expect(listing).toMatchObject({ complete, onePage: true });
  },
);

test.each(['Link', 'address', 'cursor'])(
  'in a list with an unknown paging style, the suite follows the next page by its %s',
  async (way) => {
    const listing = await fetchFrom(
      (query, response) => {
        const start = Number(query.get('after') ?? query.get('cursor') ?? 0);
        const next = start + 20 < 50 ? start + 20 : undefined;
        const address = `http://elsewhere/brand?after=${next}`;
        if (next !== undefined && way === 'Link') response.setHeader('link', `<${address}>; rel="next"`);
        const shown = { Link: null, address, cursor: String(next) }[way];
        const items = numbers(start + 1, Math.min(start + 20, 50)).map((id) => ({ id }));
        return { items, next: next === undefined ? null : shown };
      },
      { 'list.paging': 'unknown', 'response.records': '/items' },
    );
    expect([ids(listing), listing?.complete]).toEqual([numbers(1, 50), true]);
  },
);

test('a list whose cursor leads to itself is complete if it shows as many records as its total', async () => {
  const settings = { 'response.total': 'header X-Total-Count', 'response.records': '/items' };
  const listing = await fetchFrom(
    (_, response) => {
      response.setHeader('x-total-count', '20');
      return { items: numbers(1, 20).map((id) => ({ id })), nextCursor: 'x' };
    },
    { 'list.paging': 'unknown', ...settings },
  );
  expect(listing?.complete).toBe(true);
});

function ids(listing: Listing | undefined): unknown[] {
  return listing?.records.map(({ id }) => id) ?? [];
}

function numbers(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
