import { statSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sendJson } from '../../testing/services/http-server.ts';
import { createAt } from '../../testing/services/service.ts';
import { endWith, useCommand } from '../../testing/use-command.ts';
import { describeData } from './mock.ts';

const { directory, run, runWith, startMock, startMockProcess } = useCommand();

test('--data keeps records of a killed process, for one process at a time, in a private file', async () => {
  const modeOf = (name: string) => (statSync(directory.path(name)).mode & 0o777).toString(8);
  const first = await startMockProcess('--data', 'mock.db', '--fixtures', 'none');
  expect(first.printed).toContain('  data         mock.db: new, filled from the fixtures\n');
  expect(await createAt(first.url, 'brand', { name: 'Altura' })).toMatchObject({ id: 1 });
  expect(['mock.db', 'mock.db-wal'].map(modeOf)).toEqual(['600', '600']);
  expect(await run('mock', '--port', '0', '--data', 'mock.db')).toMatchObject({
    ...endWith(2, /^record-model: mock\.db is in use by another process\. Stop that process/),
    stdout: '',
  });
  first.child.kill('SIGKILL');
  await first.ended;
  const next = await startMock('--data', 'mock.db', '--data-sync', 'full');
  expect(next.printed).toContain('1 record\n');
  expect(next.printed).toContain(
    '  data         mock.db: existing records; fixtures apply only to new data\n',
  );
  expect(await (await fetch(`${next.url}/api/model/brand/1`)).json()).toMatchObject({ name: 'Altura' });
  next.interrupt();
  await next.ended;
  // An existing file keeps its mode.
  writeFileSync(directory.path('open.yaml'), '', { mode: 0o644 });
  await run('load', 'other.db', 'none');
  await run('dump', 'mock.db', '-o', 'club.yaml');
  await run('dump', 'mock.db', '-o', 'open.yaml');
  expect(['other.db', 'club.yaml', 'open.yaml'].map(modeOf)).toEqual(['600', '600', '644']);
});

test('RECORD_MODEL_DATA sets the place of the data, unless --data is given', async () => {
  const env = { RECORD_MODEL_DATA: 'missing/mock.db' };
  for (const [flags, message] of [
    [[], 'there is no directory missing'],
    [['--data', 'none/mock.db'], 'there is no directory none'],
    [['--watch'], 'RECORD_MODEL_DATA'],
  ] as const)
    expect(await runWith(env, 'mock', '--port', '0', ...flags)).toMatchObject(endWith(2, message));
});

test.each([
  ['postgres://u:more@s3cret@db/a', 'postgres://u@db/a'],
  ['postgresql://db/a?user=u&password=s3cret', 'postgresql://db/a'],
])('the description of %s contains no password', (place, shown) => {
  expect(describeData(place, true)).toBe(`${shown}: existing records; fixtures apply only to new data`);
});

test('a response with a delay of ten minutes does not prevent the mock from stopping', async () => {
  const { ended, interrupt, url } = await startMock('--data', 'kept.db', '--fixtures', 'none');
  await sendJson('POST', `${url}/__mock/faults`, { match: { method: 'POST' }, delay: 600_000 });
  const sent = createAt(url, 'brand', { name: 'late' }).catch((error: Error) => error);
  const faults = async () => (await fetch(`${url}/__mock/faults`)).text();
  await expect.poll(faults).toContain('"hits":1');
  interrupt();
  expect(await sent).toBeInstanceOf(Error);
  expect(await ended).toMatchObject({ code: 0, stderr: expect.not.stringMatching(/not open|Error/) });
  const again = await startMock('--data', 'kept.db', '--fixtures', 'none');
  expect(await (await fetch(`${again.url}/api/model/brand`)).json()).toEqual([]);
});
