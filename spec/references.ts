import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE, type Catalogue, type Model } from './catalogue/catalogue.ts';
import type { Field } from './catalogue/field.ts';
import type { Place } from './files/place.ts';
import { checkShape } from './files/shape.ts';
import { unexpected } from './files/usage-error.ts';
import { readYamlFile } from './files/yaml-file.ts';
import { onceFor } from './once-for.ts';

/** An inferred link: the field holds ids of a model, or of a thing the catalogue does not describe. */
export type Reference = Inside | Outside;

type Inside = { readonly to: string; readonly why: string };

type Outside = {
  readonly outside: string;
  /** The catalogue describes the thing, but the checked service does not have it yet. */
  readonly notBuilt?: true;
};

/** The links by `model.field`. */
export type References = ReadonlyMap<string, Reference>;

/**
 * Loads the `references.yaml` next to the catalogue's directory. Without that file, a catalogue has no known links.
 * Throws UsageError for a field or model that the catalogue does not have.
 */
export function loadReferences(catalogue: Catalogue, directory: string = CATALOGUE): References {
  return directory === CATALOGUE ? ownReferences(catalogue) : readReferences(catalogue, directory);
}

const ownReferences = onceFor((catalogue: Catalogue) => readReferences(catalogue, CATALOGUE));

function readReferences(catalogue: Catalogue, directory: string): References {
  // `dirname` of `.` would be `.` again.
  const path = join(directory, '..', 'references.yaml');
  const references = new Map<string, Reference>();
  if (!existsSync(path)) return references;
  const file = readYamlFile(path);
  checkShape(file, 'references');
  if (file.value === null) return references;
  const { models } = catalogue;
  for (const [part, place] of file.entries())
    for (const [name, entry] of place.entries()) {
      if (part === 'outside') {
        for (const field of entry.items()) add(field.text(), field, { outside: String(name) });
        continue;
      }
      const { to, why } = entry.value as Inside;
      if (!models.has(to)) entry.fail(unexpected('model', to, [...models.keys()]));
      add(String(name), entry, { to, why });
    }
  return references;

  function add(name: string, place: Place, reference: Reference): void {
    const [model = ''] = name.split('.');
    const fields =
      models.get(model)?.fields ?? place.fail(unexpected('model', model, [...models.keys()], `in ${name}`));
    const keys = fields.map(({ key }) => key);
    const { type } = fields.find(({ key }) => key === name) ?? place.fail(unexpected('field', name, keys));
    if (type !== 'int' && type !== 'manyToMany')
      place.fail(`${name} must be of type int or manyToMany to hold a link, but is of type ${type}.`);
    if (references.has(name)) place.fail(`${name} is listed twice. List each field once.`);
    references.set(name, reference);
  }
}

/** Returns the model that a field links to; undefined for a field without a link, or with one that leads outside. */
export function linkedModel(references: References, { key }: Pick<Field, 'key'>): string | undefined {
  const reference = references.get(key);
  return reference && 'to' in reference ? reference.to : undefined;
}

/** Returns the links for a service without some models: a link to one of them leads outside. */
export function withoutModels(references: References, notBuilt: ReadonlySet<string>): References {
  if (notBuilt.size === 0) return references;
  return new Map(
    [...references].map(([key, reference]) => [
      key,
      'to' in reference && notBuilt.has(reference.to) ? { outside: reference.to, notBuilt: true } : reference,
    ]),
  );
}

/** The field of a line model that holds the id of its parent, if a link says so. */
export function parentLink(line: Model, parent: Model, references: References): Field | undefined {
  return line.fields.find((field) => linkedModel(references, field) === parent.name);
}
