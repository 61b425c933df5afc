import { styleText } from 'node:util';
import { describeProfile } from '../../spec/profile/profile.ts';
import { exchangeLine, oneLine } from './exchange-line.ts';
import type { Finding } from './finding.ts';
import type { Learned } from './learn.ts';

type Style = Parameters<typeof styleText>[0];

const LONGEST_VALUE = 40;
const LONGEST_SUMMARY = 4000;

/** What was learned for a terminal: setting, value, how it was seen; then what is left to do, and the summary. */
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
    ...(learned.doubt === undefined
      ? []
      : [`This may be no service of this interface: ${oneLine(learned.doubt)}. Is the base URL right?`]),
    ...(learned.leftovers.length > 0
      ? [
          `Not removed, please look after them: ${learned.leftovers
            .slice(0, 50)
            .map((one) => oneLine(one))
            .join(', ')}`,
        ]
      : []),
    ...(learned.write
      ? []
      : ['Only GET was sent; with --write records are made too, and more can be learned.']),
  ];
  return `${[table.join('\n'), ...notes, oneLine(summarizeLearned(learned), LONGEST_SUMMARY)].join('\n\n')}\n`;
}

const STYLES: Readonly<Record<Finding['kind'], Style>> = {
  found: 'green',
  unknown: 'yellow',
  'does-not-apply': 'gray',
};

function shownValue(finding: Finding): string {
  if (finding.kind !== 'found') return finding.kind === 'unknown' ? 'unknown' : '-';
  const { value } = finding;
  return oneLine(typeof value === 'string' && value !== '' ? value : JSON.stringify(value), LONGEST_VALUE);
}

function howSeen(finding: Finding): string {
  switch (finding.kind) {
    case 'found':
      return exchangeLine(finding.evidence);
    case 'unknown':
      return oneLine(finding.reason, 160);
    case 'does-not-apply':
      return oneLine(finding.because);
  }
}

/** One line: `learned 41 of 53 settings (4 unknown, 7 do not apply): delete.effect remove`. */
export function summarizeLearned({ profile, settings }: Learned): string {
  const kinds = Map.groupBy(settings.values(), ({ kind }) => kind);
  const count = (kind: Finding['kind']) => kinds.get(kind)?.length ?? 0;
  const rest = [
    ...(count('unknown') > 0 ? [`${count('unknown')} unknown`] : []),
    ...(count('does-not-apply') > 0 ? [`${count('does-not-apply')} do not apply`] : []),
  ];
  const differs = describeProfile(profile);
  const such = differs.length > 0 ? differs.join(', ') : 'all as in the default profile';
  return [
    `learned ${count('found')} of ${settings.size} settings`,
    rest.length > 0 ? ` (${rest.join(', ')})` : '',
    count('found') > 0 ? `: ${such}` : '',
  ].join('');
}
