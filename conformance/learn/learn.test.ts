import { describe, expect, it } from 'vitest';
import { loadFixtures } from '../../fixtures/fixtures.ts';
import { listen } from '../../mock/http/server.ts';
import { createMock } from '../../mock/mock.ts';
import { createProfile, DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import {
  differences,
  HIDDEN,
  HIDDEN_BY_DEMO,
  HIDDEN_BY_EMPTINESS,
} from '../../testing/profile/learned-differences.ts';
import {
  catalogue,
  credentialsOf,
  observe,
  observeMock,
  references,
} from '../../testing/profile/learning.ts';
import { coverProfiles } from '../../testing/profile/profile-cover.ts';
import { TINY_DIALECTS } from '../../testing/reference-service/dialects.ts';
import { startReferenceService } from '../../testing/reference-service/reference-service.ts';
import { runSuite } from '../run.ts';
import { createTarget } from '../target/target.ts';

/** Those that differ most from the default profile; the proof (`bench/prove`) tries them all. */
const profiles = coverProfiles(catalogue).slice(0, 3);
const numbered = profiles.map((profile, index) => [index, profile] as const);

describe('learning from the mock', () => {
  it('finds the default profile', async () => {
    const { learned } = await observeMock(DEFAULT_PROFILE, 'demo');
    expect(differences(learned, DEFAULT_PROFILE, [...HIDDEN, ...HIDDEN_BY_DEMO])).toEqual([]);
    expect(learned.profile).toEqual(DEFAULT_PROFILE);
    expect(learned.leftovers).toEqual([]);
    expect(learned.doubt).toBeUndefined();
  });

  it.each(numbered.slice(1))('finds every observable setting of covering profile %i', async (_, profile) => {
    const { learned, sent } = await observeMock(profile, 'demo');
    expect(differences(learned, profile, [...HIDDEN, ...HIDDEN_BY_DEMO])).toEqual([]);
    expect(learned.leftovers).toEqual([]);
    expect(sent.length).toBeLessThan(300);
    expect(learned.requests).toBe(sent.length);
  });

  it.each(numbered.slice(1))(
    'finds every observable setting of covering profile %i without records',
    async (_, profile) => {
      const { learned, sent } = await observeMock(profile, 'none');
      expect(differences(learned, profile, [...HIDDEN, ...HIDDEN_BY_EMPTINESS])).toEqual([]);
      expect(learned.leftovers).toEqual([]);
      expect(sent.length).toBeLessThan(400);
    },
  );

  it('takes the values that records show for no list where the refusal does not name it', async () => {
    const values = { 'customer.language': ['es', 'en', 'ca'] };
    const named = await observeMock(createProfile({ values }, catalogue), 'demo');
    expect(named.learned.profile.values).toEqual(values);
    const silent = await observeMock(createProfile({ values, 'errors.form': 'empty' }, catalogue), 'demo');
    expect(silent.learned.settings.get('values')).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(
        /^POST \S+ answered 422, which does not name the values of customer\.language; records show e\w, e\w/,
      ),
    });
  });

  it('leaves a service as it was', async () => {
    const profile = createProfile({ delete: { effect: 'remove' } }, catalogue);
    const mock = await createMock({ catalogue, references, profile, fixtures: loadFixtures('demo') });
    const server = await listen(mock, { port: 0, host: '127.0.0.1' });
    const lists = () =>
      Promise.all(
        [...catalogue.models.keys()].map(async (name) =>
          (await mock.fetch(new Request(`http://mock${catalogue.base}/${name}?limit=500`))).text(),
        ),
      );
    const before = await lists();
    await observe({ baseUrl: server.url });
    expect(await lists()).toEqual(before);
    await server.close();
  });

  it('sends the same requests for the same seed', async () => {
    const [one, other] = [
      await observeMock(DEFAULT_PROFILE, 'demo'),
      await observeMock(DEFAULT_PROFILE, 'demo'),
    ];
    const inOrder = ({ sent }: typeof one) =>
      sent.map(({ method, path, query, body }) => [method, path, query, body]);
    expect(inOrder(one)).toEqual(inOrder(other));
  });

  it.each([
    [1, 'offset', 'demo', true],
    [2, 'page', 'demo', false],
    [2, 'page', 'none', true],
    [3, 'page', 'demo', false],
  ] as const)(
    'finds a default size of %i, paging by %s, with records %s',
    async (size, paging, records, write) => {
      const profile = createProfile({ list: { defaultSize: size, paging } }, catalogue);
      const { learned } = await observeMock(profile, records, { write });
      const wrong = differences(learned, profile, []).filter((text) => text.startsWith('list.'));
      // No list has as many records as the greatest size.
      expect(wrong).toEqual([expect.stringMatching(/^list\.maxSize is 500; learned unknown/)]);
    },
  );

  it('does not take the records it made meanwhile for the rest of a list', async () => {
    const profile = createProfile({ delete: { listed: true } }, catalogue);
    const mock = await createMock({ catalogue, references, profile });
    const server = await listen(mock, { port: 0, host: '127.0.0.1' });
    for (const _ of ['first', 'second']) {
      const { learned } = await observe({ baseUrl: server.url });
      for (const size of ['list.defaultSize', 'list.maxSize'] as const)
        expect(learned.settings.get(size)).toMatchObject({
          kind: 'unknown',
          reason: expect.stringContaining('all shown'),
        });
    }
    await server.close();
  });

  it('uses the ids that are given for things outside the catalogue', async () => {
    const { sent } = await observeMock(DEFAULT_PROFILE, 'none', { bindings: new Map([['product', [77]]]) });
    const products = sent.flatMap(({ body }) => /"product":(\d+)/.exec(body ?? '')?.[1] ?? []);
    expect(new Set(products)).toEqual(new Set(['77']));
  });

  it('stops when it is told to, and removes what it made', async () => {
    const stop = new AbortController();
    const { learned } = await observeMock(DEFAULT_PROFILE, 'demo', {
      signal: stop.signal,
      onProgress: ({ settings }) => {
        if (settings.includes('request.update')) stop.abort();
      },
    });
    expect(learned.leftovers).toEqual([]);
    expect(learned.settings.get('request.update')).toMatchObject({ kind: 'found', value: 'partial' });
    expect(learned.settings.get('transitions')).toMatchObject({ kind: 'unknown' });
  });
});

