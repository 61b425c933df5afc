import { stringify } from 'yaml';
import { type Profile, SETTINGS, type SettingName, UNKNOWN } from '../../spec/profile/profile.ts';
import { exchangeLine, oneLine } from './exchange-line.ts';
import type { Finding } from './finding.ts';
import type { Learned } from './learn.ts';
import { learnedTerms } from './learned-terms.ts';
import { summarizeLearned } from './render-learned.ts';

/**
 * A profile file with what was learned, for every verb that takes one. A found setting stands below the exchange that
 * shows it. An unknown one stands below the reason, with the value that fits what was seen, if one does. One that does
 * not apply is a comment.
 */
export function renderProfile(learned: Learned): string {
  const head = [
    `# The profile of ${oneLine(learned.target)}, found out by asking it.`,
    `# ${oneLine(summarizeLearned(learned), 4000)}`,
  ];
  const { profile } = learnedTerms(learned);
  const parts = SETTINGS.map(({ name }) => renderSetting(name, learned.settings.get(name), profile));
  return `${[head.join('\n'), ...parts].join('\n\n')}\n`;
}

function renderSetting(setting: SettingName, finding: Finding | undefined, profile: Profile): string {
  const value = stringify(profile[setting], { collectionStyle: 'flow', lineWidth: 0 }).trim();
  switch (finding?.kind) {
    case 'found':
      return `# ${exchangeLine(finding.evidence)}\n${setting}: ${value}`;
    case 'does-not-apply':
      return `# ${setting} does not apply: ${oneLine(finding.because)}`;
    default: {
      const said = profile.unknown[setting]?.fits ? `{ ${UNKNOWN}: ${value} }` : UNKNOWN;
      return `# ${oneLine(finding?.reason ?? 'it was not asked for')}\n${setting}: ${said}`;
    }
  }
}
