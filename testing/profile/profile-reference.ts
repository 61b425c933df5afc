import { stringify } from 'yaml';
import { orList } from '../../spec/files/usage-error.ts';
import { SETTINGS, type Setting } from '../../spec/profile/profile.ts';

const HEAD = `# yaml-language-server: $schema=../schemas/profile.schema.json
# Generated from spec/profile/settings by \`npm run generate\`.
#
# The default profile: one value for every detail that the source leaves open. Every value is an assumption. A service
# that behaves differently is not wrong. It needs another profile file, with only the settings that differ. A setting can
# also be \`unknown\`. The generator and the mock then use the default, and the suite skips the cases that depend on the
# setting. \`{ unknown: VALUE }\` uses VALUE instead of the default.`;

/** The text of \`profile.default.yaml\`: each setting with its default, below its meaning, section and other answers. */
export function renderReference(): string {
  return `${[HEAD, ...SETTINGS.map(renderSetting)].join('\n\n')}\n`;
}

function renderSetting({ about, default: own, name, section, variants, when }: Setting): string {
  const others = variants.slice(1).map(write);
  const lines = [
    ...fold(`${about} Not specified in section ${section}.`),
    ...(others.length === 0 ? [] : fold(`Other values: ${others.join(' · ')}`)),
    ...when.map(([other, values]) => `Applies only if ${other} is ${orList(values.map(String))}.`),
  ];
  return `${lines.map((line) => `# ${line}`).join('\n')}\n${name}: ${write(own)}`;
}

function write(value: unknown): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim();
}

/** Lines of at most about 110 characters, broken between words. */
function fold(text: string): string[] {
  return text.match(/.{1,110}(?: |$)/g)?.map((line) => line.trim()) ?? [];
}
