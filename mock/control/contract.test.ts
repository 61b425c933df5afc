import { expect, test } from 'vitest';
import { loadContract } from '../../spec/contract.ts';
import { describeContract } from '../../spec/meta/meta.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { serveMock } from '../../testing/mocks/control.ts';
import { connectMock } from '../adapters/remote.ts';

test('the facts of the contract are the same over HTTP, in the process, and remote', async () => {
  const contract = loadContract();
  const profile = createProfile({ limits: { text: 80 }, 'delete.effect': 'remove' }, contract.catalogue);
  await using served = await serveMock({ profile });
  const facts = JSON.parse(JSON.stringify(describeContract({ ...contract, profile })));
  expect((await served.ask('GET', '/__mock/contract')).body).toEqual(facts);
  expect(await served.mock.session('a').contract()).toEqual(facts);
  expect(await connectMock(served.url).session('a').contract()).toEqual(facts);
  expect(facts.models.brand.fields.at(-1)).toMatchObject({ name: 'name', maxLength: 80 });
  expect(facts.profile.find(({ setting }: { setting: string }) => setting === 'limits.text').value).toBe(80);
});
