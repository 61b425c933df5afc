import { expect, test } from 'vitest';
import { resultOf } from '../../testing/checks.ts';
import { bareResults, sampleCase, sampleExchange, sampleResults } from '../../testing/sample-results.ts';
import type { CaseResult } from '../results/results.ts';
import { renderTerminal } from './terminal.ts';

const options = { color: false, details: true };
const failed = (id: string, change: Partial<CaseResult>) => resultOf(id, { outcome: 'fail', ...change });

test('the first lines show what to fix first, how to reproduce it, and what was checked', () => {
  const { request, response } = sampleExchange('{}');
  const refused = {
    request: { ...request, url: 'http://127.0.0.1:4010/api/model/brand/7' },
    response: { ...response, status: 405 },
  };
  const [expected, found] = ['"a name of a locker"', '"a name of"'];
  const sent = { expected: 'a 2xx status', found: 'status 405: {}', exchanges: [refused] };
  const cases = [
    ...['put', 'patch'].map((name) =>
      failed(`absent.${name}:share`, { message: `the service takes ${name}` }),
    ),
    failed('create.keeps-field:locker.name', { expected, found, exchanges: [sampleExchange()] }),
    ...['brand', 'share'].map((model) =>
      resultOf(`update.changes-field:${model}`, { outcome: 'blocked', blockedBy: 'operations.update:brand' }),
    ),
    failed('operations.update:brand', sent),
    resultOf('operations.list:deposit'),
  ];
  const command = 'record-model check http://127.0.0.1:4010 --profile my.yaml';
  const results = { ...bareResults(), command, cases };
  const text = renderTerminal(results, { ...options, details: false });
  expect(text.split('\n').slice(0, 8)).toEqual([
    'NOT CONFORMANT, 1 of 4 models conform',
    'Fix first  POST /api/model/brand/{id} returns 405 Method Not Allowed; expected a 2xx status  unlocks 3 cases on 2 models',
    '           see it again: record-model check http://127.0.0.1:4010 --profile my.yaml --case operations.update:brand',
    'Then       locker.name is cut at 9 characters                                                1 case on 1 model',
    `           see it again: ${command} --case create.keeps-field:locker.name`,
    'Then       share: the service takes put                                                      1 case on 1 model',
    `           see it again: ${command} --case absent.put:share`,
    'And        1 more cause (1 case): pass --details, or --html FILE',
  ]);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
});

test('advice that failed only once is not a cause to fix first', () => {
  const once = resultOf('profile.pages:share', { outcome: 'flaky', level: 'advice' });
  const text = renderTerminal({ ...bareResults(), cases: [once] }, { ...options, details: false });
  expect(text.split('\n').filter((line) => /^(Advice|Fix first)/.test(line))).toEqual([
    expect.stringMatching(/^Advice/),
  ]);
});

test('the last lines of the first screen show what was checked', () => {
  const lines = renderTerminal(sampleResults(), { ...options, details: false })
    .split('\n\n')[0]
    ?.split('\n');
  expect(lines?.slice(-3)).toEqual([
    '1 pass · 1 skip · 1 excused · 1 advice · 1 flaky · 1 blocked · 1 fail · 1 error · 99 requests · 1.2 s',
    'http://127.0.0.1:4010 against Record Model API 2025-10-22; coverage 1 of 2 operations, 1 of 1 fields, 0 of 1 values',
    // That --write checks the rest is for who did not ask for this: the command knows.
    'profile learned now (delete.effect remove); a committed profile would notice a change · seed 1000 · read-only: the run sent only GET requests',
  ]);
});

test('a wrong setting of the profile is one cause, and the first one', () => {
  const message = 'the records are at "/data"; the profile says "/results" (response.records)';
  const outcome = 'blocked';
  const cases = [
    sampleCase(),
    failed('profile.response.records:brand', { setting: 'response.records' }),
    ...['brand', 'share'].flatMap((model) => [
      resultOf(`operations.list:${model}`, { outcome, message, differs: 'response.records' }),
      resultOf(`list.agrees:${model}`, { outcome, blockedBy: `operations.list:${model}` }),
    ]),
  ];
  const lines = renderTerminal({ ...bareResults(), cases }, { ...options, details: false }).split('\n');
  expect(lines[1]).toContain(`Fix first  ${message}. Run learn, or fix the service  `);
  expect(lines[1]).toMatch(/ unlocks 5 cases on 2 models$/);
  expect(lines.filter((line) => line.startsWith('Then'))).toHaveLength(1);
});

