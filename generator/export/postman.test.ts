import { describe, expect, it } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { SOURCE } from '../../testing/source-facts.ts';
import { exportContract } from './export.ts';

type Item = {
  name: string;
  request: {
    method: string;
    url: { raw: string };
    header: object[];
    body?: { raw?: string; urlencoded?: object[] };
  };
  event: { script: { exec: string[] } }[];
};
type Collection = { item: { name: string; item: Item[] }[]; variable: { key: string }[]; auth?: object };

const contract = loadContract();

async function read(settings: Record<string, unknown> = {}, models?: string[]): Promise<Collection> {
  const profile = createProfile(settings, contract.catalogue);
  const options = models ? { selection: { models } } : {};
  return JSON.parse(await exportContract('postman', { ...contract, profile }, options));
}

// `npm run consumers` sends it with newman.
describe('the collection of the contract', () => {
  it.each([
    [{}, []],
    // A line and its order ask for each other.
    [
      { 'types.lines': 'ids' },
      ['Create a stock order line: stockOrderId', 'Update a stock order line: stockOrderId'],
    ],
  ])('makes what records refer to before them, under %j', async (settings, circular) => {
    const { item: folders, variable } = await read(settings);
    const requests = folders.flatMap(({ item }) => item);
    expect(requests).toHaveLength(SOURCE.totals.operations);
    const known = new Set(variable.map(({ key }) => key));
    const set = new Set<string>();
    const early: string[] = [];
    for (const { event, name, request } of requests) {
      for (const [, used = ''] of JSON.stringify(request.body ?? '').matchAll(/\{\{(\w+)\}\}/g)) {
        expect(known).toContain(used);
        if (!set.has(used)) early.push(`${name}: ${used}`);
      }
      const [, sets] = /set\('(\w+)'/.exec(event[0]?.script.exec.join('') ?? '') ?? [];
      if (sets) set.add(sets);
    }
    expect(early).toEqual(circular);
  });

  it('deletes last, and lines before the record they stand in', async () => {
    for (const settings of [{}, { 'types.lines': 'ids' }]) {
      const { item: folders } = await read(settings);
      const last = folders.at(-1);
      expect(last?.item.every(({ request }) => request.method === 'DELETE')).toBe(true);
      const before = folders.slice(0, -1).flatMap(({ item }) => item);
      expect(before.some(({ request }) => request.method === 'DELETE')).toBe(false);
      const names = last?.item.map(({ name }) => name) ?? [];
      const line = names.indexOf('Delete a stock order line');
      expect(line).toBeGreaterThan(-1);
      expect(line).toBeLessThan(names.indexOf('Delete a stock order'));
    }
  });

  it('speaks the encoding, the version and the credentials of the profile', async () => {
    const settings = {
      'request.encoding': 'form',
      auth: 'header x-key',
      version: 'header x-version',
      'response.record': '/data',
    };
    const collection = await read(settings, ['stockOrder']);
    const [line, order] = collection.item;
    expect([line?.name, order?.name].toSorted()).toEqual(['stockOrder', 'stockOrderLine']);
    const create = [line, order].find((one) => one?.name === 'stockOrder')?.item[0];
    expect(create?.request.header).toContainEqual({ key: 'x-version', value: '2025-10-22' });
    expect(create?.request.body?.urlencoded).toContainEqual({
      key: 'lines[0][grossUnitCost]',
      value: '1.75',
      type: 'text',
    });
    expect(create?.event[0]?.script.exec.join()).toContain('pm.response.json()?.["data"]?.id');
    expect(JSON.stringify(collection.auth)).toContain('x-key');
  });

  it('names ids in the form of the profile', async () => {
    const bodies = async (settings: Record<string, unknown>) => {
      const { item } = await read(settings, ['customer', 'customerTag']);
      return item.flatMap((folder) => folder.item).map(({ request }) => request.body?.raw ?? '');
    };
    const alone = /"tags": \[\s*\{\{customerTagId\}\}\s*\]/;
    const inObject = /"tags": \[\s*\{\s*"id": \{\{customerTagId\}\}\s*\}\s*\]/;
    expect((await bodies({})).filter((body) => alone.test(body))).not.toEqual([]);
    const objects = await bodies({ 'types.manyToMany': 'objects' });
    expect(objects.filter((body) => inObject.test(body))).not.toEqual([]);
  });
});
