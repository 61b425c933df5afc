import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import type { Place } from '../../spec/files/place.ts';
import { checkShape } from '../../spec/files/shape.ts';
import { readAll, unexpected } from '../../spec/files/usage-error.ts';
import { readYaml, readYamlFile } from '../../spec/files/yaml-file.ts';
import type { References } from '../../spec/references.ts';

/** IDs of existing records, per model or per name of a thing outside the catalogue. */
export type Bindings = ReadonlyMap<string, readonly number[]>;

/** Reads a file such as `product: [101, 102]`. Throws UsageError if no field links to a name, or a name has no IDs. */
export function loadBindings(path: string, catalogue: Catalogue, references: References): Bindings {
  return readBindings(readYamlFile(path), catalogue, references);
}

/** Reads the same from an object. */
export function createBindings(
  given: Readonly<Record<string, readonly number[]>>,
  catalogue: Catalogue,
  references: References,
): Bindings {
  return readBindings(readYaml(JSON.stringify(given), 'bindings'), catalogue, references);
}

function readBindings(file: Place, catalogue: Catalogue, references: References): Bindings {
  const outside = [...references.values()].flatMap((reference) =>
    'outside' in reference ? [reference.outside] : [],
  );
  const known = [...new Set([...outside, ...catalogue.models.keys()])];
  const bindings = new Map(
    readAll(file.entries(), ([key, list]): [string, readonly number[]] => {
      const name = String(key);
      if (!known.includes(name)) list.fail(unexpected('name', name, known));
      const ids = list.items().map(({ value }) => value);
      if (ids.length === 0 || !ids.every((id) => typeof id === 'number' && Number.isSafeInteger(id)))
        list.fail(
          `The IDs of ${name} must be whole numbers, two if possible, but are ${JSON.stringify(ids)}.`,
        );
      return [name, ids as number[]];
    }),
  );
  checkShape(file, 'bindings');
  return bindings;
}