test('a sequence of requests is shown in its order', () => {
  const exchanges = ['first', 'second', 'third'].map((body) => sampleExchange(body));
  const cases = [sampleCase({ sequence: true, exchanges })];
  const text = renderTerminal({ ...bareResults(), cases }, options);
  expect(text.match(/^ +(before|sent) +POST /gm)).toHaveLength(3);
});

test('a conformant run shows the verdict and the facts, and no more with details', () => {
  const screen = `CONFORMANT
1 pass · 0 fail · 99 requests · 1.2 s
http://127.0.0.1:4010 against Record Model API 2025-10-22; coverage 0 of 0 operations, 0 of 0 fields, 0 of 0 values
profile default · seed 1000
`;
  expect(renderTerminal(bareResults(), { ...options, details: false })).toBe(screen);
  expect(renderTerminal(bareResults(), options)).toBe(screen);
});

test('a run that ended early or lost its target is inconclusive, and shows its progress and the reason', () => {
  const lost = 'GET http://127.0.0.1:1/: gone';
  const text = renderTerminal({ ...bareResults(), planned: 7, lost }, options);
  expect(text).toMatch(/^INCONCLUSIVE\n/);
  expect(text).toContain(`\nended early after 1 of 7 cases: the target became unreachable: ${lost}\n`);
});

test('a failure shows what was expected, what was found, and how to reproduce it', () => {
  const text = renderTerminal(sampleResults({ cases: [sampleCase({ found: 'status 200' })] }), options);
  expect(text).toContain(
    'FAIL values.refused-on-update:warehouse.name=9 (reproduced when tried again)\n  a value that is not in the list is not refused\n  expected  a 4xx status\n  found     status 200\n',
  );
  expect(text).toContain('  repeat    curl -i -X POST');
});

test('a flaky case shows both responses', () => {
  const again = [sampleExchange('{"one":1}'), sampleExchange('{"two":2}')];
  const flaky = sampleCase({ outcome: 'flaky', retried: 'not reproduced', again });
  const text = renderTerminal(sampleResults({ cases: [flaky] }), options);
  expect(text).toMatch(/^FLAKY values\S+ \(not reproduced when tried again\)$/m);
  expect(text).toMatch(/^ {2}received {2}200 .*\n {2}repeat .*\n {2}retry {5}200 \{"two":2\}$/m);
});

test('the report lists excused cases, stale entries, leftovers, and broken statements', () => {
  const text = renderTerminal(sampleResults(), options);
  expect(text).toContain('Excused\n  fields.type:brand.name: known');
  expect(text).toContain('remove the entries)\n  fields.type:warehouse.name');
  expect(text).toContain('(these failures count again)\n  values.refused-on-update:warehouse.name=9');
  expect(text).toContain('(delete them yourself)\n  warehouse/12');
  expect(text).toContain('broken      value-list (section 3): A select field takes the values of its list.');
  expect(text).toContain('not tested  purpose (section 1): The purpose. (no request shows it)');
});

test('a service with 900 failures in three rules is reported in a few lines', () => {
  const cases = Array.from({ length: 900 }, (_item, index) => {
    const model = `model${index % 50}`;
    const rule = `fields.rule${index % 3}`;
    const { setting: _, ...result } = sampleCase({ rule, model, message: `${model} has no ${index}` });
    return { ...result, id: `${rule}:${model}.f${index}` };
  });
  const text = renderTerminal(sampleResults({ cases }), options);
  expect(text.match(/model\d+ has no \d+; expected .* {2}300 cases on 50 models$/gm)).toHaveLength(3);
  expect(text.match(/^FAIL fields/gm)).toHaveLength(3);
  expect(text).toContain('299 similar cases: ');
});
