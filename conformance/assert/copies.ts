import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { onceFor } from '../../spec/once-for.ts';
import { isText } from '../../spec/types/types.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isObject } from '../api/places.ts';

const copiesIn = onceFor((catalogue: Catalogue) => {
  const models = [...catalogue.models.values()];
  return new Set(models.flatMap((model) => model.fields.filter((field) => mayCopy(field, model, catalogue))));
});

/** Whether a writable field may copy a value of another record, or hold a total: the service may update it. */
export function isCopy(field: Field, catalogue: Catalogue): boolean {
  return copiesIn(catalogue).has(field);
}

function mayCopy(field: Field, model: Model, { models }: Catalogue): boolean {
  const { name, readonly, type } = field;
  if (readonly || field.lines !== undefined) return false;
  if (['float', 'currency'].includes(type)) return /total|balance|pending|taxAmount/i.test(name);
  if (!isText(field)) return false;
  const [, thing = ''] = /^(.+)Name$/.exec(name) ?? [];
  return models.has(name) || models.has(thing) || model.fields.some((other) => other.name === thing);
}

/** The values without the copies in their lines. */
export function withoutCopiesInLines(model: Model, values: RecordValues, catalogue: Catalogue): RecordValues {
  const lines = model.fields.filter(
    (field) => field.lines !== undefined && Object.hasOwn(values, field.name),
  );
  const stripped = lines.map(({ lines: name = '', name: field }) => {
    const line = catalogue.models.get(name);
    const value = values[field];
    if (!line || !Array.isArray(value)) return [field, value] as const;
    return [
      field,
      value.map((item) => (isObject(item) ? withoutCopies(line, item, catalogue) : item)),
    ] as const;
  });
  return { ...values, ...Object.fromEntries(stripped) } as RecordValues;
}

/** The values without copies, those of lines included. */
export function withoutCopies(model: Model, values: RecordValues, catalogue: Catalogue): RecordValues {
  const copies = new Set(model.fields.filter((field) => isCopy(field, catalogue)).map(({ name }) => name));
  const kept = Object.entries(values).filter(([name]) => !copies.has(name));
  return withoutCopiesInLines(model, Object.fromEntries(kept), catalogue);
}
