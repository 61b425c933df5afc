import { truncateSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { complaintOf } from '../../testing/input-files/complaint.ts';
import { useDirectory } from '../../testing/temporary-directory.ts';
import { readYaml, readYamlFile } from './yaml-file.ts';

const { write } = useDirectory();

describe('a place in a YAML file', () => {
  test('has its value, file, and line', () => {
    const [[key, list] = []] = readYaml('# first\nlist:\n  - one\n  - { a: 1 }\n', 'f.yaml').entries();
    const items = list?.items() ?? [];
    expect([key, list?.value]).toEqual(['list', ['one', { a: 1 }]]);
    const lines = [list, ...items].map((place) => complaintOf(() => place?.fail('no')));
    expect(lines).toEqual(['f.yaml:3: no', 'f.yaml:3: no', 'f.yaml:4: no']);
    expect(items[0]?.text()).toBe('one');
  });

  test('reports its type if another one is expected', () => {
    const root = readYaml('a: 1\nb: [x]\nc:\nd: { e: f }', 'f.yaml');
    const [a, b, c, d] = root.entries().map(([, value]) => value);
    expect(complaintOf(() => a?.text())).toBe('f.yaml:1: Expected a string for a, but found 1.');
    expect(complaintOf(() => b?.entries())).toBe('f.yaml:2: Expected a mapping for b, but found a list.');
    expect(complaintOf(() => c?.items())).toBe('f.yaml:3: Expected a list for c, but found nothing.');
    expect(complaintOf(() => d?.items())).toBe('f.yaml:4: Expected a list for d, but found a mapping.');
    expect(complaintOf(() => root.fail('enough'))).toBe('f.yaml:1: enough');
  });

  test('distinguishes numbers, booleans, and strings in keys', () => {
    const entries = readYaml('1: a\n"1": b\ntrue: c\n2025-10-22: d', 'f').entries();
    expect(entries.map(([key]) => key)).toEqual([1, '1', true, '2025-10-22']);
  });

  test('has the line of its anchor or alias', () => {
    const [, second] = readYaml('a: &x { b: 1 }\nc: *x\n', 'f').entries();
    expect(complaintOf(() => second?.[1].fail('no'))).toBe('f:2: no');
    expect(second?.[1].entries().map(([key, value]) => [key, value.value])).toEqual([['b', 1]]);
    expect(readYaml('- &x b\n- { *x : 2 }\n', 'f').items()[1]?.entries()[0]?.[0]).toBe('b');
  });

  test('can follow a byte order mark', () => {
    expect(readYaml('\uFEFFa: 1', 'f').value).toEqual({ a: 1 });
  });

  test('can have names of object members, such as __proto__', () => {
    const { value } = readYaml('__proto__: { admin: true }\nconstructor: 1', 'f');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect((value as { admin?: unknown }).admin).toBeUndefined();
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });
});

const bomb = Array.from({ length: 12 }, (_, level) =>
  level === 0 ? 'l0: &l0 [x]' : `l${level}: &l${level} [${`*l${level - 1},`.repeat(9)}]`,
).join('\n');

test.each([
  ['if it is malformed', 'a: 1\nb: [', /^f:2: /],
  ['if a key is repeated', 'a: 1\n\na: 2', /^f:3: The YAML is malformed: Map keys must be unique\.$/],
  [
    'if it contains two documents',
    'a: 1\n---\nb: 1',
    /^f:2: The YAML is malformed: Source contains multiple/,
  ],
  ['if its aliases expand excessively', bomb, /^f:1: The YAML can't be loaded: Excessive alias count/],
  ['if an alias has no anchor', 'a: *x', /^f:1: The YAML can't be loaded: Unresolved alias/],
  ['if an alias is inside its anchor', 'a: 1\nb: &x [*x]', /^f:2: The alias \*x contains itself\. Remove/],
  ['if it has excessive nesting', '['.repeat(20_000), /^f:1: /],
])('a YAML text is rejected %s', (_name, text, reason) => {
  expect(complaintOf(() => readYaml(text, 'f'))).toMatch(reason);
});

test.each([
  ['nothing', '? \n: x'],
  ['a mapping', '{ a: 1 }: x'],
  ['a list', '? [a]\n: x'],
])('a YAML text is rejected if %s is a key', (what, text) => {
  expect(complaintOf(() => readYaml(text, 'f').entries())).toBe(
    `f:1: A key must be a string or a number, but is ${what}.`,
  );
});

describe('a YAML file is rejected', () => {
  test('if it is a device', () => {
    expect(complaintOf(() => readYamlFile('/dev/zero'))).toMatch(
      /zero is not a regular file\. Name a YAML file\.$/,
    );
  });

  test('if it is larger than 8 MiB', () => {
    const file = write('a.yaml', '');
    truncateSync(file, 8 * 1024 * 1024 + 1);
    expect(complaintOf(() => readYamlFile(file))).toMatch(
      /a\.yaml is too large: it has 8388609 bytes, and the limit is 8388608\. Check that it is the file you meant\.$/,
    );
  });
});
