import { expect, test } from 'vitest';
import { useCommand, WITH_DEFAULTS } from '../testing/use-command.ts';
import { BARE, insert, useForeignService } from '../testing/use-foreign-service.ts';

const { read, run, startRecordingProxy } = useCommand();
const { start } = useForeignService();

/** A value of another client: short enough for a message, long enough to recognize. */
const SECRET = 'Zyxwvut & Söhne "private"';
const TEXT = 'confidential';
const REPORTS = ['json', 'har', 'html', 'junit', 'markdown'];

const RULES = ['--rule', 'fields,list,operations,create'];

type Row = Record<string, unknown>;

/** Shows every name as a list of one, so that rules about lists and retrieves fail. */
async function startFailing(change: (row: Row) => unknown) {
  const service = await start({}, ...BARE);
  const { id } = insert(service, 'warehouse', {
    name: SECRET,
    comments: `${TEXT} ${'x'.repeat(5000)} ${TEXT}`,
  });
  const { url } = await startRecordingProxy(service.url, async (asked, _, { perform }) => {
    const { body, status } = await perform(asked);
    return { status, body: body && JSON.parse(body, (_, value) => (value?.id ? change(value) : value)) };
  });
  return { id, url };
}

test.each<[string, (row: Row) => unknown]>([
  ['values of the wrong type', (row) => ({ ...row, name: [row.name] })],
  ['with a name in another case', ({ name, ...row }) => ({ ...row, Name: name })],
  ['each in an envelope', (row) => ({ item: row })],
  ['without an id', ({ id, ...row }) => row],
])('no report shows values of records that the run did not create: %s', async (_, change) => {
  const { url } = await startFailing(change);
  const files = REPORTS.flatMap((name) => [`--${name}`, `report.${name}`]);
  const some = ['--models', 'warehouse', '--seed', '7', '--tag', 'abcd'];
  const args = [...WITH_DEFAULTS, ...some, ...RULES, ...files];
  const { code, stderr, stdout } = await run('check', url, ...args);
  expect(code).toBe(1);
  const texts = {
    stdout,
    stderr,
    ...Object.fromEntries(REPORTS.map((name) => [name, read(`report.${name}`)])),
  };
  for (const [name, text] of Object.entries(texts)) {
    expect({ name, leaks: text.includes('Zyxwvut') }).toEqual({ name, leaks: false });
    expect({ name, leaks: text.includes(TEXT) }).toEqual({ name, leaks: false });
  }
  const results = read('report.json');
  expect(results).toContain('[redacted]');
  // The report shows the values that the run sent.
  expect(results).toMatch(/"name\\":\\"[^"]*abcd/);
});

test("the complete exchanges of one case show no values of other clients' records", async () => {
  const { id, url } = await startFailing((row) => ({ ...row, name: [row.name] }));
  const args = [...WITH_DEFAULTS, '--case', 'fields.type:warehouse.name'];
  const { stdout } = await run('check', url, ...args);
  expect(stdout).not.toContain('Zyxwvut');
  expect(stdout).not.toContain(TEXT);
  expect(stdout).toContain(`"id":${id},`);
});
