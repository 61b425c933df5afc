import { expect, test } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { loadContract } from '../../spec/contract.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { hintOf } from './mock.ts';

const directory = useDirectory();
const contract = loadContract();
const fixtures = { accessControlLog: [{ id: 1, deleted: true }], brand: [{ id: 1, name: 'a' }] };

/** Asks as the hint has it, with quotes as a shell reads them. */
async function follow(hint: string): Promise<Response> {
  const [curl, ...words] = [...hint.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  expect(curl).toBe('curl');
  const headers = new Headers();
  let url = '';
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const [name = '', value = ''] = (words[at + 1] ?? '').split(': ');
    if (word === '-H') headers.append(name, value);
    else if (word === '-u') headers.set('authorization', `Basic ${Buffer.from(name).toString('base64')}`);
    else url = word;
    if (word.startsWith('-')) at += 1;
  }
  return fetch(url, { headers });
}

test.each<[Record<string, string>, string?]>([
  [{ auth: 'bearer', version: 'header Label' }],
  [{ auth: 'basic', version: 'query Api-Version', 'list.paging': 'none' }],
  [{ auth: 'header Api-Token', 'response.records': '/data' }],
  [
    { auth: 'bearer' },
    '- { token: a, id: 1, expires: 2020-01-01 }\n- { token: b.c, id: 2, models: [brand] }',
  ],
  [{ auth: 'basic' }, '- { token: "ana:x y", id: 1, readOnly: true }'],
])('the printed curl command works under %j', async (settings, people) => {
  const profile = createProfile(settings, contract.catalogue);
  const users = people === undefined ? undefined : directory.write('users.yaml', people);
  await using mock = await createMock({ ...contract, profile, fixtures, users });
  const { url } = await mock.listen();
  const response = await follow(hintOf(url, { ...contract, profile }, mock.filled, users));
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"name":"a"')]);
});
