import { describe, expect, test } from 'vitest';
import { check, resultOf } from '../../testing/checks.ts';
import { useClosing } from '../../testing/closing.ts';
import { explained, known, PUT, useBaselineFile } from '../../testing/input-files/baseline-file.ts';
import { startMockService } from '../../testing/mock-service.ts';
import { applyBaseline, renderBaseline } from './baseline.ts';

const { load } = useBaselineFile();

describe('a run', () => {
  const closing = useClosing();

  test('with a case that no run has is stale in a whole run, and says nothing in a part of one', async () => {
    const service = await startMockService();
    closing(service);
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
    expect(load(explained(renderBaseline({ cases }, '2999-12-31', before)))).toEqual([
      known(),
      known({ case: untried, reason: 'asleep' }),
      { case: over, reason: 'was known', until: '2999-12-31' },
      { case: fresh, reason: 'a person knows', until: '2999-12-31' },
    ]);
  });

  test('writes down what counts alone, whatever its message looks like', () => {
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
});