describe('learning without writing', () => {
  it.each(numbered.slice(1))(
    'sends nothing but GET, and finds nothing wrong, under covering profile %i',
    async (_, profile) => {
      const { learned, sent } = await observeMock(profile, 'demo', { write: false });
      expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
      const wrong = differences(learned, profile, [...HIDDEN, ...HIDDEN_BY_DEMO]).filter(
        (text) => !text.includes('unknown'),
      );
      expect(wrong).toEqual([]);
    },
  );

  it('finds what lists and records show', async () => {
    const { learned } = await observeMock(DEFAULT_PROFILE, 'demo', { write: false });
    const unknown = [...learned.settings].flatMap(([name, { kind }]) => (kind === 'unknown' ? name : []));
    expect(unknown.filter((name) => /^(response|types|auth|version)\./.test(name))).toEqual([]);
    expect(learned.settings.get('list.paging')).toMatchObject({ kind: 'found', value: 'offset' });
    expect(learned.settings.get('status.created')).toEqual({
      kind: 'unknown',
      reason: 'it shows only where records may be written',
    });
  });

  it('finds what a delete does where lists show deleted records', async () => {
    const profile = createProfile({ delete: { listed: true, readable: false } }, catalogue);
    const { learned } = await observeMock(profile, 'demo', { write: false });
    expect(differences(learned, profile, [])).not.toContainEqual(
      expect.stringMatching(/^delete\.(effect|listed|readable)/),
    );
  });

  it('does not take a query parameter that is ignored for a field', async () => {
    const profile = createProfile({ request: { unknownFields: 'ignore' } }, catalogue);
    const { learned } = await observeMock(profile, 'demo', { write: false });
    expect(learned.settings.get('request.unknownFields')).toEqual({
      kind: 'unknown',
      reason: expect.stringMatching(/^GET \S+ with a query parameter .* answered 200; .* of a body/),
    });
  });

  it('does not tell cents from whole amounts', async () => {
    const profile = createProfile({ 'types.currency': 'minor' }, catalogue);
    const { learned } = await observeMock(profile, 'demo', { write: false });
    expect(learned.settings.get('types.currency')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('look alike under number and minor'),
    });
  });

  it('finds nothing of a service without records that only writing would show', async () => {
    const { learned, sent } = await observeMock(DEFAULT_PROFILE, 'none', { write: false });
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(learned.settings.get('response.records')).toMatchObject({ kind: 'found', value: '' });
    expect(learned.settings.get('types.currency')).toMatchObject({ kind: 'unknown' });
    expect(learned.profile).toEqual(DEFAULT_PROFILE);
  });
});

