import { chownSync, mkdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runIn } from '../../testing/command.ts';
import { useCommand } from '../../testing/use-command.ts';

const { directory, run, runWith } = useCommand();

/** Runs a check with a file, and returns the lines of standard error. */
async function mistakesIn(text: string, ...args: readonly string[]): Promise<string[]> {
  directory.write('record-model.yaml', text);
  const { code, stderr, stdout } = await run('check', ...args);
  expect({ code, stderr, stdout }).toMatchObject({ code: 2, stdout: '' });
  return stderr.trimEnd().replace('record-model: ', '').replaceAll('record-model.yaml:', '').split('\n');
}

test('all mistakes are reported at once, with file and line', async () => {
  const lines = [
    'url: localhost',
    'profle: x',
    'profile: missing.yaml',
    'rate: 5',
    'pin: 3',
    'models: [brand, brnd]',
    'area: Stok',
    'rule: nope.never',
    'level: [stated, stat]',
    'explore: many',
    'tag: "?"',
    'pins: { brand.nam: 1 }',
    'fail-fast: yes',
    `seed: \${SEED}`,
    'reports: { html: none/r.html, rate: 1, jsn: x }',
    'limits: { timeout: 0 }',
    'targets: { "a b": {}, b: { url: ftp://x, targets: {} } }',
    'case: a',
  ];
  const found = await mistakesIn(`${lines.join('\n')}\n`);
  const expected = [
    [1, '"localhost" is not a base URL.'],
    [2, 'Unknown key "profle". Did you mean "profile"?'],
    [4, '"rate" belongs in limits. Write limits: { rate: … }.'],
    [5, 'Unknown key "pin". Did you mean "pins"?'],
    [10, 'Expected a whole number, but found "many".'],
    [11, 'Invalid value "?" for tag. Pass 2 to 12 letters and digits.'],
    [13, 'Expected true or false, but found "yes".'],
    [15, '"rate" belongs in limits.'],
    [15, 'Unknown key "jsn". Did you mean "json"?'],
    [16, 'Invalid value 0 for timeout. Pass a whole number from 1 to 600000.'],
    [17, '"a b" can\'t be the name of a target.'],
    [17, '"ftp://x" is not a base URL.'],
    [17, 'Unknown key "targets".'],
    [18, '"case" belongs to one run. Remove it, and pass --case on the command line.'],
    [6, 'Unknown model "brnd". Did you mean "brand"?'],
    [7, 'Unknown area "stok". Did you mean "stock"?'],
    [8, 'Unknown rule "nope.never".'],
    [9, 'Unknown level "stat".'],
    [12, '--pin: Unknown field "brand.nam". Did you mean "brand.name"?'],
    [3, 'There is no missing.yaml. Correct the path, which is relative to record-model.yaml.'],
  ] as const;
  const starts = expected.map(([line, text]) => `${line}: ${text}`);
  expect(found.slice(0, starts.length).map((line, at) => line.slice(0, starts[at]?.length))).toEqual(starts);
  expect(found.slice(starts.length)).toEqual(['There are 2 more mistakes.']);
});

const SECRET = 't0ps3cret';

test.each([
  `bearer: ${SECRET}`,
  `bearer: "${SECRET}\${NAME}"`,
  `api-key: X-Api-Key=${SECRET}`,
  `headers: { Authorization: Bearer ${SECRET} }`,
  `headers: ["Authorization: ${SECRET}"]`,
  `targets: { a: { bearer: ${SECRET} } }`,
  `url: http://me:${SECRET}@127.0.0.1`,
  `limits: { bearer: ${SECRET} }`,
])('a secret can stand only in the environment, and is not printed: %s', async (line) => {
  const found = await mistakesIn(`${line}\n`, 'http://127.0.0.1:1');
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^1: /);
  expect(found[0]).not.toContain(SECRET);
});

test('a secret is not printed if its variable has a value that does not fit', async () => {
  directory.write('record-model.yaml', `url: http://127.0.0.1:1\nlimits: { rate: "\${RATE}" }\n`);
  const { code, stderr } = await runWith({ RATE: SECRET }, 'check');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `record-model: record-model.yaml:2: Invalid value "\${RATE}" for rate. Pass a whole number from 1 to 100000.\n`,
  });
});

test('a secret needs a variable that is set, and all others are named', async () => {
  directory.write(
    'record-model.yaml',
    `url: \${URL}\nbearer: \${TOKEN}\nheaders:\n  X-Tenant: \${TENANT}\ntargets: { a: { basic: "\${A}" } }\n`,
  );
  const { code, stderr } = await runWith({ TENANT: '' }, 'check');
  expect({ code, lines: stderr.match(/\d+: The variable \w+/g) }).toEqual({
    code: 2,
    lines: ['2: The variable TOKEN', '4: The variable TENANT', '1: The variable URL'],
  });
  expect(await mistakesIn(`url: "\${MY URL}"\n`)).toEqual([
    `1: A variable of the environment needs a name of letters, digits, and underscores, such as \${STAGING_TOKEN}.`,
  ]);
});

test.each([
  ['a huge one', `# ${'x'.repeat(70_000)}\n`, /too large: it has 70003 bytes, and the limit is 65536/],
  ['an alias of itself', 'targets: &a { b: *a }\n', /contains itself/],
  ['__proto__', '__proto__: { url: http://127.0.0.1:1 }\n', /Unknown key "__proto__"/],
  ['__proto__ in a mapping', 'limits: { __proto__: { rate: 1 } }\n', /Unknown key "__proto__"/],
  ['a target __proto__', 'targets: { __proto__: {} }\n', /"__proto__" can't be the name of a target/],
  ['duplicate keys', 'url: http://a\nurl: http://b\n', /Map keys must be unique/],
])('a hostile file is refused: %s', async (_, text, message) => {
  const found = await mistakesIn(text);
  expect(found.join('\n')).toMatch(message);
  expect(found.join('\n')).not.toMatch(/\n\s+at /);
});

// Only root can give a file to another user.
test.skipIf(process.getuid?.() !== 0)(
  'a hostile file of another user is not used unless --config names it',
  async () => {
    const path = directory.write('record-model.yaml', 'url: http://127.0.0.1:1\nprofile: default.yaml\n');
    mkdirSync(directory.path('mine'));
    chownSync(path, 12_345, 12_345);
    const mine = directory.path('mine');
    const refused = await runIn(mine, ['check']);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^record-model: \.\.\/record-model\.yaml belongs to another user, .* --config/,
      ),
    });
    expect(await runIn(mine, ['check', '--config', '../record-model.yaml'])).toMatchObject({ code: 3 });
    // In a container, root often works in the directory of a user.
    chownSync(mine, 12_345, 12_345);
    expect(await runIn(mine, ['check'])).toMatchObject({ code: 3 });
  },
);
