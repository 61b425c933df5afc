import { NO_SCALAR, type WireType } from '../wire-type.ts';
import { compareTexts } from './compare-texts.ts';

/** `string`, `text` and `markdown`: the source sets no bound; the profile's `limits.text` does. */
export const text: WireType = {
  schema: ({ profile }) => {
    const longest = profile['limits.text'];
    return { type: 'string', ...(longest === 'none' ? {} : { maxLength: longest }) };
  },
  encode: (value) => value,
  decode: (wire) => wire,
  compare: compareTexts,
  sample: (number, { field, profile }) => {
    const longest = profile['limits.text'];
    const full = `${field.name} ${number}`;
    // Without a space in front, which a service may cut off.
    return longest === 'none' ? full : full.slice(-longest).trimStart();
  },
  edges: ({ profile }) => ['0012'.slice(0, profile['limits.text'] === 'none' ? 4 : profile['limits.text'])],
  counterSamples: () => NO_SCALAR,
};
