import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Row, startFaultyService } from '../testing/services/faulty-service.ts';
import { useCommand } from '../testing/use-command.ts';

const { closing, directory, readResults, run, startService } = useCommand();
/** With it nothing is learned. */
const profile = 'default.yaml';

test('check --dry-run says what would be tried and what of it writes, and sends nothing', async () => {
  const { asked, url } = await startService();
  const some = ['check', url, '--profile', profile, '--models', 'brand', '--dry-run'];
  const dry = await run(...some);
  expect(dry).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Nothing was sent\. \d+ cases would run\./),
  });
  const line = (model: string, text = dry.stdout) =>
    new RegExp(`^${model}: (\\d+) cases, (\\d+) with writes`, 'm').exec(text)?.slice(1).map(Number);
  const [cases = 0, writing = 0] = line('brand') ?? [];
  expect(writing).toBeGreaterThan(10);
  expect(writing).toBeLessThan(cases);
  const reading = await run(...some, '--read-only');
  expect(line('brand', reading.stdout)).toEqual([cases, 0]);
  expect(asked).toEqual([]);
  await run(...some.slice(0, -1), '--json', 'r.json');
  expect(readResults('r.json').cases.filter(({ model }) => model === 'brand')).toHaveLength(cases);
});

test('--max-records caps what is made, by learning too', async () => {
  const { asked, service, url } = await startService();
  const before = await service.count();
  const flags = ['--models', 'brand', '--max-records', '6', '--json', 'r.json'];
  const { code } = await run('check', url, ...flags);
  const isCreate = ({ method, path }: (typeof asked)[number]) =>
    (method === 'POST' && /^\/api\/model\/\w+$/.test(path)) || method === 'PUT' || method === 'PATCH';
  expect(asked.filter(isCreate).length).toBeLessThanOrEqual(6);
  expect(await service.count()).toBe(before);
  const { cases } = readResults('r.json');
  const skipped = cases.filter(({ message }) =>
    message?.includes('the run reached its limit of 6 created records (--max-records)'),
  );
  expect(skipped.length).toBeGreaterThan(0);
  expect({ code, skipped: new Set(skipped.map(({ outcome }) => outcome)) }).toEqual({
    code: 0,
    skipped: new Set(['skip']),
  });
});

async function leave() {
  const service = closing(await startFaultyService());
  service.insert('brand', { name: 'of somebody else' });
  const shown = service.insert('brand', { name: 'name k3f9-1' });
  const head = {
    journal: 1,
    target: service.url,
    tag: 'k3f9',
    startedAt: '2026-01-01T00:00:00Z',
    profile: {},
  };
  const lines = [
    head,
    { create: 'brand', n: 1, sent: { name: 'name k3f9-1' } },
    { made: 1, id: shown.id, shown },
  ];
  const file = directory.write('left.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));
  return { file, brands: service.tables.brand as Map<number, Row>, id: shown.id };
}

test('clean --dry-run says what would be removed, and removes nothing; without it that is removed, and the file', async () => {
  const { brands, file, id } = await leave();
  const before = brands.size;
  const dry = await run('clean', file, '--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: `would remove brand/${id}\n` });
  expect([brands.size, existsSync(file)]).toEqual([before, true]);
  expect(await run('clean', file)).toMatchObject({ code: 0, stdout: `removed brand/${id}\n` });
  expect([brands.size, existsSync(file)]).toEqual([before - 1, false]);
  expect([...brands.values()].map(({ name }) => name)).toContain('of somebody else');
});

test('clean spares and names what has the id now, keeps the file, and exits with 1', async () => {
  const { brands, file, id } = await leave();
  brands.set(id, { ...(brands.get(id) as Row), name: 'of another run' });
  const { code, stderr, stdout } = await run('clean', file);
  expect({ code, stdout, left: existsSync(file) }).toEqual({ code: 1, stdout: '', left: true });
  expect(stderr).toBe(`brand/${id} was kept, because another client might have created it\n`);
  expect(brands.size).toBe(2);
});
