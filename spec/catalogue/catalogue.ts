import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kitFile } from '../files/kit-file.ts';
import type { Place } from '../files/place.ts';
import { checkShape } from '../files/shape.ts';
import { UsageError, unexpected, whyFailed } from '../files/usage-error.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import { onceForOwn } from '../once-for.ts';
import { type Choice, type Field, type Noun, parseField, ROLES } from './field.ts';

/** The operations of section 4; update is a POST with the id in the path. */
export const OPERATIONS = ['retrieve', 'list', 'create', 'update', 'delete'] as const;
export type Operation = (typeof OPERATIONS)[number];

export type Model = {
  readonly name: string;
  readonly area: string;
  /** The meaning of the record in the business; absent if the kit has no description. */
  readonly about?: string | undefined;
  readonly noun?: Noun | undefined;
  /** Common fields first, then those of the model, in the source's order. */
  readonly fields: readonly Field[];
  readonly operations: readonly Operation[];
  /** The source says that the model has no other field. */
  readonly closed: boolean;
};

export type Area = {
  readonly name: string;
  readonly about: string;
  readonly models: readonly string[];
  /** The section of the source that defines the models; absent if the catalogue cites none. */
  readonly section?: string | undefined;
};

export type Catalogue = {
  readonly title: string;
  /** The version label of section 9. */
  readonly version: string;
  /** Whether the sections that settings and requirements cite are those of this catalogue's source. */
  readonly sections?: boolean | undefined;
  /** The section of the common fields; absent if the catalogue cites none. */
  readonly commonSection?: string | undefined;
  /** The path before the model's name, such as `/api/model`. */
  readonly base: string;
  readonly areas: readonly Area[];
  readonly models: ReadonlyMap<string, Model>;
};

/** The directory of the facts that ship with the kit. */
export const CATALOGUE = kitFile('spec/catalogue');

const ofKit = new WeakSet<Catalogue | Model>();

/** Whether a catalogue or a model ships with the kit, whose tests make documents of it. */
export function isOfKit(one: Catalogue | Model): boolean {
  return ofKit.has(one);
}

/**
 * Loads each `*.yaml` of a directory: `common.yaml` for the whole API, and one file per area. Returns the same object
 * each time for the kit's catalogue. Throws UsageError with the file, the line, and the found and the expected value.
 */
export function loadCatalogue(directory: string = CATALOGUE): Catalogue {
  return readCatalogue(directory);
}

const readCatalogue = onceForOwn(CATALOGUE, (directory): Catalogue => {
  const files = listYaml(directory);
  if (!files.includes('common.yaml'))
    throw new UsageError(
      `The catalogue ${directory} has no common.yaml. Add one with title, version, base, and common.`,
    );
  const file = readYamlFile(join(directory, 'common.yaml'));
  const interface_ = readInterface(file);
  // The readers report mistakes in the terms of the catalogue. The schema reports the others.
  checkShape(file, 'catalogue#/$defs/common');
  const common = interface_.common.map(([field]) => field);
  const areas: Area[] = [];
  const models = new Map<string, Model>();
  const linesAt: [Place, Field][] = [];
  for (const [field, at] of interface_.common) if (field.lines !== undefined) linesAt.push([at, field]);
  for (const name of files) {
    if (name === 'common.yaml') continue;
    const place = readYamlFile(join(directory, name));
    const area = readArea(place, common, models, linesAt);
    checkShape(place, 'catalogue#/$defs/area');
    if (areas.some(({ name }) => name === area.name))
      place.fail(`The area ${area.name} is in another file too. Use one file per area.`);
    areas.push(area);
  }
  if (models.size === 0)
    throw new UsageError(`The catalogue ${directory} has no models. Add a YAML file for each area.`);
  for (const [place, field] of linesAt)
    if (!models.has(field.lines as string))
      place.fail(unexpected('model', field.lines, [...models.keys()], `in the type of ${field.name}`));
  const { common: _, areas: order, ...cited } = interface_;
  const catalogue = { ...cited, areas: inOrder(areas, order), models };
  if (directory === CATALOGUE) for (const one of [catalogue, ...models.values()]) ofKit.add(one);
  return catalogue;
});

/** The areas in the order of the source; those it does not name come last, by their files. */
function inOrder(areas: readonly Area[], order: readonly Place[]): Area[] {
  const names = areas.map((area) => area.name);
  for (const place of order)
    if (!names.includes(place.text())) place.fail(unexpected('area', place.value, names));
  const ranks = new Map(order.map((place, rank) => [place.text(), rank]));
  const rankOf = ({ name }: Area) => ranks.get(name) ?? order.length;
  return areas.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The text of the source for a model that has only the common fields. */
const COMMON_ONLY = 'common fields only';

function listYaml(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((file) => /\.ya?ml$/.test(file))
      .sort();
  } catch (error) {
    throw new UsageError(
      `${directory} can't be read because ${whyFailed(error)}. Name a directory with common.yaml and one file per area.`,
    );
  }
}

