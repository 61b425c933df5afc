import { describe, expect, test } from 'vitest';
import { describeMismatches } from './summary.ts';
import { createTally } from './tally.ts';

describe('the tally', () => {
  test('holds everything that stands against the proof', () => {
    const tally = createTally();
    const survivor = {
      name: 'a.b:c',
      caught: false,
      rules: [],
      expected: ['r'],
      instead: ['fail x:c: y'],
      errors: [],
    };
    tally.note({ kind: 'defects', verdicts: [survivor, { ...survivor, caught: true }] });
    tally.note({ kind: 'defects', verdicts: [{ ...survivor, errors: ['error z: oh'] }] });
    tally.note({
      kind: 'mismatches',
      verdicts: [
        ['s', 'unnoticed'],
        ['t', 'noticed'],
        ['u', 'excepted-wrongly'],
        ['v', 'excepted'],
        ['w', 'misjudged'],
      ],
    });
    tally.note({
      kind: 'profile',
      number: 3,
      verdict: { cases: 1, bad: ['fail q'], observable: 1, recovered: 0, defects: [survivor] },
    });
    const cost = { name: 'e.f:g', requests: 21, healthyRequests: 10, time: 31, healthyTime: 10 };
    tally.note({ kind: 'costs', costs: [cost, { ...cost, requests: 20 }] });
    tally.note({ kind: 'broken', reason: 'boom' });
    expect(tally.problems()).toEqual([
      'the proof broke: boom',
      'survived a.b:c: expected a failure of r; found fail x:c: y',
      'a.b:c: the suite made a mistake: error z: oh',
      'unnoticed s: expected a failure of a rule of the setting',
      'u does not show as mismatch-exceptions.ts says',
      'w fails a stated rule: expected failures of assumed ones alone',
      'e.f:g costs 21 requests; a healthy run costs 10',
      'the runs with a defect take 3.1 times the time of the healthy ones',
      'profile 3: fail q',
      'profile 3: survived a.b:c: expected a failure of r; found fail x:c: y',
    ]);
  });
});

test.each([
  [
    ['noticed', 'excepted'],
    2,
    "1 of 1 wrong suppositions noticed by a rule of the setting (1 more can't be), none held",
  ],
  [
    ['noticed'],
    9,
    "1 of 1 wrong suppositions noticed by a rule of the setting (0 more can't be, drawn from 9), none held",
  ],
  [
    ['noticed', 'misjudged', 'misjudged'],
    3,
    "1 of 3 wrong suppositions noticed by a rule of the setting (0 more can't be), 2 held",
  ],
] as const)('what became of settings that were %j of %i is said in a line', (verdicts, all, said) => {
  const tally = createTally();
  tally.note({ kind: 'mismatches', verdicts: verdicts.map((verdict) => ['s', verdict]) });
  expect(describeMismatches(tally, all, 2)).toBe(`settings: ${said} against the service, in 2 s`);
});
