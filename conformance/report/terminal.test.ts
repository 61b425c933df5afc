import { expect, test } from 'vitest';
import { loadRequirements } from '../../spec/requirements.ts';
import {
  bareCase,
  bareResults,
  sampleCase,
  sampleExchange,
  sampleResults,
} from '../../testing/sample-results.ts';
import { renderTerminal } from './terminal.ts';

const options = { color: false, requirements: loadRequirements() };

test('the last lines say what was checked and with what result', () => {
  const lines = renderTerminal(sampleResults(), options).trimEnd().split('\n');
  expect(lines.slice(-7)).toEqual([
    'NOT CONFORMANT  http://127.0.0.1:4010 against Record Model API 2025-10-22',
    '1 of 8 cases failed and then passed when tried again',
    '1 pass · 1 skip · 1 excused · 1 advice · 1 flaky · 1 blocked · 1 fail · 1 error · 99 requests · 1.2 s',
    'requirements 1 held · 1 broken · 1 not tested',
    'coverage 1 of 2 operations, 1 of 1 fields, 0 of 1 values',
    'profile learned (delete.effect remove) · seed 1000',
    // That --write checks the rest is for who did not ask for this: the command knows.
    'read-only: the run sent only GET requests',
  ]);
});

test('a sequence is told as the commands that send it again, in their order', () => {
  const exchanges = ['first', 'second', 'third'].map((body) => sampleExchange(body));
  const cases = [sampleCase({ sequence: true, exchanges })];
  const text = renderTerminal({ ...bareResults(), cases }, options);
  expect(text.match(/^ +(before|repeat) +curl -i/gm)).toHaveLength(3);
});

test('a conformant run has a table and a verdict, and nothing between', () => {
  expect(renderTerminal(bareResults(), options)).toBe(
    `model      operations
warehouse           1

CONFORMANT  http://127.0.0.1:4010 against Record Model API 2025-10-22
1 pass · 0 fail · 99 requests · 1.2 s
coverage 0 of 0 operations, 0 of 0 fields, 0 of 0 values
profile default · seed 1000
`,
  );
});

test('a run that ended early, or in which the suite erred, is no verdict', () => {
  const early = renderTerminal({ ...bareResults(), planned: 7 }, options);
  expect(early).toContain('\nINCONCLUSIVE  http://127.0.0.1:4010 against Record Model API 2025-10-22\n');
  expect(early).toContain('\nended early after 1 of 7 cases\n');
  const erred = bareResults();
  const text = renderTerminal({ ...erred, counts: { ...erred.counts, error: 1 } }, options);
  expect(text).toContain('\nINCONCLUSIVE  ');
  expect(text).not.toContain('ended early');
});

test('a failure shows what was expected, what was found, where it stands and how to see it again', () => {
  const text = renderTerminal(sampleResults({ cases: [sampleCase({ found: 'status 200' })] }), options);
  expect(text).toContain(
    'FAIL values.refused-on-update:warehouse.name=9 (reproduced when tried again)\n  a value that is not in the list is not refused\n  expected  a 4xx status\n  found     status 200\n',
  );
  expect(text).toContain('  repeat    curl -i -X POST');
});

test('a flaky case shows both answers', () => {
  const again = [sampleExchange('{"one":1}'), sampleExchange('{"two":2}')];
  const flaky = sampleCase({ outcome: 'flaky', retried: 'not reproduced', again });
  const text = renderTerminal(sampleResults({ cases: [flaky] }), options);
  expect(text).toMatch(/^FLAKY values\S+ \(not reproduced when tried again\)$/m);
  expect(text).toMatch(/^ {2}received {2}200 .*\n {2}repeat .*\n {2}retry {5}200 \{"two":2\}$/m);
});

test('a run whose target was lost says how far it came and why', () => {
  const lost = 'GET http://127.0.0.1:1/: gone\u001b[2J';
  const text = renderTerminal({ ...bareResults(), lost }, options);
  expect(text).toContain('\nINCONCLUSIVE  ');
  expect(text).toContain(
    '\nended early after 1 of 1 cases: the target became unreachable: GET http://127.0.0.1:1/: gone\\u001b[2J\n',
  );
});

