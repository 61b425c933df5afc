import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import {
  createProfile,
  DEFAULT_PROFILE,
  type Profile,
  SETTINGS,
  type SettingName,
} from '../../spec/profile/profile.ts';
import { catalogue } from '../../testing/checks.ts';
import { useProfileFile } from '../../testing/input-files/profile-file.ts';
import { observeMock } from '../../testing/profile/learning.ts';
import type { LearnedSetting } from '../settings/observation.ts';
import { type Learned, learnedTerms, renderLearned, renderProfile } from './learn.ts';

const spoken = createProfile(
  {
    'request.unknownFields': 'ignore',
    'response.unset': 'null',
    'delete.effect': 'remove',
    'list.paging': 'page',
    transitions: { 'locker.status': { 0: [1], 1: [] } },
    values: { 'customer.language': ['es', 'null', '1'] },
  },
  catalogue,
);

const { load } = useProfileFile();

/** Returns the findings about a service: some settings as in a profile, all others with the given finding. */
function learnedOf(
  known: readonly SettingName[],
  other: LearnedSetting,
  profile: Profile = DEFAULT_PROFILE,
): Learned {
  const evidence = {
    request: { method: 'GET', url: 'http://service/api/model/brand?limit=2', headers: {} },
    response: { status: 200, headers: {}, body: '' },
  };
  const settings = SETTINGS.map(({ name }): [SettingName, LearnedSetting] => {
    return [name, known.includes(name) ? { kind: 'found', value: profile[name], evidence } : other];
  });
  return {
    target: 'http://service',
    write: true,
    settings: new Map(settings),
    profile,
    deviations: [],
    requests: 1,
    leftovers: [],
  };
}

/** Without the reasons, which a file has in its comments. */
function unexplained({ unknown, ...settings }: Profile) {
  const fits = Object.entries(unknown).map(([name, { fits }]) => [name, fits]);
  return { ...settings, unknown: Object.fromEntries(fits) };
}

const everything = SETTINGS.map(({ name }) => name);
const nothing: LearnedSetting = { kind: 'unknown', reason: 'nothing answered' };

it('the profile file loads as the learned profile', async () => {
  const { learned } = await observeMock(spoken, 'demo', {
    selected: new Set(['brand', 'customer', 'locker']),
  });
  const text = renderProfile(learned);
  const { profile } = learnedTerms(learned);
  expect(unexplained(load(text))).toEqual(unexplained(profile));
  expect(Object.keys(profile.unknown)).toContain('limits.rate');
  expect(text).toContain('\ndelete.effect: remove\n');
  expect(text).toMatch(/# no response header gives a limit.*\nlimits\.rate: unknown\n/);
  expect(text).toMatch(/# POST \/api\/model\/brand returned 201\nrequest\.encoding: json/);
});

it('the profile file preserves each value of each setting', () => {
  for (const { name, variants } of SETTINGS)
    for (const variant of variants) {
      const place = name.startsWith('response.total') ? { 'response.records': '/data' } : {};
      const profile = createProfile({ ...place, [name]: variant }, catalogue);
      expect(load(renderProfile(learnedOf(everything, nothing, profile)))).toEqual(profile);
    }
});

it('the profile file keeps an option that fits even if the setting is unknown', () => {
  const paging = { style: 'offset', size: 'perPage', from: 'offset', default: 'unknown', max: 20 } as const;
  const open = { kind: 'unknown', reason: 'a cursor', fit: paging } as const;
  const profile = load(
    renderProfile(learnedOf([], open, createProfile({ 'list.paging': paging }, catalogue))),
  );
  expect(profile['list.paging']).toEqual(paging);
  expect(profile.unknown['list.paging']).toMatchObject({ fits: true });
});

it('the profile file keeps a form that requests accept if responses have another form', () => {
  const other = { kind: 'unknown', reason: '"0.1e2"', fit: 'minor', otherForm: true } as const;
  const learned = learnedOf([], nothing, createProfile({ 'types.currency': 'minor' }, catalogue));
  const settings = new Map(learned.settings).set('types.currency', other);
  const profile = load(renderProfile({ ...learned, settings }));
  expect(profile['types.currency']).toBe('minor');
  expect(profile.unknown['types.currency']).toMatchObject({ fits: false, isTaken: true });
});

it('the profile file keeps text of a service inside comments', () => {
  const hostile: LearnedSetting = {
    kind: 'unknown',
    reason: 'x\ndelete.effect: remove\r\u2028\u0085status.created: 299\u001b[2J',
  };
  const text = renderProfile(learnedOf([], hostile));
  expect({ ...load(text), unknown: {} }).toEqual(DEFAULT_PROFILE);
  const said = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(said.filter((line) => !/^[a-zA-Z.]+: (unknown|\{ unknown: .* \})$/.test(line))).toEqual([]);
});

it('the printed result shows each setting with its value and its evidence', () => {
  const learned = learnedOf(['delete.effect'], nothing, spoken);
  const text = renderLearned(learned, { color: false });
  expect(stripVTControlCharacters(renderLearned(learned, { color: true }))).toBe(text);
  expect(text).toMatch(/^delete\.effect +remove +GET \/api\/model\/brand\?limit=2 returned 200$/m);
  expect(text).toMatch(/^list\.paging +unknown +nothing answered$/m);
  expect(text.split('\n').filter((line) => /answered|returned/.test(line))).toHaveLength(SETTINGS.length);
});

it('the printed result names the leftovers and the next steps', () => {
  const learned = {
    ...learnedOf([], nothing),
    write: false,
    warning: 'it answers HTML',
    leftovers: ['brand/7'],
  };
  const text = renderLearned(learned, { color: false });
  expect(text).toContain('it answers HTML. Check the base URL.');
  expect(text).toContain('brand/7');
  expect(text).toContain('--write');
});

it('the printed result contains no control characters of the service', () => {
  const hostile: LearnedSetting = { kind: 'unknown', reason: 'x\u001b]0;title\u0007\nlearned 52 of 52' };
  const text = renderLearned(learnedOf([], hostile), { color: false });
  expect([...text].some((character) => character !== '\n' && character < ' ')).toBe(false);
  expect(text.split('\n').filter((line) => line.startsWith('learned'))).toHaveLength(1);
});
