import { expect, test } from 'vitest';
import { contract, resultOf } from '../../testing/checks.ts';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { createCaseIds } from '../plan/plan.ts';
import { applyBaseline, type KnownFailure, loadBaseline, renderBaseline } from './compose-results.ts';
import { type CaseResult, countsAgainst } from './results.ts';

/** A case that a reference service can fail. */
const PUT = 'absent.put:brand';

/** A row about it. */
const known = (change: Partial<KnownFailure> = {}): KnownFailure => ({
  case: PUT,
  reason: 'the old gateway does it',
  until: '2026-03-31',
  ...change,
});

/** Returns a written baseline with reasons. */
function explained(text: string): string {
  return text.replaceAll('reason: ""', 'reason: a person knows');
}

const { write } = useDirectory();
const load = (text: string, ids?: ReturnType<typeof createCaseIds>) =>
  loadBaseline(write('b.yaml', text), ids);

test('a baseline is a list of cases with a reason and a date', () => {
  const text = `# Known.\n- case: ${PUT}\n  reason: 'the old gateway: does it'\n  until: 2026-03-31\n`;
  expect(load(text)).toEqual([known({ reason: 'the old gateway: does it' })]);
});

const refused = {
  '- { case: c, reason: r, until: 2026-02-31 }': /:1: until must be a date such as 2026-03-31, but is/,
  '- { case: c, reason: r, until: 2026-03-31 }\n- { case: c, reason: s, until: 2026-03-31 }':
    /:2: c is listed twice\. Remove one of them\.$/,
  "- { case: c, reason: ' ', until: 2026-03-31 }\n- { case: b, reason: r, until: 2026-02-30 }":
    /:1: The reason for c is empty\. Write why the failure is .*\n.*:2: until must be a date/,
};

test.each(Object.entries(refused))(
  'the invalid baseline %j is rejected with file and line',
  (text, message) => {
    expect(complaintOf(() => load(text))).toMatch(message);
  },
);

test('a baseline accepts any case of the suite, and rejects unknown ones', () => {
  const ids = createCaseIds(contract);
  const row = (id: string) => load(`- { case: '${id}', reason: r, until: 2026-03-31 }`, ids);
  // The default profile has no lengths, no such values and no such transitions; another one may.
  for (const id of [
    'required.on-create:brand.name',
    'values.accepted:stockOrder.status=99',
    'profile.limits.text:brand.name',
  ])
    expect(row(id)).toHaveLength(1);
  expect(() => row('required.on-create:brand.nam')).toThrow(
    'b.yaml:1: Unknown case "required.on-create:brand.nam". Did you mean "required.on-create:brand.name"?',
  );
  expect(() => row('absent.put:brand.name')).toThrow(/:1: Unknown case "absent\.put:brand\.name"/);
});

test('a baseline can list models that are not built', () => {
  const ids = createCaseIds(contract);
  expect(load('- notBuilt: brand\n', ids)).toEqual([{ notBuilt: 'brand' }]);
  for (const [text, message] of [
    ['- notBuilt: brnd', 'b.yaml:1: Unknown model "brnd". Did you mean "brand"?'],
    ['- notBuilt: __proto__', 'b.yaml:1: Unknown model "__proto__".'],
    ['- notBuilt: brand\n- notBuilt: brand', 'b.yaml:2: brand is listed twice. Remove one of them.'],
    ['- { notBuilt: brand, until: 2026-03-31 }', 'b.yaml:1: Unknown key "until". Use "notBuilt".'],
  ] as const)
    expect(() => load(text, ids)).toThrow(message);
});

const excused = 'known until 2026-03-31: the old gateway does it';

test.each([
  ['on its last date', 'fail', '2026-03-31', excused],
  ['on the day after', 'fail', '2026-04-01', undefined],
  ['of a blocked case', 'blocked', '2026-03-30', excused],
  ['of an error in the suite', 'error', '2026-03-30', undefined],
] as const)('whether the baseline excuses a known failure: %s', (_, outcome, today, expected) => {
  const { cases, stale } = applyBaseline([resultOf(PUT, { outcome })], [known()], today);
  expect([cases[0]?.excused, stale]).toEqual([expected, []]);
  expect(cases.some(countsAgainst)).toBe(expected === undefined && outcome !== 'error');
});

test('a known failure that passes is stale, even after its date', () => {
  const stale = (today: string) => applyBaseline([resultOf(PUT)], [known()], today).stale;
  expect([stale('2026-03-01'), stale('2027-01-01')]).toEqual([[PUT], [PUT]]);
});

test('a known failure that fails after its date is expired, unless it passes or was not run', () => {
  const expired = (cases: CaseResult[]) => applyBaseline(cases, [known()], '2026-04-01').expired;
  expect(expired([resultOf(PUT, { outcome: 'fail' })])).toEqual([PUT]);
  expect([expired([resultOf(PUT)]), expired([])]).toEqual([[], []]);
});

test('a known failure that was skipped or not run is neither stale nor expired', () => {
  const cases = [resultOf(PUT, { outcome: 'skip' }), resultOf('absent.put:share', { outcome: 'fail' })];
  const rows = [known(), known({ case: 'absent.put:locker' })];
  expect(applyBaseline(cases, rows, '2026-03-01')).toEqual({ cases, expired: [], stale: [] });
});

test('an updated baseline keeps failures with reason and date, and removes cases that pass', () => {
  const [passing, untried, over, fresh] = ['a.b:passes', 'a.b:untried', 'a.b:over', 'a.b:new'];
  const before = [
    known(),
    known({ case: passing }),
    known({ case: untried, reason: 'asleep' }),
    known({ case: over, reason: 'was known', until: '2026-01-01' }),
  ];
  const failed = [PUT, over, fresh].map((id) => resultOf(id, { outcome: 'fail', message: 'wrong' }));
  const { cases } = applyBaseline([...failed, resultOf(passing)], before, '2026-03-01');
  expect(load(explained(renderBaseline({ cases }, '2999-12-31', before)))).toEqual([
    known(),
    known({ case: untried, reason: 'asleep' }),
    { case: over, reason: 'was known', until: '2999-12-31' },
    { case: fresh, reason: 'a person knows', until: '2999-12-31' },
  ]);
});

test('a baseline contains only cases that count, and no message changes its structure', () => {
  const message = '- a: "b"\n# no comment\nñ: {}';
  const text = renderBaseline(
    {
      cases: [
        resultOf('a.b:c', { outcome: 'fail', message }),
        resultOf('values.refused:locker.status="no-member"', { outcome: 'blocked' }),
        resultOf('a.b:pass'),
        resultOf('a.b:skip', { outcome: 'skip' }),
        resultOf('a.b:error', { outcome: 'error' }),
        resultOf('a.b:advice', { outcome: 'fail', level: 'advice' }),
        resultOf('a.b:excused', { outcome: 'fail', excused: 'known' }),
      ],
    },
    '2999-12-31',
  );
  expect(text).toMatch(/^# Known failures, /);
  const [reason, until] = ['a person knows', '2999-12-31'];
  expect(text).toContain(`# - a: "b" # no comment ñ: {}\n`);
  expect(load(explained(text))).toEqual([
    { case: 'a.b:c', reason, until },
    { case: 'values.refused:locker.status="no-member"', reason, until },
  ]);
  expect(load(renderBaseline({ cases: [] }, '2999-12-31'))).toEqual([]);
});
