import { describe, expect, test } from 'vitest';
import { startMock, violationsOf } from '../../testing/mocks/mocks.ts';

const fixtures = new Map([['warehouse', [{ id: 1, name: 'a' }]]]);

describe('a body that can not be read', () => {
  test.each([
    ['malformed', '{"name":', 'application/json'],
    ['empty', '', 'application/json'],
    ['a list', '[]', 'application/json'],
    ['a text', '"name"', 'application/json'],
    ['null', 'null', 'application/json'],
    ['of another media type', '{"name":"a"}', 'text/plain'],
    ['a form', 'name=a', 'application/x-www-form-urlencoded'],
    ['nested without end', `{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 'application/json'],
    ['nested without end and cut off', '['.repeat(500_000), 'application/json'],
  ])('is refused when it is %s', async (_what, sent, type) => {
    const { ask } = await startMock({ 'status.unparsable': 415 }, { fixtures });
    for (const path of ['/warehouse', '/warehouse/1'])
      expect((await ask('POST', path, sent, { 'content-type': type })).status).toBe(415);
    expect((await ask('GET', '/warehouse')).body).toMatchObject([{ id: 1, name: 'a' }]);
  });

  test('is refused when it is no UTF-8 or has no type', async () => {
    const { mock } = await startMock();
    const target = '/api/model/warehouse';
    const body = Buffer.from('{"name":"\xff"}', 'latin1');
    const json = { 'content-type': 'application/json; charset=utf-8' };
    expect((await mock.answer({ method: 'POST', target, headers: json, body })).status).toBe(400);
    expect((await mock.answer({ method: 'POST', target, headers: {}, body: Buffer.from('{}') })).status).toBe(
      400,
    );
    expect((await mock.answer({ method: 'POST', target, headers: json })).status).toBe(400);
  });

  test('is refused with 413 when it is too large', async () => {
    const { ask } = await startMock({}, { bodyLimit: 100 });
    const answer = await ask('POST', '/warehouse', { name: 'a'.repeat(100) });
    expect(answer).toMatchObject({ status: 413, body: { title: 'Content Too Large' } });
    expect((await ask('POST', '/warehouse', { name: 'a'.repeat(80) })).status).toBe(201);
  });
});

describe('a hostile body', () => {
  test('with a great many mistakes gets an answer of bounded size', async () => {
    const { ask } = await startMock();
    const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, 1]));
    const answer = await ask('POST', '/warehouse', fields);
    expect(answer.status).toBe(422);
    expect(violationsOf(answer)).toHaveLength(100);
  });

  test('with a list that is too long to compare is refused', async () => {
    const { ask } = await startMock({ 'types.manyToMany': 'objects' });
    const tags = Array.from({ length: 60_000 }, (_, id) => ({ id }));
    const answer = await ask('POST', '/customer', { tags });
    expect(violationsOf(answer)).toContain('/tags must have at most 2000 items, but has 60000');
  });

  test('with long texts is checked in no time', async () => {
    const { ask } = await startMock();
    const long = 'a'.repeat(900_000);
    for (const sent of [
      { email: `a@${long}` },
      { web: `https://${long}` },
      { email: `${long}@` },
      { name: long },
    ])
      expect((await ask('POST', '/supplier', sent)).status).toBe(422);
  }, 5000);
});
