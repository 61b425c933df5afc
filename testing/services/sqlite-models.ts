type Kind = 'string' | 'number' | 'boolean' | 'lines';
type Column = { readonly kind: Kind; readonly required?: boolean; readonly list?: readonly unknown[] };

const text: Column = { kind: 'string' };
const number: Column = { kind: 'number' };
const required = (column: Column): Column => ({ ...column, required: true });

/** Sections 2.1 and 2.3, as far as the tests need them. */
export const MODELS: Readonly<Record<string, Readonly<Record<string, Column>>>> = {
  brand: { name: required(text) },
  warehouse: { name: required(text), comments: text },
  supplier: {
    name: required(text),
    main: required({ kind: 'boolean' }),
    ...Object.fromEntries(
      ['logo', 'taxNumber', 'email', 'phone', 'web', 'street', 'street2', 'city', 'zipCode', 'comments'].map(
        (name) => [name, text],
      ),
    ),
    ...Object.fromEntries(['region', 'country', 'paymentConditions'].map((name) => [name, number])),
  },
};

/** Returns the error in a row; undefined for a valid row. */
export function complain(model: string, values: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, { kind, required: isRequired }] of Object.entries(MODELS[model] ?? {})) {
    const value = values[name] ?? null;
    if (value === null ? isRequired : kind !== 'lines' && typeof value !== kind)
      return `${name} is not valid`;
    if (name === 'email' && value !== null && !String(value).includes('@')) return 'email is not valid';
    if (typeof value === 'number' && !Number.isInteger(value)) return `${name} is not valid`;
  }
  return undefined;
}
