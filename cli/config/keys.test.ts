import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { kitFile } from '../../spec/files/kit-file.ts';
import { endWith, useCommand, WITH_DEFAULTS } from '../../testing/use-command.ts';
import { addOptions, CHECK } from '../options.ts';
import { COMMAND_LINE_ONLY, GROUPS, NAMED_VALUES, OF_ONE_SERVICE, REPLACES, SECRETS } from './keys.ts';

const { directory, run } = useCommand();
const { options } = addOptions(new Command(), CHECK);
const flags = options.map(({ long }) => long?.slice(2) ?? '');
const schema = JSON.parse(readFileSync(kitFile('spec/schemas/config.schema.json'), 'utf8'));
const isValid = new Ajv2020({ strictTypes: false, keywords: ['x-expected'] }).compile(schema);

test('each flag of check is a key of the file, or has a reason in COMMAND_LINE_ONLY', () => {
  const named = Object.values(NAMED_VALUES).map(({ flag }) => flag);
  const others = flags.filter((flag) => !named.includes(flag) && schema.$defs[flag] === undefined);
  expect(others.filter((flag) => COMMAND_LINE_ONLY[flag] === undefined)).toEqual([]);
});

test('the tables of keys contain only flags of check', () => {
  const named = [
    ...Object.values(GROUPS).flat(),
    ...Object.values(NAMED_VALUES).map(({ flag }) => flag),
    ...Object.entries(REPLACES).flat(2),
    ...Object.keys(COMMAND_LINE_ONLY).filter((name) => name !== 'config'),
    ...OF_ONE_SERVICE,
    ...Object.keys(SECRETS),
  ];
  expect(named.filter((name) => !flags.includes(name))).toEqual([]);
});

test('the placeholder of a flag with a path is file or dir', () => {
  const called = options.flatMap(({ flags: written }) => /<([^>]+)>/.exec(written)?.[1] ?? []);
  const others = new Set(called.filter((name) => name !== 'file' && name !== 'dir'));
  expect([...others].toSorted().join(' ')).toBe(
    'id ids levels line model.field=value ms name=value names number percent seconds text token user:password',
  );
});

test.each([
  'url: http://127.0.0.1:1',
  `bearer: \${TOKEN}`,
  `basic: "me:\${PASSWORD}"`,
  `api-key: X-Api-Key=\${KEY}`,
  `limits: { rate: 5, timeout: "\${TIMEOUT}" }`,
  'models: [brand]',
  'pins: { brand.name: x, customer.disableNotifications: true }',
  'targets: { a: { url: http://127.0.0.1:2, tag: abcd } }',
])('editors and the command accept %s', async (line) => {
  expect({ line, errors: isValid(parse(line)) || isValid.errors }).toEqual({ line, errors: true });
  directory.write('record-model.yaml', `${line}\n`);
  // The port is closed, so an accepted file ends with 3, or with 2 for a variable that is not set.
  const { stderr } = await run('check', 'http://127.0.0.1:1', ...WITH_DEFAULTS);
  expect(stderr).toMatch(/can't be reached|is not set/);
});

test.each([
  'write: true',
  'targets: { a: { write: true } }',
  'basic: me:t0ken',
  'api-key: X-Api-Key=t0ken',
  'limits: { rate: 0 }',
  'tag: "?"',
  'profile: 5',
  'targets: { a: { targets: {} } }',
])('editors and the command reject %s', async (line) => {
  expect({ line, isValid: isValid(parse(line)) }).toEqual({ line, isValid: false });
  directory.write('record-model.yaml', `${line}\n`);
  const { code, stderr } = await run('check', 'http://127.0.0.1:1', ...WITH_DEFAULTS);
  expect({ code, stderr }).toMatchObject(endWith(2, 'record-model.yaml:1: '));
});