test('no answer of a service controls the terminal, or a CI system that reads the output', () => {
  const odd = '\u001b[2J\u0007\u009b1m\u202e\n  ::error::x\r\n##[error]y\tz';
  const result = sampleCase({ message: odd, expected: odd, found: odd, exchanges: [sampleExchange(odd)] });
  const cases = [
    result,
    { ...result, rule: 'a.b', id: 'a.b:c', excused: odd },
    { ...bareCase('d.e:f', 'skip'), message: odd },
    { ...bareCase('g.h:i', 'error'), message: `::error::${odd}` },
  ];
  const requirements = [{ id: 'r', section: '1', says: odd, state: 'broken', why: odd } as const];
  const text = renderTerminal(sampleResults({ cases, requirements }), options);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not come through
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(text).not.toMatch(/^\s*::|##\[/m);
  expect(text).toContain(
    'found     \\u001b[2J\\u0007\\u009b1m\\u202e\\n  ::error::x\\r\\n#\\u0023[error]y\tz',
  );
  expect(text).toContain('\n  | ');
});

test('excused cases, stale entries and leftovers are named', () => {
  const text = renderTerminal(sampleResults(), options);
  expect(text).toContain('Excused\n  fields.type:brand.name: known');
  expect(text).toContain('remove the entries)\n  fields.type:warehouse.name');
  expect(text).toContain('(these failures count again)\n  values.refused-on-update:warehouse.name=9');
  expect(text).toContain('(delete them yourself)\n  warehouse/12');
});

test('breaches of cases that were not selected are told, and decide nothing', () => {
  const finding = {
    case: 'create.keeps-field:brand.name',
    message: 'name differs',
    expected: '"a"',
    found: '"b"',
    exchanges: [],
  };
  const text = renderTerminal({ ...bareResults(), findings: [finding] }, options);
  expect(text).toContain(
    '(no effect on the verdict)\n  create.keeps-field:brand.name: name differs; expected "a", found "b"\n',
  );
  expect(text).toContain('\nCONFORMANT  ');
});

test('the statements that did not hold are named with the reason', () => {
  const text = renderTerminal(sampleResults(), options);
  expect(text).toContain('broken      value-list (section 3): A select field takes the values of its list.');
  expect(text).toContain('not tested  purpose (section 1): no request shows it');
});

test('a broken statement whose failures are all excused says both', () => {
  const requirements = [
    { id: 'r', section: '3', says: 'So it is.', state: 'broken', why: 'excused: known' } as const,
  ];
  expect(renderTerminal(sampleResults({ requirements }), options)).toContain(
    'broken      r (section 3): So it is. (excused: known)',
  );
});

test('a wholly different service is told in a few lines', () => {
  const cases = Array.from({ length: 900 }, (_item, index) => {
    const model = `model${index % 50}`;
    const rule = `fields.rule${index % 3}`;
    const { setting: _, ...result } = sampleCase({ rule, model, message: `${model} has no ${index}` });
    return { ...result, id: `${rule}:${model}.f${index}` };
  });
  const text = renderTerminal(sampleResults({ cases }), options);
  expect(text.match(/^FAIL {6}300 × fields\.rule\d: model\d+ has no \d+ · 50 models \(/gm)).toHaveLength(3);
  expect(text.match(/^FAIL fields/gm)).toHaveLength(3);
  expect(text).toContain('299 similar cases: ');
});

test('at most so many kinds are shown, and the others counted', () => {
  const cases = ['one', 'two', 'three'].map((rule) => {
    const { setting: _, ...result } = sampleCase({ id: `${rule}.x:a`, rule: `${rule}.x` });
    return result;
  });
  const text = renderTerminal(sampleResults({ cases }), { ...options, most: 2 });
  expect(text).toContain('Not shown: 1 more cause (1 case). To get all cases, pass --json FILE.');
});
