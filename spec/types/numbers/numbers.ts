import { currency } from './currency.ts';
import { float } from './float.ts';
import { int } from './int.ts';
import { percent } from './percent.ts';

/** The types whose values are numbers. */
export const NUMBER_TYPES = { int, float, currency, percent };
