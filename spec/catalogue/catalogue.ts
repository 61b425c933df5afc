import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { kitFile } from '../files/kit-file.ts';
import type { Place } from '../files/place.ts';
import { checkShape } from '../files/shape.ts';
import { UsageError, unexpected, whyFailed } from '../files/usage-error.ts';
import { readYamlFile } from '../files/yaml-file.ts';
import { onceForOwn } from '../once-for.ts';
import { type Choice, type Field, type Noun, parseField, type Role } from './field.ts';

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
export const loadCatalogue = onceForOwn(CATALOGUE, (directory): Catalogue => {
  const files = listYaml(directory);
  if (!files.includes('common.yaml'))
    throw new UsageError(
      `The catalogue ${directory} has no common.yaml. Add one with title, version, base, and common.`,
    );
  const { common, order, ...cited } = readCommon(readYamlFile(join(directory, 'common.yaml')));
  const areas: Area[] = [];
  const models = new Map<string, Model>();
  const placed = [...common];
  for (const name of files) {
    if (name === 'common.yaml') continue;
    const place = readYamlFile(join(directory, name));
    const { fields, ...area } = readArea(place, common, models);
    if (areas.some(({ name }) => name === area.name))
      place.fail(`The area ${area.name} is in another file too. Use one file per area.`);
    areas.push(area);
    placed.push(...fields);
  }
  if (models.size === 0)
    throw new UsageError(`The catalogue ${directory} has no models. Add a YAML file for each area.`);
  for (const [{ lines, name }, place] of placed)
    if (lines !== undefined && !models.has(lines))
      place.fail(unexpected('model', lines, [...models.keys()], `in the type of ${name}`));
  const catalogue = { ...cited, areas: inOrder(areas, order), models };
  if (directory === CATALOGUE) for (const one of [catalogue, ...models.values()]) ofKit.add(one);
  return catalogue;
});

/** The areas in the order of the source; those it does not name come last, by their files. */
function inOrder(areas: readonly Area[], order: readonly Place[]): Area[] {
  const names = areas.map((area) => area.name);
  requireKnown('area', valuesOf(order), names);
  const ranks = new Map(order.map((place, rank) => [place.value, rank]));
  const rankOf = ({ name }: Area) => ranks.get(name) ?? order.length;
  return areas.toSorted((one, other) => rankOf(one) - rankOf(other));
}

/** The text of the source for a model that has only the common fields. */
const COMMON_ONLY = 'common fields only';

function listYaml(directory: string): string[] {
  try {
    const files = readdirSync(directory).filter((file) => /\.ya?ml$/.test(file));
    return files.sort();
  } catch (error) {
    throw new UsageError(
      `${directory} can't be read because ${whyFailed(error)}. Name a directory with common.yaml and one file per area.`,
    );
  }
}

type PlacedField = readonly [field: Field, place: Place];

/** Reads the whole API. The order of the areas is that of the source. */
function readCommon(file: Place) {
  const parts = partsOf(file);
  // The schema doesn't check the notation of a field.
  const common = readFields(parts.get('common'), '');
  checkShape(file, 'catalogue#/$defs/common');
  giveRoles(common, parts.get('roles'));
  if (!common.some(([{ name, readonly, type }]) => name === 'id' && type === 'int' && readonly))
    file.fail('common has no `id: int ro`. Add it, because requests address records by id.');
  const facts = file.value as Omit<Catalogue, 'areas' | 'models'>;
  const { base, commonSection, sections = false, title, version } = facts;
  return { title, version, base, sections, commonSection, common, order: parts.get('areas')?.items() ?? [] };
}

/** The facts of the file of an area that have no names to check in them. */
type AreaFile = {
  readonly area: string;
  readonly about?: string;
  readonly section?: string;
  readonly closed?: readonly string[];
  readonly operations?: ByName<readonly Operation[]>;
  readonly without?: ByName<readonly string[]>;
  readonly descriptions?: ByName<string>;
  readonly nouns?: ByName<readonly [one: string, many: string]>;
  readonly valueSections?: ByName<string>;
};

type ByName<Fact> = Readonly<Record<string, Fact>>;

