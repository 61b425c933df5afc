import { describe, expect, test } from 'vitest';
import { catalogue, resultOf } from '../../testing/checks.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { RULES } from '../rules/rules.ts';
import { excuseLaterRules, loadFrozenRules } from './baseline.ts';
import { countsAgainst } from './results.ts';

const directory = useDirectory();
const frozen = loadFrozenRules();

describe('the frozen rules', () => {
  test('are there for the version of the catalogue', () => {
    expect([...frozen.keys()]).toEqual([catalogue.version]);
    expect(frozen.get(catalogue.version)?.size).toBeGreaterThan(20);
  });

  test('exist, and are stated', () => {
    const levels = new Map(RULES.map(({ id, level }) => [id, level]));
    for (const [label, rules] of frozen)
      for (const rule of rules) expect([label, rule, levels.get(rule)]).toEqual([label, rule, 'stated']);
  });

  test('are read as they stand, a label without quotes included', () => {
    const path = directory.write('f.yaml', 'a: [x.y]\n2: []\n');
    expect(loadFrozenRules(path)).toEqual(
      new Map([
        ['a', new Set(['x.y'])],
        ['2', new Set()],
      ]),
    );
  });

  test.each([
    ['a label without a list', 'a: x.y', /f\.yaml:1: Expected a list, but found "x\.y"\.$/],
    ['a rule that is no text', 'a: [1]', /f\.yaml:1: Expected a string, but found 1\.$/],
  ])('with %s are refused', (_, text, message) => {
    expect(() => loadFrozenRules(directory.write('f.yaml', text))).toThrow(message);
  });
});

describe('a rule that is younger than the set', () => {
  const young = resultOf('fields.later:brand', { outcome: 'fail' });
  const old = resultOf('fields.type:brand.name', { outcome: 'fail' });
  const set = new Set(['fields.type']);

  test('does not count when it fails or is blocked, and says so', () => {
    const [excused, blocked, counted] = excuseLaterRules(
      [young, { ...young, outcome: 'blocked' }, old],
      set,
      'v1',
    );
    expect(excused?.excused).toBe('fields.later was added after the rules of v1 were frozen');
    expect([excused, blocked, counted].map((result) => result && countsAgainst(result))).toEqual([
      false,
      false,
      true,
    ]);
    expect(excused?.outcome).toBe('fail');
  });

  test('counts where no set is frozen', () => {
    expect(excuseLaterRules([young, old], undefined, 'v2')).toEqual([young, old]);
  });

  test('is no concern of assumed rules and advice, nor of what passes', () => {
    const others = [
      resultOf('profile.later:brand', { outcome: 'fail', level: 'assumed' }),
      resultOf('advice.later:brand', { outcome: 'fail', level: 'advice' }),
      resultOf('fields.later:share'),
      resultOf('fields.later:locker', { outcome: 'error' }),
    ];
    expect(excuseLaterRules(others, set, 'v1')).toEqual(others);
  });
});
