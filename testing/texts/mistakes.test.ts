import { expect, test } from 'vitest';
import { loadBindings } from '../../conformance/records/links.ts';
import { loadBaseline } from '../../conformance/results/compose-results.ts';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { readFaultFile } from '../../mock/control/faults/fault-rule.ts';
import { readUsers } from '../../mock/users/users.ts';
import { createProfile, loadProfile } from '../../spec/profile/profile.ts';
import { catalogue, references } from '../checks.ts';
import { serveMock } from '../mocks/control.ts';
import { useDirectory } from '../temporary-directory.ts';

const directory = useDirectory();
const profile = createProfile({ auth: 'bearer' }, catalogue);
const contract = { catalogue, profile, references };

/** Files with several mistakes, and what reads each. */
const FILES: Readonly<Record<string, readonly [text: string, read: (path: string) => unknown]>> = {
  'profile.yaml': [
    'delete: { efect: mark }\nstatus: { created: 404, updated: 204 }\nlist: { sort: upwards }\n',
    (path) => loadProfile(path, catalogue),
  ],
  'names.yaml': [
    'list.paging: { style: offset, default: 90, max: 10, size: n, from: n }\n',
    (path) => loadProfile(path, catalogue),
  ],
  'users.yaml': [
    '- { token: a, id: 1, models: [brnd, stok] }\n- { token: a b, id: 2 }\n- { token: c, id: 3, expires: later }\n',
    (path) => readUsers(path, contract),
  ],
  'user-keys.yaml': ['- { tokn: a, id: 1 }\n- { token: b, id: x }\n', (path) => readUsers(path, contract)],
  'faults.yaml': [
    '- { status: 42 }\n- { match: { model: brand } }\n- { stat: 500 }\n',
    (path) => readFaultFile(path, catalogue),
  ],
  'bindings.yaml': ['prodct: [1]\nproduct: []\n', (path) => loadBindings(path, catalogue, references)],
  'baseline.yaml': [
    '- { case: a, reason: "", until: 2026-03-31 }\n- { case: b, reason: r, until: 2026-02-30 }\n- { case: b, reason: r, until: 2026-03-31 }\n',
    (path) => loadBaseline(path),
  ],
  'fixtures.yaml': ['brand: 1\ncustomer: [2]\n', (path) => loadFixtures(path)],
  'malformed.yaml': ['a: 1\na: 2\nb: [\n', (path) => loadProfile(path, catalogue)],
};

/** Mistakes in requests to the control API. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', '/__mock/reqests'],
  ['PUT', '/__mock/reset'],
  ['GET', '/__mock/requests?mehtod=POST'],
  ['GET', '/__mock/requests?status=ok'],
  ['GET', '/__mock/state?models=brnd'],
  [
    'PUT',
    '/__mock/state',
    {
      brnd: [],
      brand: [
        { id: 0, name: 'a' },
        { id: 2, nam: 'b' },
      ],
    },
  ],
  ['POST', '/__mock/faults', {}],
  ['DELETE', '/__mock/faults/7'],
  ['POST', '/__mock/snapshots/none/restore'],
  ['DELETE', '/__mock/sessions/none'],
  ['PUT', '/__mock/clock', { now: 'soon' }],
];

function complaintOf(name: string): string {
  const [text, read] = FILES[name] ?? ['', () => undefined];
  const path = directory.write(name, text);
  try {
    read(path);
  } catch (error) {
    return (error as Error).message.replaceAll(/\S*\/(?=[a-z-]+\.yaml)/g, '');
  }
  return 'no complaint';
}

test('mistakes.txt shows what common mistakes lead to', async () => {
  await using served = await serveMock();
  const { ask } = served;
  const files = Object.entries(FILES).map(([name, [text]]) => {
    const complaint = complaintOf(name);
    // A file with several mistakes reports all of them.
    expect(complaint.split('\n').length, name).toBeGreaterThan(1);
    return `# ${name}\n${text}${indent(complaint)}`;
  });
  const requests: string[] = [];
  for (const [method, path, body] of REQUESTS) {
    const answer = await ask(method, path, body);
    const sent = body === undefined ? '' : ` ${JSON.stringify(body)}`;
    requests.push(`# ${method} ${path}${sent}\n${indent(`${answer.status} ${answer.body.detail}`)}`);
  }
  await expect(
    `${[...files, ...requests].join('\n\n')}\n`,
    'An error changed. Read it in the difference, then run: npx vitest run testing/texts --update',
  ).toMatchFileSnapshot('mistakes.txt');
});

test('a file reports up to 20 mistakes, and the number of the others', () => {
  const path = directory.write('many.yaml', Array.from({ length: 25 }, (_, at) => `x${at}: 1\n`).join(''));
  expect(() => loadProfile(path, catalogue)).toThrow(/x19"[^\n]*\nThere are 5 more mistakes\.$/);
});

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