function readInterface(file: Place) {
  const parts = readParts(file);
  const text = (name: string) => parts.get(name)?.text() ?? file.fail(`${name} is missing. Add a string.`);
  const base = text('base');
  if (!/^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)+$/.test(base))
    parts.get('base')?.fail(`base must be a path such as /api/model, but is "${base}".`);
  const common = readFields(
    parts.get('common') ?? file.fail('common is missing. Add the common fields, at least `id: int ro`.'),
    '',
  );
  readRoles(parts.get('roles'), common);
  const id = common.find(([field]) => field.name === 'id')?.[0];
  if (id?.type !== 'int' || !id.readonly)
    file.fail('common has no `id: int ro`. Add it, because requests address records by id.');
  // In the order of the source.
  const areas = parts.get('areas')?.items() ?? [];
  const sections = parts.get('sections')?.value === true;
  const commonSection = parts.get('commonSection')?.text();
  return { title: text('title'), version: text('version'), base, sections, commonSection, common, areas };
}

function readArea(file: Place, common: Field[], models: Map<string, Model>, linesAt: [Place, Field][]): Area {
  const parts = readParts(file);
  const area = (parts.get('area') ?? file.fail('area is missing. Add the name of the area.')).text();
  const described = parts.get('models') ?? file.fail('models is missing. Add a mapping of models to fields.');
  const names = described.entries().map(([name]) => String(name));
  const operations = readLists(parts.get('operations'), names, OPERATIONS);
  const without = readLists(
    parts.get('without'),
    names,
    // Records are addressed by their id.
    common.map((field) => field.name).filter((name) => name !== 'id'),
  );
  const closed = readNames(parts.get('closed'), names);
  const choices = readChoices(parts.get('values'));
  nameChoices(choices, parts.get('english'));
  citeChoices(choices, parts.get('valueSections'));
  const descriptions = readTexts(parts.get('descriptions'), names);
  const nouns = readNouns(parts.get('nouns'), names);
  for (const [key, place] of described.entries()) {
    const name = readName(place, 'model', key);
    if (models.has(name)) place.fail(`The model ${name} is defined twice. Remove one of them.`);
    const inherited = common
      .filter((field) => !without.get(name)?.includes(field.name))
      .map((field) => ({ ...field, key: `${name}.${field.name}` }));
    const own = place.value === COMMON_ONLY ? [] : readFields(place, name, inherited);
    const fields = [...inherited, ...own.map(([field, at]) => withChoices(field, at))];
    models.set(name, {
      name,
      area,
      about: descriptions.get(name),
      noun: nouns.get(name),
      fields,
      operations: (operations.get(name) as Operation[] | undefined) ?? OPERATIONS,
      closed: place.value === COMMON_ONLY || closed.includes(name),
    });
  }
  for (const [key, list] of choices)
    list.place.fail(`The value list is for ${key}, but this area has no such field. Use model.field.`);
  const about = parts.get('about')?.text() ?? area;
  return { name: area, about, models: names, section: parts.get('section')?.text() };

  function withChoices(field: Field, at: Place): Field {
    if (field.lines !== undefined) linesAt.push([at, field]);
    const list = choices.get(field.key);
    if (!list) return field;
    choices.delete(field.key);
    if (field.type !== 'select')
      list.place.fail(`${field.key} has a value list, so its type must be select, but is ${field.type}.`);
    return { ...field, choices: list.choices, ...(list.section && { choicesSection: list.section }) };
  }
}

/** The parts of a file by their keys. */
function readParts(file: Place): Map<string, Place> {
  return new Map(file.entries().map(([key, place]) => [String(key), place]));
}

/** The fields of a model, or the common ones, with the place of each. */
function readFields(place: Place, model: string, inherited: readonly Field[] = []): [Field, Place][] {
  return place.entries().map(([word, at]) => {
    const name = readName(at, 'field', word);
    if (inherited.some((field) => field.name === name))
      at.fail(`The field ${name} is a common field already. Remove it here.`);
    return [{ name, key: `${model}.${name}`, common: model === '', ...parseField(at) }, at];
  });
}

/** Gives common fields their roles. */
function readRoles(place: Place | undefined, common: [Field, Place][]): void {
  const names = common.map(([{ name }]) => name).filter((name) => name !== 'id');
  for (const [role, at] of place?.entries() ?? []) {
    const known = ROLES.find((one) => one === role) ?? at.fail(unexpected('role', role, ROLES));
    const index = common.findIndex(
      ([{ name, role: taken }]) => name === at.text() && name !== 'id' && !taken,
    );
    const [field, where] = common[index] ?? at.fail(unexpected('common field', at.value, names, 'in roles'));
    common[index] = [{ ...field, role: known }, where];
  }
}

