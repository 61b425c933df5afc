import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { UsageError } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE, describeProfile, loadProfile } from '../../spec/profile/profile.ts';
import { catalogue, check, references, resultOf } from '../../testing/checks.ts';
import {
  type ReferenceService,
  startReferenceService,
} from '../../testing/reference-service/reference-service.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createCaseIds } from '../plan/case-ids.ts';
import { applyBaseline, type KnownFailure, loadBaseline, renderBaseline } from './baseline.ts';
import { type CaseResult, countsAgainst } from './results.ts';
import { exitCode, headline } from './verdict.ts';

const directory = useDirectory();
const load = (text: string) => loadBaseline(directory.write('known.yaml', text));
const PUT = 'absent.put:brand';
const known = (change: Partial<KnownFailure> = {}): KnownFailure => ({
  case: PUT,
  reason: 'the old gateway does it',
  until: '2026-03-31',
  ...change,
});

/** What a person makes of a baseline that was written. */
function explained(text: string): string {
  return text.replaceAll('reason: ""', 'reason: a person knows');
}

describe('a baseline', () => {
  test('is a list of cases with a reason and a day', () => {
    const text = `# Known.\n- case: ${PUT}\n  reason: 'the old gateway: does it'\n  until: 2026-03-31\n`;
    expect(load(text)).toEqual([known({ reason: 'the old gateway: does it' })]);
  });

  test('may be empty', () => {
    expect(load('[]')).toEqual([]);
  });

  test.each([
    [
      'without a case',
      '- { reason: r, until: 2026-03-31 }',
      /known\.yaml:1: case is missing; expected \{ case, reason, until \}$/,
    ],
    ['without a reason', '- { case: c, until: 2026-03-31 }', /:1: reason is missing/],
    ['without a day', '- { case: c, reason: r }', /:1: until is missing/],
    [
      'with a reason that is no text',
      '- { case: c, reason: 7, until: 2026-03-31 }',
      /:1: found 7; expected a text$/,
    ],
    [
      'with a day of another form',
      '- { case: c, reason: r, until: 31.3.2026 }',
      /:1: until is "31\.3\.2026"; expected a day such as 2026-03-31$/,
    ],
    [
      'with a day that no month has',
      '- { case: c, reason: r, until: 2026-02-31 }',
      /:1: until is "2026-02-31"/,
    ],
    [
      'with a month that no year has',
      '- { case: c, reason: r, until: 2026-13-01 }',
      /:1: until is "2026-13-01"/,
    ],
    [
      'that stands twice',
      '- { case: c, reason: r, until: 2026-03-31 }\n- { case: c, reason: s, until: 2026-03-31 }',
      /:2: c stands twice; expected it once$/,
    ],
    [
      'with a key that means nothing',
      '- { case: c, reason: r, until: 2026-03-31, owner: me }',
      /:1: the key is "owner"; expected case, reason or until$/,
    ],
    [
      'with an empty reason',
      "- { case: c, reason: ' ', until: 2026-03-31 }",
      /:1: reason is empty for c; expected why the failure is known$/,
    ],
    ['that is a text', '- brand', /:1: found "brand"; expected a mapping$/],
  ])('with a row %s is refused, with file and line', (_, text, message) => {
    expect(() => load(text)).toThrow(UsageError);
    expect(() => load(text)).toThrow(message);
  });

  test('may name any case of the suite, and no other', () => {
    const ids = createCaseIds({ catalogue, profile: DEFAULT_PROFILE, references });
    const row = (id: string) =>
      loadBaseline(directory.write('b.yaml', `- { case: '${id}', reason: r, until: 2026-03-31 }`), ids);
    // The default profile has no lengths, no such values and no such transitions; another one may.
    for (const id of [
      'required.on-create:brand.name',
      'values.accepted:stockOrder.status=99',
      'profile.limits.text:brand.name',
      'profile.limits.rate:brand',
    ])
      expect(row(id)).toHaveLength(1);
    for (const [id, meant] of [
      ['required.on-create:brand.nam', 'required.on-create:brand.name'],
      ['absent.putt:brand', 'absent.put:brand'],
      ['absent.put:brnd', 'absent.put:brand'],
    ] as const)
      expect(() => row(id)).toThrow(new RegExp(`b\\.yaml:1: case is "${id}".*Did you mean ${meant}\\?`));
    expect(() => row('absent.put:brand.name')).toThrow(/:1: case is "absent\.put:brand\.name"/);
  });

  test('that is no list, or not there, is refused', () => {
    expect(() => load('case: c')).toThrow(/known\.yaml:1: found a mapping; expected a list$/);
    expect(() => loadBaseline(directory.path('none.yaml'))).toThrow(/none\.yaml can't be read \(ENOENT\)/);
  });
});

describe('a known failure', () => {
  const excused = 'known until 2026-03-31: the old gateway does it';

  test.each([
    ['the day before its last', 'fail', '2026-03-30', excused],
    ['its last day', 'fail', '2026-03-31', excused],
    ['the day after', 'fail', '2026-04-01', undefined],
    ['a blocked case', 'blocked', '2026-03-30', excused],
    ['an error of the suite', 'error', '2026-03-30', undefined],
  ] as const)('on %s is excused or not', (_, outcome, today, expected) => {
    const { cases, stale } = applyBaseline([resultOf(PUT, { outcome })], [known()], today);
    expect([cases[0]?.excused, stale]).toEqual([expected, []]);
    expect(cases.some(countsAgainst)).toBe(expected === undefined && outcome !== 'error');
  });

  test('that passes is stale, also when its day is over', () => {
    const stale = (today: string) => applyBaseline([resultOf(PUT)], [known()], today).stale;
    expect([stale('2026-03-01'), stale('2027-01-01')]).toEqual([[PUT], [PUT]]);
  });

  test('that fails after its day is expired; one that passes or was not run is not', () => {
    const expired = (cases: CaseResult[]) => applyBaseline(cases, [known()], '2026-04-01').expired;
    expect(expired([resultOf(PUT, { outcome: 'fail' })])).toEqual([PUT]);
    expect([expired([resultOf(PUT)]), expired([])]).toEqual([[], []]);
  });

  test('that was skipped or not run says nothing', () => {
    const cases = [resultOf(PUT, { outcome: 'skip' }), resultOf('absent.put:share', { outcome: 'fail' })];
    const rows = [known(), known({ case: 'absent.put:locker' })];
    expect(applyBaseline(cases, rows, '2026-03-01')).toEqual({ cases, expired: [], stale: [] });
  });

  test('keeps the excuse it has already', () => {
    const later = resultOf(PUT, { outcome: 'fail', excused: 'a later rule' });
    expect(applyBaseline([later], [known()], '2026-03-01').cases).toEqual([later]);
  });
});

describe('a run', () => {
  const open: ReferenceService[] = [];
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });

  async function run(broken: boolean, baseline: readonly KnownFailure[] = []) {
    const service = await startReferenceService({
      catalogue,
      references,
      breaks: broken ? { allowPut: 'brand' } : {},
    });
    open.push(service);
    return check(service.url, { models: ['brand'], rules: ['absent'], baseline });
  }

  test('whose failures are written down conforms with them, until they expire or fail no more', async () => {
    const first = await run(true);
    expect(exitCode(first)).toBe(1);
    const today = first.startedAt.slice(0, 10);
    const written = renderBaseline(first.cases, today);
    // A person has to say why, and sees what failed.
    expect(() => load(written)).toThrow(/reason is empty for absent\.put:brand/);
    expect(written).toContain(`# ${first.cases.find(({ id }) => id === PUT)?.message}\n`);
    const baseline = load(explained(written));
    expect(baseline).toEqual([{ case: PUT, reason: 'a person knows', until: today }]);

    const again = await run(true, baseline);
    expect([exitCode(again), again.counts.fail, again.staleBaseline]).toEqual([0, 1, []]);
    expect(headline(again)).toBe('CONFORMANT WITH 1 KNOWN FAILURE');
    const yesterday = new Date(Date.parse(first.startedAt) - 86_400_000).toISOString().slice(0, 10);
    expect(exitCode(await run(true, [known({ until: yesterday })]))).toBe(1);
    const mended = await run(false, baseline);
    expect([exitCode(mended), mended.counts.fail, mended.staleBaseline]).toEqual([1, 0, [PUT]]);
  });

  test('with a case that no run has is stale in a whole run, and says nothing in a part of one', async () => {
    const service = await startReferenceService({ catalogue, references });
    open.push(service);
    const never = 'values.refused-on-create:locker.status=77';
    const run = { baseline: [known({ case: never, until: '2999-01-01' })], readOnly: true };
    expect((await check(service.url, run)).staleBaseline).toEqual([never]);
    expect((await check(service.url, { ...run, models: ['brand'] })).staleBaseline).toEqual([]);
  });

  test('renews a baseline: what still fails stays with its reason and day, what passes goes', () => {
    const [passing, untried, over, fresh] = ['a.b:passes', 'a.b:untried', 'a.b:over', 'a.b:new'];
    const before = [
      known(),
      known({ case: passing }),
      known({ case: untried, reason: 'asleep' }),
      known({ case: over, reason: 'was known', until: '2026-01-01' }),
    ];
    const failed = [PUT, over, fresh].map((id) => resultOf(id, { outcome: 'fail', message: 'wrong' }));
    const { cases } = applyBaseline([...failed, resultOf(passing)], before, '2026-03-01');
    expect(load(explained(renderBaseline(cases, '2999-12-31', before)))).toEqual([
      known(),
      known({ case: untried, reason: 'asleep' }),
      { case: over, reason: 'was known', until: '2999-12-31' },
      { case: fresh, reason: 'a person knows', until: '2999-12-31' },
    ]);
  });

  test('writes down what counts alone, whatever its message looks like', () => {
    const message = '- a: "b"\n# no comment\nñ: {}';
    const text = renderBaseline(
      [
        resultOf('a.b:c', { outcome: 'fail', message }),
        resultOf('values.refused:locker.status="no-member"', { outcome: 'blocked' }),
        resultOf('a.b:pass'),
        resultOf('a.b:skip', { outcome: 'skip' }),
        resultOf('a.b:error', { outcome: 'error' }),
        resultOf('a.b:advice', { outcome: 'fail', level: 'advice' }),
        resultOf('a.b:excused', { outcome: 'fail', excused: 'known' }),
      ],
      '2999-12-31',
    );
    expect(text).toMatch(/^# Known failures\./);
    const [reason, until] = ['a person knows', '2999-12-31'];
    expect(text).toContain(`# - a: "b" # no comment ñ: {}\n`);
    expect(load(explained(text))).toEqual([
      { case: 'a.b:c', reason, until },
      { case: 'values.refused:locker.status="no-member"', reason, until },
    ]);
    expect(load(renderBaseline([], '2999-12-31'))).toEqual([]);
  });
});

describe('files of the version before', () => {
  /** Written by the commands of that version: a learned profile, and a baseline with a case of each rule. */
  const file = (name: string) => join(import.meta.dirname, '../../testing/version-before', name);

  test('a profile is read, and says what it said', () => {
    const profile = loadProfile(file('profile.yaml'), catalogue);
    expect(describeProfile(profile)).toEqual([]);
  });

  test('a baseline is read: every rule still has its cases', () => {
    const ids = createCaseIds({ catalogue, references, profile: DEFAULT_PROFILE });
    expect(loadBaseline(file('baseline.yaml'), ids)).toHaveLength(94);
  });
});
