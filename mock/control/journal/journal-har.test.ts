import { describe, expect, test } from 'vitest';
import type { HarFile } from '../../../spec/wire/har.ts';
import { serveMock } from '../../../testing/mocks/control.ts';
import { few, references } from '../../../testing/mocks/mocks.ts';
import { connectMock } from '../../adapters/remote.ts';

const LIST = '/api/model/warehouse';
const SECRET = 'hunter2-secret';

type Writable<Value> = Value extends readonly (infer Item)[]
  ? Writable<Item>[]
  : Value extends object
    ? { -readonly [Name in keyof Value]: Writable<Value[Name]> }
    : Value;

async function serveSome() {
  const started = await serveMock({
    catalogue: few,
    references,
    fixtures: new Map(),
    now: '2030-01-02T03:04:05Z',
  });
  await started.ask(
    'POST',
    `${LIST}?token=${SECRET}`,
    { name: 'Norte', password: SECRET },
    { 'x-api-key': SECRET },
  );
  await started.ask('POST', LIST, { name: 'Norte' }, { 'x-mock-session': 'a' });
  await started.mock.fault({ drop: 'before', times: 1 });
  await started.ask('GET', LIST).catch(() => undefined);
  return started;
}

describe('the HTTP archive of the request log', () => {
  test('has each request and response, without secrets', async () => {
    await using started = await serveSome();
    const { body, headers, status } = await started.ask<HarFile>('GET', '/__mock/requests/har');
    // The types of the format itself.
    const { log } = JSON.parse(JSON.stringify(body)) as Writable<HarFile>;
    expect(status).toBe(200);
    expect(headers['content-disposition']).toBe('attachment; filename="requests.har"');
    expect([log.version, log.creator.name]).toEqual(['1.2', 'record-model-contract']);
    expect(JSON.stringify(log)).not.toContain(SECRET);
    const [created, dropped] = log.entries;
    expect(log.entries).toHaveLength(2);
    expect(created).toMatchObject({
      startedDateTime: expect.stringMatching(/^2030-01-02T03:04:05\.\d{3}Z$/),
      comment: 'Session default.',
      request: {
        method: 'POST',
        url: `${started.url}${LIST}?token=%5Bredacted%5D`,
        queryString: [{ name: 'token', value: '[redacted]' }],
        postData: { mimeType: 'application/json', text: '{"name":"Norte","password":"[redacted]"}' },
      },
      response: { status: 422, statusText: 'Unprocessable Entity' },
    });
    expect(created?.time).toBe(created?.timings.wait);
    expect(created?.request.headers).toContainEqual({ name: 'x-api-key', value: '[redacted]' });
    expect(created?.response.content.size).toBe(Buffer.byteLength(created?.response.content.text ?? ''));
    expect(dropped).toMatchObject({ comment: 'Session default, fault 1.', response: { status: 0 } });
  });

  test('is filtered like the list, for one session or all, in the process, and remote', async () => {
    await using started = await serveSome();
    const [near, far] = [started.mock.session('a'), connectMock(started.url).session('a')];
    const har = await near.har({ operation: 'createWarehouse' }, { sessions: 'all' });
    expect(har.log.entries.map(({ comment }) => comment)).toEqual(['Session default.', 'Session a.']);
    expect(await far.har({ operation: 'createWarehouse' }, { sessions: 'all' })).toEqual(har);
    expect((await far.har()).log.entries.map(({ response }) => response.status)).toEqual([201]);
    expect((await far.har({}, { sessions: 'all', limit: 1 })).log.entries).toHaveLength(1);
    const wrong = await started.ask('GET', '/__mock/requests/har?operation=createWarehous');
    expect([wrong.status, wrong.body.detail]).toEqual([422, expect.stringContaining('createWarehouse')]);
  });
});
