import { expect, it } from 'vitest';
import { createMock } from '../../mock/mock.ts';
import { createProfile } from '../../spec/profile/profile.ts';
import { catalogue, few, references } from '../../testing/mocks/mocks.ts';
import { generateDocument } from '../generate.ts';

it('asks for a form only where a field is required: one without fields is an empty body', async () => {
  const profile = createProfile({ 'request.encoding': 'form' }, catalogue);
  const contract = { catalogue: few, profile, references };
  const { paths } = generateDocument(contract);
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await using mock = await createMock({ ...contract, requestLog: 0 });
  const asks = (name: string) => {
    const body = paths[`/api/model/${name}`]?.post?.requestBody;
    return body && 'required' in body && body.required;
  };
  const statusOf = async (name: string) => {
    const request = new Request(`http://mock/api/model/${name}`, { method: 'POST', headers, body: '' });
    return (await mock.fetch(request)).status;
  };
  expect([asks('warehouse'), await statusOf('warehouse')]).toEqual([true, 422]);
  expect([asks('stockDelivery'), await statusOf('stockDelivery')]).toEqual([false, 201]);
});
