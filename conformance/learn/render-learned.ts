import { styleText } from 'node:util';
import { stringify } from 'yaml';
import {
  describeProfile,
  EXCEPT,
  type Profile,
  SETTINGS,
  type SettingName,
  showOption,
  UNKNOWN,
} from '../../spec/profile/profile.ts';
import { listed, oneLine } from '../results/text.ts';
import { exchangeLine, type LearnedSetting } from '../settings/observation.ts';
import { type Learned, learnedTerms } from './learn.ts';

type Style = Parameters<typeof styleText>[0];

const LONGEST_VALUE = 40;
const LONGEST_SUMMARY = 4000;

/** Renders the result for a terminal: setting, value, and evidence, then notes and the summary. */
export function renderLearned(learned: Learned, { color }: { readonly color: boolean }): string {
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const rows = [...learned.settings].map(([setting, finding]) => ({
    setting,
    finding,
    value: shownValue(finding),
  }));
  const widest = Math.max(0, ...rows.map(({ setting }) => setting.length));
  const broadest = Math.max(0, ...rows.map(({ value }) => value.length));
  const table = rows.map(({ setting, finding, value }) => {
    const style = STYLES[finding.kind];
    return `${setting.padEnd(widest)}  ${paint(style, value.padEnd(broadest))}  ${paint('gray', howSeen(finding))}`;
  });
  const notes = [
    ...(learned.deviations.length > 0
      ? [
          [
            'Deviations, which the profile names in except:',
            ...learned.deviations.map(({ text }) => `  ${oneLine(text)}`),
          ].join('\n'),
        ]
      : []),
    ...(learned.warning === undefined
      ? []
      : [`This service might not be the expected API: ${oneLine(learned.warning)}. Check the base URL.`]),
    ...(learned.leftovers.length > 0
      ? [
          `Could not be removed. Delete these records yourself: ${listed(
            learned.leftovers.map((one) => oneLine(one)),
            50,
          )}`,
        ]
      : []),
    ...(learned.write
      ? []
      : [
          'learn sent only GET requests. To learn more settings, pass --write, which creates and deletes records.',
        ]),
  ];
  return `${[table.join('\n'), ...notes, oneLine(summarizeLearned(learned), LONGEST_SUMMARY)].join('\n\n')}\n`;
}

const STYLES: Readonly<Record<LearnedSetting['kind'], Style>> = {
  found: 'green',
  unknown: 'yellow',
};

function shownValue(finding: LearnedSetting): string {
  if (finding.kind === 'unknown') return 'unknown';
  return oneLine(showOption(finding.value), LONGEST_VALUE);
}

function howSeen(finding: LearnedSetting): string {
  return finding.kind === 'found' ? exchangeLine(finding.evidence) : oneLine(finding.reason, 160);
}

/** One line: `learned 36 of 43 settings (7 unknown): delete.effect remove`. */
export function summarizeLearned({ profile, settings }: Learned): string {
  const kinds = Map.groupBy(settings.values(), ({ kind }) => kind);
  const count = (kind: LearnedSetting['kind']) => kinds.get(kind)?.length ?? 0;
  const isKnown = (text: string) => profile.unknown[text.split(' ')[0] as SettingName] === undefined;
  const differs = describeProfile(profile).filter(isKnown);
  const such = differs.length > 0 ? differs.join(', ') : 'the learned ones equal the default profile';
  return [
    `learned ${count('found')} of ${settings.size} settings`,
    count('unknown') > 0 ? ` (${count('unknown')} unknown)` : '',
    count('found') > 0 ? `: ${such}` : '',
  ].join('');
}

/**
 * Returns a profile file with the findings. A comment above each found setting has the exchange that shows it. A comment
 * above each unknown one has the reason; its value is the best fit, if there is one.
 */
export function renderProfile(learned: Learned): string {
  const head = [
    `# The profile of ${oneLine(learned.target)}, learned from its responses.`,
    `# ${oneLine(summarizeLearned(learned), 4000)}`,
  ];
  const { profile } = learnedTerms(learned);
  const parts = SETTINGS.map(({ name }) => renderSetting(name, learned.settings.get(name), profile));
  return `${[head.join('\n'), ...parts, ...renderExceptions(learned)].join('\n\n')}\n`;
}

/** Writes the exceptions, with a comment above each place. */
function renderExceptions({ deviations, profile: { except } }: Learned): string[] {
  const entries = Object.entries(except).map(([place, options]) => {
    const texts = deviations.filter((one) => one.place === place).map(({ text }) => `  # ${oneLine(text)}`);
    return [...texts, `  ${place}: ${stringify(options, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`];
  });
  return entries.length > 0 ? [[`${EXCEPT}:`, ...entries.flat()].join('\n')] : [];
}

function renderSetting(setting: SettingName, finding: LearnedSetting | undefined, profile: Profile): string {
  const value = stringify(profile[setting], { collectionStyle: 'flow', lineWidth: 0 }).trim();
  if (finding?.kind === 'found') {
    const note = finding.note === undefined ? '' : `# ${oneLine(finding.note)}\n`;
    return `# ${exchangeLine(finding.evidence)}\n${note}${setting}: ${value}`;
  }
  const said = profile.unknown[setting]?.fits ? `{ ${UNKNOWN}: ${value} }` : UNKNOWN;
  return `# ${oneLine(finding?.reason ?? 'it was not tested')}\n${setting}: ${said}`;
}
