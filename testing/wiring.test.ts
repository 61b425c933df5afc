/**
 * Finds incomplete changes within seconds: a setting that no code uses, judges, or learns, or a rule without a defect.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RULES } from '../conformance/plan/plan.ts';
import { LAST_PROBES, OBSERVATIONS, PROBES } from '../conformance/settings/settings.ts';
import { DEFECTS } from '../mock/defects/defects.ts';
import { loadContract } from '../spec/contract.ts';
import { SETTINGS, type SettingName } from '../spec/profile/profile.ts';
import { loadRequirements } from '../spec/requirements.ts';

const ROOT = join(import.meta.dirname, '..');
const contract = loadContract();

/** The code that applies settings, without their declarations and the suite. */
const readers = globSync('{spec,generator,mock}/**/*.ts', { cwd: ROOT })
  .filter((path) => !/\.test\.ts$|^spec\/profile\/settings\.ts$|^mock\/defects\//.test(path))
  .map((path) => readFileSync(join(ROOT, path), 'utf8'))
  .join('\n');

/** Settings that no rule judges, and why. */
const UNJUDGED: Partial<Record<SettingName, string>> = {};

/** Settings that nothing learns, and why. */
const UNLEARNED: Partial<Record<SettingName, string>> = {};

describe.each(SETTINGS.map((setting) => [setting.name, setting] as const))(
  'the setting %s',
  (name, setting) => {
    test('is read by what speaks the profile, where there are options to tell apart', () => {
      const word = RegExp.escape(name);
      const isRead = new RegExp(`'${word}'|\\bprofile\\.${word}\\b|{ ${word} } = \\S*profile`).test(readers);
      expect({ name, isRead: isRead || setting.variants.length === 1 }).toEqual({ name, isRead: true });
    });

    test('is judged by a rule', () => {
      const isJudged = RULES.some((rule) => rule.setting === name);
      expect({ name, isJudged }).toEqual({ name, isJudged: UNJUDGED[name] === undefined });
    });

    test('is learned by a probe or an observation', () => {
      const isProbed = [...PROBES, ...LAST_PROBES].some(({ settings }) => settings.includes(name));
      const isLearned = isProbed || OBSERVATIONS.some((observation) => observation.name === name);
      expect({ name, isLearned }).toEqual({ name, isLearned: UNLEARNED[name] === undefined });
    });
  },
);

describe('every rule', () => {
  const ids = new Set(RULES.map(({ id }) => id));

  test('has an id of its own, a statement it tests, and a setting that there is', () => {
    expect(ids.size).toBe(RULES.length);
    const tested = new Set([...loadRequirements().values()].flatMap(({ rules }) => rules ?? []));
    const names = new Set<string>(SETTINGS.map(({ name }) => name));
    const wrong = RULES.filter(({ id, level, setting }) =>
      level === 'assumed' ? !names.has(setting ?? '') : level === 'stated' && !tested.has(id),
    );
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test('that is no assumption is shown by a defect that there is a place for', () => {
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
});
