import { describe, expect, it } from 'vitest';
import { createProfile, DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import { catalogue, FEW, observeMock } from '../../testing/profile/learning.ts';

describe('learning without writing', () => {
  it('finds what lists and records show', async () => {
    const { learned, sent } = await observeMock(DEFAULT_PROFILE, 'demo', { write: false });
    expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(['GET']));
    const unknown = [...learned.settings].flatMap(([name, { kind }]) => (kind === 'unknown' ? name : []));
    expect(unknown.filter((name) => /^(response|types|auth|version)\./.test(name))).toEqual([]);
    expect(learned.settings.get('list.paging')).toMatchObject({
      kind: 'found',
      value: { style: 'offset' },
    });
    expect(learned.settings.get('status.created')).toEqual({
      kind: 'unknown',
      reason: 'learning it needs --write',
    });
  });

  it('does not tell cents from whole amounts', async () => {
    const profile = createProfile({ 'types.currency': 'minor' }, catalogue);
    const { learned } = await observeMock(profile, 'demo', { write: false, selected: FEW });
    expect(learned.settings.get('types.currency')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('are the same under number and minor'),
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
