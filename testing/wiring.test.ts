/**
 * Finds incomplete changes within seconds: a setting that no code uses, judges, or learns, or a rule without a defect.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RULES } from '../conformance/plan/plan.ts';
import { LAST_PROBES, OBSERVATIONS, PROBES } from '../conformance/settings/settings.ts';
import { DEFECTS } from '../mock/defects/defects.ts';
import { loadContract } from '../spec/contract.ts';
import { SETTINGS } from '../spec/profile/profile.ts';

const ROOT = join(import.meta.dirname, '..');
const contract = loadContract();

/** The code that applies settings, without their declarations and the suite. */
const readers = globSync('{spec,generator,mock}/**/*.ts', { cwd: ROOT })
  .filter((path) => !/\.test\.ts$|^spec\/profile\/settings\.ts$|^mock\/defects\//.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');

test('each setting is read, judged by a rule, and learned', () => {
  const incomplete = SETTINGS.flatMap(({ name, variants }) => {
    const word = RegExp.escape(name);
    const isRead = new RegExp(`'${word}'|\\bprofile\\.${word}\\b|{ ${word} } = \\S*profile`).test(readers);
    const isProbed = [...PROBES, ...LAST_PROBES].some(({ settings }) => settings.includes(name));
    return [
      ...(isRead || variants.length === 1 ? [] : [`${name} is not read`]),
      ...(RULES.some((rule) => rule.setting === name) ? [] : [`${name} is not judged`]),
      ...(isProbed || OBSERVATIONS.some(({ setting }) => setting === name) ? [] : [`${name} is not learned`]),
    ];
  });
  expect(incomplete).toEqual([]);
});

const ids = new Set(RULES.map(({ id }) => id));

test('each assumed rule has an existing setting', () => {
  const names = new Set<string>(SETTINGS.map(({ name }) => name));
  const wrong = RULES.filter(({ level, setting }) => level === 'assumed' && !names.has(setting ?? ''));
  expect(wrong.map(({ id }) => id)).toEqual([]);
});

test('each other rule has a defect with a place in the catalogue', () => {
  const models = [...contract.catalogue.models.values()];
  const shown = new Set(
    DEFECTS.flatMap((defect) =>
      models.some((model) => defect.places(model, contract).length > 0) ? defect.rules : [],
    ),
  );
  const unseen = RULES.filter(({ id, level }) => level !== 'assumed' && !shown.has(id));
  expect(unseen.map(({ id }) => id)).toEqual([]);
  expect([...shown].filter((id) => !ids.has(id))).toEqual([]);
});
