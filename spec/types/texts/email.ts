import { NO_SCALAR, type WireType } from '../wire-type.ts';
import { compareTexts } from './compare-texts.ts';

/** `email`: an address; samples stay in a domain that is reserved and never receives mail. */
export const email: WireType = {
  schema: () => ({ type: 'string', format: 'email' }),
  encode: (value) => value,
  decode: (wire) => wire,
  compare: compareTexts,
  sample: (number, { field }) => `${field.name.toLowerCase()}-${number}@example.test`,
  edges: () => ['first.last+tag@example.test'],
  counterSamples: () => ['no-address', ...NO_SCALAR],
};
