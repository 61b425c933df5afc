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
import { exchangeLine } from '../settings/observation.ts';
import { type Learned, learnedTerms } from './learn.ts';

type Style = Parameters<typeof styleText>[0];

const LONGEST_VALUE = 40;
const LONGEST_REASON = 160;
const LONGEST_SUMMARY = 4000;

/** Renders the result for a terminal: setting, value, and evidence, then notes and the summary. */
export function renderLearned(learned: Learned, { color }: { readonly color: boolean }): string {
  const { deviations, leftovers, settings, warning, write } = learned;
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const rows = [...settings].map(([setting, finding]) =>
    finding.kind === 'found'
      ? {
          setting,
          value: oneLine(showOption(finding.value), LONGEST_VALUE),
          style: 'green' as const,
          seen: exchangeLine(finding.evidence),
        }
      : { setting, value: UNKNOWN, style: 'yellow' as const, seen: oneLine(finding.reason, LONGEST_REASON) },
  );
  const widest = Math.max(0, ...rows.map(({ setting }) => setting.length));
  const broadest = Math.max(0, ...rows.map(({ value }) => value.length));
  const table = rows.map(
    ({ seen, setting, style, value }) =>
      `${setting.padEnd(widest)}  ${paint(style, value.padEnd(broadest))}  ${paint('gray', seen)}`,
  );
  const deviating = deviations.map(({ text }) => `  ${oneLine(text)}`);
  const left = listed(
    leftovers.map((one) => oneLine(one)),
    50,
  );
  const notes = [
    deviating.length > 0 && ['Deviations, which the profile names in except:', ...deviating].join('\n'),
    warning !== undefined &&
      `This service might not be the expected API: ${oneLine(warning)}. Check the base URL.`,
    left !== '' && `Could not be removed. Delete these records yourself: ${left}`,
    !write &&
      'learn sent only GET requests. To learn more settings, pass --write, which creates and deletes records.',
  ].filter((note) => note !== false);
  return `${[table.join('\n'), ...notes, oneLine(summarizeLearned(learned), LONGEST_SUMMARY)].join('\n\n')}\n`;
}

/** One line: `learned 36 of 43 settings (7 unknown): delete.effect remove`. */
export function summarizeLearned({ profile, settings }: Learned): string {
  const findings = [...settings.values()];
  const found = findings.filter(({ kind }) => kind === 'found').length;
  const unknown = findings.length - found;
  const isKnown = (text: string) => profile.unknown[text.split(' ')[0] as SettingName] === undefined;
  const differs = describeProfile(profile).filter(isKnown);
  const such = differs.join(', ') || 'the learned ones equal the default profile';
  return `learned ${found} of ${findings.length} settings${unknown > 0 ? ` (${unknown} unknown)` : ''}${found > 0 ? `: ${such}` : ''}`;
}

/**
 * Returns a profile file with the findings. A comment above each found setting has the exchange that shows it. A comment
 * above each unknown one has the reason; its value is the best fit, if there is one.
 */
export function renderProfile(learned: Learned): string {
  const head = [
    `# The profile of ${oneLine(learned.target)}, learned from its responses.`,
    `# ${oneLine(summarizeLearned(learned), LONGEST_SUMMARY)}`,
  ];
  const { profile } = learnedTerms(learned);
  const parts = SETTINGS.map(({ name }) => renderSetting(name, learned, profile));
  return `${[head.join('\n'), ...parts, ...renderExceptions(learned)].join('\n\n')}\n`;
}

/** Writes the exceptions, with a comment above each place. */
function renderExceptions({ deviations, profile: { except } }: Learned): string[] {
  const entries = Object.entries(except).map(([place, options]) => {
    const texts = deviations.filter((one) => one.place === place).map(({ text }) => `  # ${oneLine(text)}`);
    return [...texts, `  ${place}: ${write(options)}`];
  });
  return entries.length > 0 ? [[`${EXCEPT}:`, ...entries.flat()].join('\n')] : [];
}

function renderSetting(setting: SettingName, { settings }: Learned, profile: Profile): string {
  const value = write(profile[setting]);
  const finding = settings.get(setting);
  if (finding?.kind === 'found') return `# ${exchangeLine(finding.evidence)}\n${setting}: ${value}`;
  const said = profile.unknown[setting]?.fits ? `{ ${UNKNOWN}: ${value} }` : UNKNOWN;
  return `# ${oneLine(finding?.reason ?? '')}\n${setting}: ${said}`;
}

function write(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}