describe('a learned profile', () => {
  const profile = profiles[1] ?? DEFAULT_PROFILE;

  it('makes the suite pass', async () => {
    const mock = await createMock({ catalogue, references, profile, fixtures: loadFixtures('demo') });
    const server = await listen(mock, { port: 0, host: '127.0.0.1' });
    const options = { baseUrl: server.url, credentials: credentialsOf(profile) };
    const { learned } = await observe(options);
    const target = createTarget(options);
    const selection = { models: ['brand', 'relationship', 'voucherType', 'stockOrder'] };
    const bad: string[] = [];
    for await (const event of runSuite({
      catalogue,
      references,
      selection,
      target,
      profile: learned.profile,
      profileName: 'learned',
    }))
      if (event.type === 'end')
        for (const { id, outcome, message } of event.results.cases)
          if (outcome !== 'pass' && outcome !== 'skip') bad.push(`${outcome} ${id}: ${message}`);
    expect(bad).toEqual([]);
    await target.close();
    await server.close();
  });

  it('makes the mock answer like the service', async () => {
    const { learned } = await observeMock(profile, 'demo');
    const clock = () => new Date('2025-10-22T09:30:00Z');
    const [service, mock] = await Promise.all(
      [profile, learned.profile].map((spoken) =>
        createMock({ catalogue, references, profile: spoken, fixtures: loadFixtures('demo'), clock }),
      ),
    );
    const headers = { ...credentialsOf(profile), [profile['version.name']]: catalogue.version };
    const asked: [string, RequestInit][] = [
      ['voucher', {}],
      ['voucherTransaction', {}],
      ['customer/1', {}],
      ['stockOrder/1', {}],
      ['brand/99', {}],
      ['brandd', {}],
      ['brand/1', { method: 'PATCH' }],
      [
        'brand',
        { method: 'POST', body: '{"name":"Ñandú"}', headers: { 'content-type': 'application/json' } },
      ],
      ['brand', { method: 'POST', body: '{"id":7}', headers: { 'content-type': 'application/json' } }],
      ['brand', { method: 'POST', body: 'x' }],
      ['relationship/1', { method: 'DELETE' }],
    ];
    for (const [path, init] of asked) {
      const request = () =>
        new Request(`http://mock${catalogue.base}/${path}`, {
          ...init,
          headers: { ...headers, ...(init.headers as Record<string, string>) },
        });
      const [one, other] = [await service?.fetch(request()), await mock?.fetch(request())];
      expect([path, other?.status, await other?.text()]).toEqual([path, one?.status, await one?.text()]);
    }
  });
});

describe('learning from a second implementation', () => {
  it.each(Object.entries(TINY_DIALECTS))(
    'finds every observable setting of its dialect %s',
    async (_, settings) => {
      const profile = createProfile(settings, catalogue);
      const service = await startReferenceService({ catalogue, references, settings });
      const before = service.count();
      const auth = profile['auth.scheme'];
      const options = { baseUrl: service.url, credentials: service.credentials };
      // Its 401 names no scheme, so that it matters how the credentials were given.
      const { learned, sent } = await observe(options, auth === 'none' ? {} : { credentials: auth });
      expect(differences(learned, profile, [...HIDDEN, ...HIDDEN_BY_EMPTINESS])).toEqual([]);
      expect(learned.leftovers).toEqual([]);
      expect(service.count()).toBe(before);
      expect(sent.length).toBeLessThan(400);
      await service.close();
    },
  );
});
