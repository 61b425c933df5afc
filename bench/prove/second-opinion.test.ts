import { expect, test } from 'vitest';
import { decorateWith, parseDefect } from '../../mock/defects/defects.ts';
import { createMock } from '../../mock/mock.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { demo } from '../../testing/demo.ts';
import { catalogue, references } from '../../testing/mocks/mocks.ts';
import { createSecondOpinion } from './second-opinion.ts';

const contract = { catalogue, references, profile: DEFAULT_PROFILE };

/** Creates, retrieves, updates, and lists a brand. Returns the complaints of the second opinion. */
async function complaintsWith(name?: string): Promise<string[]> {
  const mock = await createMock({ ...contract, fixtures: demo });
  const placed = name === undefined ? undefined : parseDefect(`${name}:brand.name`, contract);
  const faulty = await mock.fork(placed && decorateWith(placed, contract));
  const { answer, complaints } = createSecondOpinion(faulty, catalogue);
  const send = async (method: string, path: string, sent?: object) => {
    const body = sent && Buffer.from(JSON.stringify(sent));
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    return answer({ method, target: `${catalogue.base}/${path}`, headers, ...(body ? { body } : {}) });
  };
  const { id } = JSON.parse(String((await send('POST', 'brand', { name: 'Olive' })).body));
  await send('GET', `brand/${id}`);
  await send('POST', `brand/${id}`, { name: 'Lemon' });
  await send('GET', `brand/${id}`);
  await send('GET', 'brand');
  return [...complaints];
}

test.each([
  [undefined, []],
  ['create.drops-field', ['brand.name']],
  ['update.ignores-field', ['brand.name']],
  ['fields.wrong-type', ['brand.name']],
] as const)('the second opinion of a service with %s names its field', async (defect, fields) => {
  expect(await complaintsWith(defect)).toEqual(fields);
});
