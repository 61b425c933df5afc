import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { DEFAULT_PROFILE, SETTINGS, type SettingName } from '../../spec/profile/profile.ts';
import { exchangeLine, oneLine } from './exchange-line.ts';
import type { Finding } from './finding.ts';
import type { Learned } from './learn.ts';
import { summarizeLearned } from './render-learned.ts';

/**
 * A profile file with what was learned, for every verb that takes one: a found setting below the exchange that shows
 * it; an unknown one, or one that does not apply, as a comment with the reason.
 */
export function renderProfile(learned: Learned): string {
  const head = [
    `# The profile of ${oneLine(learned.target)}, found out by asking it.`,
    `# ${oneLine(summarizeLearned(learned), 4000)}`,
  ];
  const parts = SETTINGS.map(({ name }) => {
    const setting = name as SettingName;
    return renderSetting(setting, learned.settings.get(setting), learned.profile[setting]);
  });
  return `${[head.join('\n'), ...parts].join('\n\n')}\n`;
}

function renderSetting(setting: SettingName, finding: Finding | undefined, value: unknown): string {
  const line = stringify({ [setting]: value }, { collectionStyle: 'flow', lineWidth: 0 })
    .trim()
    .replace(/^\{ (.*) \}$/s, '$1');
  switch (finding?.kind) {
    case 'found':
      return `# ${exchangeLine(finding.evidence)}\n${line}`;
    case 'does-not-apply':
      return `# ${setting} does not apply: ${oneLine(finding.because)}`;
    default: {
      // A size that gave way to the other one has to be said: the default would not hold together with that.
      const mark = isDeepStrictEqual(value, DEFAULT_PROFILE[setting]) ? '# ' : '';
      return `# unknown: ${oneLine(finding?.reason ?? 'it was not asked for')}\n${mark}${line}`;
    }
  }
}
