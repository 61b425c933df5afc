import { NO_SCALAR, type WireType } from './wire-type.ts';

/** `string`, `text` and `markdown`: the source sets no bound; the profile's `limits.text` does. */
export const text: WireType = {
  schema: ({ profile }) => {
    const longest = profile['limits.text'];
    return { type: 'string', ...(longest === 'none' ? {} : { maxLength: longest }) };
  },
  encode: (value) => value,
  decode: (wire) => wire,
  sample: (number, { field, profile }) => {
    const longest = profile['limits.text'];
    const full = `${field.name} ${number}`;
    return longest === 'none' ? full : full.slice(-longest);
  },
  edges: () => ['0012'],
  counterSamples: () => NO_SCALAR,
};
