import { stringify } from 'yaml';
import { SETTINGS, type Setting } from '../../spec/profile/profile.ts';

const HEAD = `# yaml-language-server: $schema=../schemas/profile.schema.json
# Generated from spec/profile/settings by \`npm run generate\`.
#
# The default profile: an answer to every question that the source leaves open. Nothing here is stated. A service that
# differs speaks another profile and is not wrong; its file holds the settings that differ. Every setting may also be
# \`unknown\`: then its default is supposed, and the suite skips what rests on it. \`{ unknown: VALUE }\` supposes VALUE.`;

/** The text of \`profile.default.yaml\`: each setting with its default, below its meaning, section and other answers. */
export function renderReference(): string {
  return `${[HEAD, ...SETTINGS.map(renderSetting)].join('\n\n')}\n`;
}

function renderSetting({ about, default: own, name, section, variants, when }: Setting): string {
  const others = variants.slice(1).map(write);
  const lines = [
    ...fold(`${about} Left open in section ${section}.`),
    ...(others.length === 0 ? [] : fold(`Others: ${others.join(' · ')}`)),
    ...when.map(([other, values]) => `Means something where ${other} is ${values.join(' or ')}.`),
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