/** Reads a name of a model or field, as paths and bodies write it. */
function readName(at: Place, kind: string, key: unknown): string {
  if (typeof key === 'string' && /^[a-z][A-Za-z0-9]{0,63}$/.test(key)) return key;
  return at.fail(
    `The ${kind} name ${JSON.stringify(key)} is invalid. Use letters and digits, starting with a lowercase letter.`,
  );
}

/** Lists of known words by model, in the order of the words. */
function readLists(
  place: Place | undefined,
  models: string[],
  words: readonly string[],
): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [model, list] of place?.entries() ?? []) {
    if (!models.includes(String(model))) list.fail(unexpected('model', model, models));
    const found = list
      .items()
      .map((item) =>
        words.includes(item.text()) ? item.text() : item.fail(unexpected('name', item.value, words)),
      );
    // Kept in the order of the words, so that the order in the file does not matter.
    lists.set(
      String(model),
      words.filter((word) => found.includes(word)),
    );
  }
  return lists;
}

/** Names of models. */
function readNames(place: Place | undefined, models: string[]): string[] {
  return (place?.items() ?? []).map((item) =>
    models.includes(item.text()) ? item.text() : item.fail(unexpected('model', item.value, models)),
  );
}

/** A text for some of the models. */
function readTexts(place: Place | undefined, models: string[]): Map<string, string> {
  return new Map(
    (place?.entries() ?? []).map(([model, text]) =>
      models.includes(String(model))
        ? [String(model), text.text()]
        : text.fail(unexpected('model', model, models)),
    ),
  );
}

/** Reads the nouns of some of the models. */
function readNouns(place: Place | undefined, models: string[]): Map<string, Noun> {
  return new Map(
    (place?.entries() ?? []).map(([model, nouns]) => {
      if (!models.includes(String(model))) nouns.fail(unexpected('model', model, models));
      const [one, many] = nouns.items().map((noun) => noun.text());
      if (one === undefined || many === undefined)
        return nouns.fail(`${model} needs two nouns, such as [a brand, brands]`);
      return [String(model), { one, many }];
    }),
  );
}

type ValueList = { readonly place: Place; readonly choices: Choice[]; section?: string };

/** The value lists by `model.field`, with the place of each. */
function readChoices(place: Place | undefined): Map<string, ValueList> {
  const lists = new Map<string, ValueList>();
  for (const [field, list] of place?.entries() ?? []) {
    const choices = list.entries().map(([value, name]) => {
      if (typeof value === 'boolean')
        return list.fail(
          `A value must be a number or a string, but is the boolean ${value}. Put it in quotes.`,
        );
      if (typeof value === 'number' && !Number.isFinite(value))
        return list.fail(
          `A value must be a number or a string, but is ${value}, which JSON can't represent.`,
        );
      return { value, name: name.text() };
    });
    if (choices.length === 0) list.fail(`The value list of ${field} is empty. Add at least one value.`);
    if (new Set(choices.map((choice) => typeof choice.value)).size > 1)
      list.fail(`The value list of ${field} mixes numbers and strings. Use only one of them.`);
    lists.set(String(field), { place: list, choices });
  }
  return lists;
}

/** Adds the sections of value lists that are not in the section of their area. */
function citeChoices(lists: ReadonlyMap<string, ValueList>, sections: Place | undefined): void {
  for (const [field, section] of sections?.entries() ?? [])
    listFor(lists, field, section).section = section.text();
}

function listFor(lists: ReadonlyMap<string, ValueList>, field: unknown, place: Place): ValueList {
  return lists.get(String(field)) ?? place.fail(unexpected('value list', field, [...lists.keys()]));
}

/** Adds English names to those of the source. */
function nameChoices(lists: ReadonlyMap<string, ValueList>, names: Place | undefined): void {
  for (const [field, list] of names?.entries() ?? []) {
    const known = listFor(lists, field, list);
    const taken = new Set<string>();
    for (const [value, place] of list.entries()) {
      const index = known.choices.findIndex((choice) => choice.value === value);
      const choice =
        known.choices[index] ??
        place.fail(
          unexpected(
            'value',
            value,
            known.choices.map((one) => one.value),
            `for ${field}`,
          ),
        );
      const english = place.text();
      if (!/^[A-Z][A-Za-z0-9]{0,63}$/.test(english) || taken.has(english))
        place.fail(
          `The English name "${english}" is invalid. Use letters and digits, starting with a capital letter, and each name once.`,
        );
      taken.add(english);
      known.choices[index] = { ...choice, english };
    }
  }
}
