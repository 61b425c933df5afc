import type { OpenAPIV3_1 } from 'openapi-types';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../../spec/contract.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { stringifyForm } from '../../../spec/wire/form.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';

/** The variable that holds the id of a record of the model. */
export function idVariable({ name }: Pick<Model, 'name'>): string {
  return `${name}Id`;
}

/**
 * The body of a request, with ids of other records as variables; undefined where there is none. A field for a record
 * that is not made yet is left out where it may be.
 */
export function bodyOf(
  request: OpenAPIV3_1.RequestBodyObject | undefined,
  model: Model,
  contract: Contract,
  made: ReadonlySet<string>,
): { readonly type: string; readonly body: object } | undefined {
  const [[type, media] = ['', undefined]] = Object.entries(request?.content ?? {});
  if (!media) return undefined;
  const { value } = (media.examples?.default ?? { value: {} }) as OpenAPIV3_1.ExampleObject;
  const sent = withVariables(value as RecordValues, model, contract, made);
  if (type !== 'application/json') return { type, body: { mode: 'urlencoded', urlencoded: pairsOf(sent) } };
  // A variable stands for a number, and so without quotes.
  const raw = JSON.stringify(sent, null, 2).replace(/"(\{\{\w+\}\})"/g, '$1');
  return { type, body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } };
}

function withVariables(
  values: RecordValues,
  model: Model,
  contract: Contract,
  made: ReadonlySet<string>,
): RecordValues {
  const { catalogue, references } = contract;
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, Value][] => {
      const field = model.fields.find((one) => one.name === name);
      const reference = field && references.get(field.key);
      const line = field?.lines === undefined ? undefined : catalogue.models.get(field.lines);
      if (line && Array.isArray(value)) return [[name, linesWithVariables(value, line, contract, made)]];
      if (value === null || reference === undefined || !('to' in reference)) return [[name, value]];
      if (!made.has(reference.to) && !field?.required) return [];
      const variable = `{{${idVariable({ name: reference.to })}}}`;
      return [[name, Array.isArray(value) ? value.slice(0, 1).map((one) => idOf(one, variable)) : variable]];
    }),
  );
}

/** An id alone or, under `types.manyToMany: objects`, in an object. */
function idOf(item: Value, id: string): Value {
  return item !== null && typeof item === 'object' ? { ...item, id } : id;
}

/** Lines in full keep their number; of those given as ids there is the one that was made. */
function linesWithVariables(
  lines: readonly Value[],
  line: Model,
  contract: Contract,
  made: ReadonlySet<string>,
): Value {
  if (contract.profile['types.lines'] === 'ids')
    return lines.slice(0, 1).map(() => `{{${idVariable(line)}}}`);
  return lines.map((one) => withVariables(one as RecordValues, line, contract, made));
}

function pairsOf(values: RecordValues): object[] {
  return stringifyForm(values)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [, key = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? [];
      return { key, value: decodeURIComponent(value), type: 'text' };
    });
}
