import { expect, test } from 'vitest';
import { type Asked, type Reply, startRecordingProxy } from '../../../testing/proxies/recording-proxy.ts';
import { startPlain } from '../../../testing/services/plain/plain.ts';
import { learnAndCheck, useForeignService } from '../../../testing/use-foreign-service.ts';

const { closing } = useForeignService();

/** An answer to one request that has nothing to do with it. */
const ODD = { status: 200, body: [] };
const REDIRECT = { status: 302, headers: { location: 'http://127.0.0.1:1/' } };
const ANOTHER = { status: 200, body: { id: 1, name: 'another' } };

type Odd = (asked: Asked, perform: () => Promise<unknown>) => Promise<Reply | undefined> | Reply | undefined;

/** Remembers which requests were seen. */
function times() {
  const seen = new Map<string, number>();
  return (key: string): number => {
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return seen.get(key) ?? 0;
  };
}

test.each<[what: string, model: string, make: () => Odd]>([
  [
    'a create shows the ID of another record, and a list nothing',
    'brand',
    () => {
      const count = times();
      return ({ method, path }) => {
        if (!path.startsWith('/api/model/brand')) return undefined;
        if (method === 'GET' && path === '/api/model/brand' && count('list') === 1) return ODD;
        return method === 'POST' && count('create') === 1 ? ANOTHER : undefined;
      };
    },
  ],
  [
    'an update is done without an answer, and the delete after it only seems to be',
    'locker',
    () => {
      const count = times();
      let unanswered = '';
      return async ({ method, path }, perform) => {
        if (!/locker\/\d/.test(path)) return undefined;
        if (method === 'POST' && count('update') === 30) {
          unanswered = path;
          await perform();
          return REDIRECT;
        }
        return method === 'DELETE' && path === unanswered && count(path) === 1 ? ODD : undefined;
      };
    },
  ],
  ...([REDIRECT, ANOTHER] as const).map((look): [string, string, () => Odd] => [
    `a delete only seems to be done, and the look after it shows ${look === REDIRECT ? 'a redirect' : 'another record'}`,
    'locker',
    () => {
      const count = times();
      let unclear = '';
      return ({ method, path }) => {
        if (!/locker\/\d/.test(path)) return undefined;
        if (method === 'DELETE' && count('delete') === 30) {
          unclear = path;
          return ODD;
        }
        return method === 'GET' && path === unclear && count(path) === 1 ? look : undefined;
      };
    },
  ]),
  [
    'the first look at a parent shows another record',
    'stockOrder',
    () => {
      const count = times();
      return ({ method, path }) =>
        method === 'GET' && /stockOrder\/\d/.test(path) && count(path) === 1 ? ANOTHER : undefined;
    },
  ],
])('nothing is lost, and all that is left is named, where %s', async (_, model, make) => {
  const service = closing(await startPlain());
  const odd = make();
  const { url, close } = await startRecordingProxy(service.url, (asked) =>
    odd(asked, () =>
      fetch(service.url + asked.path, {
        method: asked.method,
        headers: { 'content-type': 'application/json' },
        body: asked.body,
      }),
    ),
  );
  const before = service.live();
  try {
    const { leftovers } = await learnAndCheck(url, { models: [model] });
    const after = service.live();
    expect(before.filter((record) => !after.includes(record))).toEqual([]);
    const left = after.filter((record) => !before.includes(record));
    expect(left.filter((record) => !leftovers.includes(record))).toEqual([]);
  } finally {
    await close();
  }
});