/** Reads an area and its fields, and adds its models. */
function readArea(
  file: Place,
  common: readonly PlacedField[],
  models: Map<string, Model>,
): Area & { readonly fields: readonly PlacedField[] } {
  const parts = partsOf(file);
  const described = [...partsOf(parts.get('models'))].map(
    ([name, place]) => [name, place, place.value === COMMON_ONLY ? [] : readFields(place, name)] as const,
  );
  checkShape(file, 'catalogue#/$defs/area');
  const facts = file.value as AreaFile;
  const names = described.map(([name]) => name);
  for (const part of ['operations', 'without', 'descriptions', 'nouns'])
    requireKnown('model', partsOf(parts.get(part)), names);
  requireKnown('model', valuesOf(parts.get('closed')?.items()), names);
  // Records are addressed by their id.
  const removable = common.map(([field]) => field.name).filter((name) => name !== 'id');
  for (const list of partsOf(parts.get('without')).values())
    requireKnown('common field', valuesOf(list.items()), removable);
  const lists = partsOf(parts.get('values'));
  const english = partsOf(parts.get('english'));
  requireKnown('value list', english, [...lists.keys()]);
  const choices = new Map([...lists].map(([key, list]) => [key, readList(key, list, english.get(key))]));
  requireKnown('value list', partsOf(parts.get('valueSections')), [...choices.keys()]);
  const fields = described.flatMap(([, , own]) => own);
  for (const [key, place] of lists) {
    const type = fields.find(([field]) => field.key === key)?.[0].type;
    if (type === undefined)
      place.fail(`The value list is for ${key}, but this area has no such field. Use model.field.`);
    if (type !== 'select') place.fail(`${key} has a value list, so its type must be select, but is ${type}.`);
  }
  for (const [name, place, own] of described) {
    if (models.has(name)) place.fail(`The model ${name} is defined twice. Remove one of them.`);
    const inherited = common
      .filter(([field]) => !factOf(facts.without, name)?.includes(field.name))
      .map(([field]) => ({ ...field, key: `${name}.${field.name}` }));
    for (const [field, at] of own)
      if (inherited.some((one) => one.name === field.name))
        at.fail(`The field ${field.name} is a common field already. Remove it here.`);
    const [one, many] = factOf(facts.nouns, name) ?? [];
    models.set(name, {
      name,
      area: facts.area,
      about: factOf(facts.descriptions, name),
      noun: one === undefined || many === undefined ? undefined : { one, many },
      fields: [...inherited, ...own.map(([field]) => withChoices(field))],
      // The operations are in the order of section 4.
      operations: OPERATIONS.filter(
        (operation) => factOf(facts.operations, name)?.includes(operation) ?? true,
      ),
      closed: place.value === COMMON_ONLY || facts.closed?.includes(name) === true,
    });
  }
  const { area, about = area, section } = facts;
  return { name: area, about, models: names, section, fields };

  function withChoices(field: Field): Field {
    const list = choices.get(field.key);
    const choicesSection = factOf(facts.valueSections, field.key);
    return { ...field, ...(list && { choices: list }), ...(choicesSection && { choicesSection }) };
  }
}

/** Returns a fact by its name, which can be the name of a member of every object. */
function factOf<Fact>(facts: ByName<Fact> = {}, name: string): Fact | undefined {
  return Object.hasOwn(facts, name) ? facts[name] : undefined;
}

/** The entries of a mapping by their keys; none without it. */
function partsOf(place: Place | undefined): Map<string, Place> {
  return new Map(place?.entries().map(([key, part]) => [String(key), part]));
}

/** Items of a list, each with its value as the name. */
function valuesOf(items: readonly Place[] = []): [name: unknown, place: Place][] {
  return items.map((item) => [item.value, item]);
}

function requireKnown(
  kind: string,
  named: Iterable<readonly [name: unknown, place: Place]>,
  known: readonly string[],
): void {
  for (const [name, place] of named)
    if (!known.some((one) => one === name)) place.fail(unexpected(kind, name, known));
}

/** The fields of a model, or the common ones, with the place of each. */
function readFields(place: Place | undefined, model: string): PlacedField[] {
  return [...partsOf(place)].map(([name, at]) => [
    { name, key: `${model}.${name}`, common: model === '', ...parseField(at) },
    at,
  ]);
}

/** Gives common fields their roles. */
function giveRoles(common: PlacedField[], roles: Place | undefined): void {
  for (const [role, at] of partsOf(roles)) {
    const free = common.filter(([field]) => field.name !== 'id' && !field.role).map(([{ name }]) => name);
    requireKnown('common field', valuesOf([at]), free);
    const index = common.findIndex(([field]) => field.name === at.value);
    common[index] = [{ ...(common[index] as PlacedField)[0], role: role as Role }, at];
  }
}

/** Returns a value list, with English names where there are some. */
function readList(field: string, list: Place, english: Place | undefined): readonly Choice[] {
  const names = new Map(english?.entries());
  const entries = list.entries();
  const values = entries.map(([value]) => value);
  for (const [value, place] of names)
    if (!values.includes(value)) place.fail(unexpected('value', value, values, `for ${field}`));
  const taken = new Set<string>();
  const choices = entries.map(([value, place]): Choice => {
    if (typeof value === 'boolean' || (typeof value === 'number' && !Number.isFinite(value)))
      return place.fail(`A value must be a number or a string, but is ${value}. Put it in quotes.`);
    const name = names.get(value);
    const choice = { value, name: place.text() };
    if (!name) return choice;
    if (taken.has(name.text())) name.fail(`The English name "${name.text()}" is taken. Use each name once.`);
    taken.add(name.text());
    return { ...choice, english: name.text() };
  });
  if (new Set(values.map((value) => typeof value)).size > 1)
    list.fail(`The value list of ${field} mixes numbers and strings. Use only one of them.`);
  return choices;
}
