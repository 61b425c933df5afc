import { UsageError, unexpected } from './usage-error.ts';

/** The expected form of an option, in words for the message, and a check of a value. */
export type OptionForm = readonly [expected: string, fits: (value: unknown) => boolean];

/** Throws UsageError for an unknown option, and for a value that doesn't fit. An undefined value is no value. */
export function checkOptions(options: object, forms: Readonly<Record<string, OptionForm>>): void {
  for (const name of Object.keys(options))
    if (!Object.hasOwn(forms, name)) throw new UsageError(unexpected('option', name, Object.keys(forms)));
  checkForms(options, forms);
}

/** The same where other options are possible. */
export function checkForms(options: object, forms: Readonly<Record<string, OptionForm>>): void {
  for (const [name, [expected, fits]] of Object.entries(forms)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value === undefined || fits(value)) continue;
    throw new UsageError(`Option ${name} must be ${expected}, but is ${showValue(value)}.`);
  }
}

export const isString = (value: unknown): value is string => typeof value === 'string' && value !== '';
export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
export const isFunction = (value: unknown): boolean => typeof value === 'function';
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isListOf = (fits: (one: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(fits);
export const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

/** Returns a value as a message shows it. */
export function showValue(value: unknown): string {
  if (typeof value === 'number' || value instanceof Date) return String(value);
  if (typeof value === 'function') return 'a function';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
