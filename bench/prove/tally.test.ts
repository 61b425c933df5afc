import { describe, expect, test } from 'vitest';
import { inSeconds, MOST_WAIT } from './cost.ts';
import { describeCosts, describeMismatches } from './summary.ts';
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
    const cost = {
      name: 'e.f',
      isEverywhere: true,
      requests: 21,
      healthyRequests: 10,
      time: 3000,
      healthyTime: 1000,
    };
    const ofOne = { ...cost, name: 'e.f:g', isEverywhere: false, requests: 20 };
    tally.note({ kind: 'costs', costs: [cost, { ...cost, requests: 20, time: 3100 }] });
    tally.note({
      kind: 'costs',
      costs: [
        { ...ofOne, time: 3000 + MOST_WAIT },
        { ...ofOne, time: 3100 + MOST_WAIT },
      ],
    });
    tally.note({ kind: 'broken', reason: 'boom' });
    expect(tally.problems()).toEqual([
      'the proof broke: boom',
      'survived a.b:c: expected a failure of r; found fail x:c: y',
      'a.b:c: the suite made a mistake: error z: oh',
      'unnoticed s: expected a failure of a rule of the setting',
      'u does not show as mismatch-exceptions.ts says',
      'w fails a stated rule: expected failures of assumed ones alone',
      'e.f costs 21 requests; a healthy run costs 10',
      'e.f takes 3.1 s; a healthy run takes 1.0 s',
      `e.f:g takes ${inSeconds(3100 + MOST_WAIT)} s; a healthy run takes 1.0 s`,
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

test('the line of the costs names the most expensive defects', () => {
  const tally = createTally();
  const cost = {
    name: 'a.b',
    isEverywhere: true,
    requests: 30,
    healthyRequests: 20,
    time: 10,
    healthyTime: 10,
  };
  const slow = { ...cost, name: 'c.d', requests: 20, time: 25 };
  const ofOne = { ...slow, name: 'c.d:e', isEverywhere: false, time: 1010 };
  tally.note({ kind: 'costs', costs: [cost, slow, ofOne] });
  expect(describeCosts(tally, 7)).toEqual([
    'cost: at most 1.50 (a.b) times the requests and 2.50 (c.d) times the time of a healthy run, of 2 defects everywhere',
    'cost of one model: at most 1.00 (c.d:e) times the requests of a healthy run and 1.00 (c.d:e) s more, of 1 defects at one place, both in 7 s',
  ]);
});
