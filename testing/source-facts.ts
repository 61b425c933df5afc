import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

type Written = string | { readonly type: string; readonly values: readonly string[] };

type Facts = {
  readonly totals: {
    readonly models: number;
    readonly operations: number;
    readonly fields: number;
    readonly valueLists: number;
    readonly areas: number;
  };
  /** The section of each area. */
  readonly sections: Readonly<Record<string, string>>;
  readonly common: Readonly<Record<string, Written>>;
  /** The models that can only be read. */
  readonly readOnly: readonly string[];
  readonly models: Readonly<Record<string, ModelFacts>>;
};

type ModelFacts = {
  readonly counts: { readonly fields: number; readonly required: number; readonly readonly: number };
  readonly fields?: Readonly<Record<string, Written>>;
};

/** The facts in the source (`source-facts.yaml`). */
export const SOURCE: Facts = parse(readFileSync(join(import.meta.dirname, 'source-facts.yaml'), 'utf8'));

/** Every field of the source as `model.field type req ro value=name …`, with "-" for a flag that is not set; sorted. */
export function sourceFields(): string[] {
  return Object.entries(SOURCE.models)
    .flatMap(([model, { fields = {} }]) => {
      const { deleted, ...others } = SOURCE.common;
      const common = SOURCE.readOnly.includes(model) ? others : { ...others, deleted };
      return Object.entries({ ...common, ...fields }).map(([name, written]) =>
        [`${model}.${name}`, ...wordsOf(written ?? '')].join(' '),
      );
    })
    .toSorted();
}

function wordsOf(written: Written): string[] {
  const { type, values = [] } = typeof written === 'string' ? { type: written } : written;
  const [name = '', ...flags] = type.split(' ');
  return [name, flags.includes('req') ? 'req' : '-', flags.includes('ro') ? 'ro' : '-', ...values];
}
