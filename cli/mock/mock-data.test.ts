import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useCommand } from '../../testing/use-command.ts';

const { directory, run, startMock } = useCommand();

test('--data keeps what was written, though the process is killed, and is used by one at a time', async () => {
  const first = await startMock('--data', 'mock.db', '--fixtures', 'none');
  expect(first.printed).toContain('  data mock.db: new, filled with the fixtures\n');
  const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"name":"Altura"}' };
  expect(await (await fetch(`${first.url}/api/model/brand`, sent)).json()).toMatchObject({ id: 1 });
  expect(await run('mock', '--port', '0', '--data', 'mock.db')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^record-model: mock\.db is in use by another process; expected it alone/),
  });
  first.child.kill('SIGKILL');
  await first.ended;
  const next = await startMock('--data', 'mock.db', '--data-sync', 'full');
  expect(next.printed).toContain('1 record\n');
  expect(next.printed).toContain('  data mock.db: as it was left; fixtures fill a new one alone\n');
  expect(await (await fetch(`${next.url}/api/model/brand/1`)).json()).toMatchObject({ name: 'Altura' });
});

test('--data that can not be used exits with 2 and says the way out', async () => {
  writeFileSync(directory.path('text.db'), 'hello');
  const tries: [string[], RegExp][] = [
    [
      ['--data', 'text.db'],
      /text\.db is no database of SQLite; expected one that the mock made, or a new file/,
    ],
    [['--data', 'no/mock.db'], /no\/mock\.db: there is no directory no; expected one that is there/],
    [['--data-sync', 'full'], /--data-sync is given without a file; expected --data with the path of one/],
    [['--data', 'a.db', '--watch'], /--watch and --data are both given; expected one/],
  ];
  for (const [flags, message] of tries)
    expect(await run('mock', '--port', '0', ...flags)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
});
