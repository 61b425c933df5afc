import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import type { Choice, Field, TypeName } from '../../spec/catalogue/field.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Context, TypeSchema, Value } from '../../spec/types/wire-type.ts';

export const SEED = { seed: 20251022 };
export const catalogue = loadCatalogue();

/** Fields of a type: with and without a value list, with numbers, texts, gaps and fractions in it. */
export function fieldsOf(type: TypeName): Field[] {
  const field = { name: 'part', key: 'thing.part', type, required: false, readonly: false, common: false };
  if (type === 'lines') return [{ ...field, lines: 'stockInvoiceLine' }];
  if (type !== 'select') return [field];
  const lists = [[0, 1, 2], [7, 1, 120], [5], ['es', 'en'], ['es', 'ES'], ['1', '2'], ['zz', 'ZZ'], [0.5, 1]];
  const choices = lists.map((list): Choice[] => list.map((value) => ({ value, name: `name of ${value}` })));
  return [field, ...choices.map((list) => ({ ...field, choices: list }))];
}

export const typeOf = ({ field }: Context) => WIRE_TYPES[field.type];
export const send = (value: Value, context: Context) => typeOf(context).encode(value, context);
export const read = (wire: Value, context: Context) => typeOf(context).decode(wire, context);

/** Says whether an object obeys, whose one member `part` has the schema. */
export function compile(schema: TypeSchema, coerceTypes: boolean) {
  const ajv = new Ajv2020({ strict: true, coerceTypes });
  formats.default(ajv);
  return ajv.compile({ type: 'object', properties: { part: schema }, required: ['part'] });
}
