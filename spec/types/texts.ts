import { NO_SCALAR, type Value, type WireType } from './wire-type.ts';

/** One for all: making a collator costs more than a thousand comparisons. */
const collator = new Intl.Collator('es');

/** `string`, `text` and `markdown`: the source sets no bound; the profile's `limits.text` does. */
const text: WireType = {
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

/** `email`: an address; samples stay in a domain that is reserved and never receives mail. */
const email: WireType = {
  schema: () => ({ type: 'string', format: 'email' }),
  encode: (value) => value,
  decode: (wire) => wire,
  compare: compareTexts,
  sample: (number, { field }) => `${field.name.toLowerCase()}-${number}@example.test`,
  edges: () => ['first.last+tag@example.test'],
  counterSamples: () => ['no-address', ...NO_SCALAR],
};

/** `url` and `image` (the address an image is found at, `types.image`). */
const url: WireType = {
  schema: () => ({ type: 'string', format: 'uri' }),
  encode: (value) => value,
  decode: (wire) => wire,
  sample: (number, { field }) => `https://example.test/${field.name}/${number}`,
  edges: () => ['https://example.test/a?b=c&d=%20#e'],
  counterSamples: () => ['no address', ...NO_SCALAR],
};

/** The types whose values are texts; an image is named by its address. */
export const TEXT_TYPES = { string: text, text, markdown: text, email, url, image: url };

/** The order of texts as people look for them: accents beside their letter, ñ after n, capitals beside small ones. */
function compareTexts(one: Value, other: Value): number {
  return collator.compare(String(one), String(other));
}
