import { showsMarked } from '../../spec/binding.ts';
import { type Model, OPERATIONS, type Operation } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { fieldOf, isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { typeSetting } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { choicesOf, isText, WIRE_TYPES } from '../../spec/types/types.ts';
import { type At, atPlace, type DefectPlace, type Where, writableOf } from './defect.ts';
import { asKept, isShownAsStored, MANGLERS, nameOf, plainFields } from './values.ts';

type Condition = (at: At) => boolean;

/** The conditions in `defects.yaml`: first those of models and the profile, then those of fields. */
const CONDITIONS: Readonly<Record<string, Condition>> = {
  'some-writable': ({ model }) => writableOf(model).length > 0,
  'several-writable': ({ model }) => writableOf(model).length > 1,
  'some-required': ({ model }) => writableOf(model).some(({ required }) => required),
  'several-plain': ({ model }) => plainFields(model).length > 1,
  'no-update': ({ model }) => !has(model, 'update'),
  updated: ({ model }) => fieldOf(model, 'updated') !== undefined,
  'other-models': ({ catalogue }) => catalogue.models.size > 1,
  'partial-updates': ({ profile }) => profile['request.update'] === 'partial',
  json: ({ profile }) => profile['request.encoding'] === 'json',
  pages: ({ profile }) => profile['list.paging'] !== 'none',
  sorts: ({ profile }) => profile['list.sort'] !== 'none',
  totals: ({ profile }) => profile['response.total'] !== 'none',
  'marks-deleted': ({ profile }) => profile['delete.effect'] !== 'remove',
  'shows-deleted': ({ profile }) => showsMarked(profile).retrieve,

  writable: ({ field }) => !field.readonly,
  optional: ({ field }) => !field.readonly && !field.required,
  readonly: ({ field }) => field.readonly,
  required: ({ field }) => field.required,
  id: ({ field }) => isIdField(field),
  'required-or-id': ({ field }) => field.required || isIdField(field),
  'not-id': ({ field }) => field.name !== 'id',
  mark: ({ field }) => field.role === 'deleted',
  /** Only the creation and the deletion of a record set the field. */
  origin: ({ field }) => isIdField(field) || ['created', 'createdBy', 'deleted'].includes(field.role ?? ''),
  text: ({ field }) => isText(field),
  choices: ({ field }) => field.choices !== undefined,
  'open-values': (at) => choicesOf(at) === undefined,
  'shown-as-stored': isShownAsStored,
  'no-lines': ({ field }) => field.lines === undefined,
  'full-lines': ({ field, profile }) => field.lines !== undefined && profile['types.lines'] === 'objects',
  items: ({ field, profile }) =>
    field.type === 'manyToMany' || (field.lines !== undefined && profile['types.lines'] === 'objects'),
  /** If unset fields are omitted, an optional field that is never shown can be unset. */
  'always-shown': ({ field: { name, required, role }, profile }) =>
    required ||
    ['created', 'deleted'].includes(role ?? '') ||
    name === 'id' ||
    profile['response.unset'] === 'null',
  /** Without tags or lines, a record shows an empty list. */
  'can-be-unset': ({ field: { lines, type } }) => lines === undefined && type !== 'manyToMany',
  /** A record without lines shows an empty list. In a form, an empty string is a value, and null is missing. */
  nullable: ({ field, profile }) =>
    field.lines === undefined && (profile['request.encoding'] === 'json' || !isText(field)),
  /** If a profile lists the moves of a field, it rejects every other value. */
  'moves-freely': ({ field: { key }, profile: { transitions } }) =>
    transitions === 'any' || !Object.hasOwn(transitions, key),
  /** The source leaves the values of other optional fields open, so a service can reject the value of a client. */
  closed: ({ field, references }) =>
    field.type === 'select'
      ? field.choices !== undefined
      : field.required ||
        field.type === 'bool' ||
        field.lines !== undefined ||
        references.has(field.key) ||
        typeSetting(field) !== undefined,
  'list-on-create': (at) => at.field.type === 'select' && !at.field.readonly && choicesOf(at) !== undefined,
  /** The suite tries value lists of the profile only in a create. */
  'list-on-update': ({ field }) => field.type === 'select' && !field.readonly && field.choices !== undefined,
  /** The fields that the suite filters by: the ID, and those whose wire form is one string in a query. */
  filterable: ({ field: { common, name, readonly, type }, profile }) =>
    profile['list.filter'] !== 'none' &&
    (common
      ? name === 'id'
      : !readonly && ['int', 'string', 'bool', 'date', 'currency', 'email'].includes(type)),
  /** The strings that the suite searches for a part. */
  searchable: ({ field, profile }) =>
    ['contains', 'brackets'].includes(profile['list.filter']) &&
    !field.readonly &&
    ['string', 'email'].includes(field.type),
  edged: ({ field, references }) =>
    !isText(field) && !['select', 'lines', 'manyToMany'].includes(field.type) && !references.has(field.key),
};

/** The details in `defects.yaml`. */
const DETAILS: Readonly<Record<string, (at: At) => readonly string[]>> = {
  operations: ({ model }) => model.operations,
  'record-operations': ({ model }) => model.operations.filter((operation) => operation !== 'delete'),
  'operations-on-one': among('retrieve', 'update', 'delete'),
  shown: among('retrieve', 'list', 'create', 'update'),
  'absent-operations': ({ model }) => OPERATIONS.filter((operation) => !has(model, operation)),
  /** Names near that of the model: the last letter doubled, and the last letter lost. */
  misspellings: ({ catalogue, model: { name } }) =>
    [`${name}${name.at(-1)}`, name.slice(0, -1)].filter(
      (other) => other !== '' && !catalogue.models.has(other),
    ),
  /** The common fields that the model does not have. */
  excluded: ({ catalogue, model }) => {
    const all = [...catalogue.models.values()].flatMap(({ fields }) => fields);
    const names = new Set(all.filter(({ common }) => common).map(({ name }) => name));
    return [...names].filter((name) => !model.fields.some((field) => field.name === name));
  },
  choices: (at) => (choicesOf(at) ?? []).map(({ value }) => nameOf(value)),
  members: (at) =>
    at.field.type === 'bool' ? ['false', 'true'] : (choicesOf(at) ?? []).map(({ value }) => nameOf(value)),
  outside: outsideOf,
  falsy: ({ field: { key, type }, references }) => {
    if (type === 'bool') return ['false', 'true'];
    const isNumber = ['int', 'float', 'currency', 'percent'].includes(type);
    return isNumber && !references.has(key) ? ['0'] : [];
  },
  edges: (at) => [...new Set(WIRE_TYPES[at.field.type].edges(at).map((edge) => nameOf(asKept(at, edge))))],
  'text-changes': () => Object.keys(MANGLERS),
  /** The next field that a client can fill with the same values. */
  alike: ({ field, model, references }) => {
    const thingOf = ({ key }: Field) => {
      const link = references.get(key);
      return link && ('to' in link ? link.to : link.outside);
    };
    if (['select', 'lines', 'manyToMany'].includes(field.type)) return [];
    const later = model.fields.slice(model.fields.indexOf(field) + 1).filter(({ readonly }) => !readonly);
    const next = later.find((other) => other.type === field.type && thingOf(other) === thingOf(field));
    return next ? [next.name] : [];
  },
  /** Values that make the service fail. A form can't express null, and deep nesting can't be read. */
  junk: (at) => {
    const isForm = at.profile['request.encoding'] === 'form';
    const wrong = outsideOf(at).length > 0 ? ['wrong-type'] : [];
    return [...(isForm ? [] : ['null']), ...wrong, 'long-text', ...(isForm ? [] : ['nested'])];
  },
  parts: partsIf(() => true, 'with the link to the parent'),
  'required-parts': partsIf(({ field }) => field.required),
  'writable-parts': partsIf(({ field }) => !field.readonly),
  'required-writable-parts': partsIf(({ field }) => field.required && !field.readonly),
  'readonly-parts': partsIf(({ field }) => field.readonly),
  'loose-parts': partsIf(
    (part) => !part.field.readonly && choicesOf(part) === undefined && isShownAsStored(part),
  ),
};

/** Returns the places of a model. */
export function placesOf(where: Where = {}, model: Model, contract: Contract): readonly DefectPlace[] {
  const { each, fields, models = [], needs = [] } = where;
  if (!has(model, ...needs) || !meets({ model }, models, contract)) return [];
  const ofFields = fields && model.fields.map((field) => ({ model, field }));
  const places = ofFields?.filter((place) => meets(place, fields ?? [], contract)) ?? [{ model }];
  if (each === undefined) return places;
  return places.flatMap((place) => {
    const details = typeof each === 'string' ? named(DETAILS, each)(atPlace(place, contract)) : each;
    return details.map((detail) => ({ ...place, detail }));
  });
}

function meets(place: DefectPlace, conditions: readonly string[], contract: Contract): boolean {
  return conditions.every((name) => named(CONDITIONS, name)(atPlace(place, contract)));
}

function named<Known>(all: Readonly<Record<string, Known>>, name: string): Known {
  const found = all[name];
  if (found === undefined) throw new TypeError(`defects.yaml names ${name}, which places.ts does not have.`);
  return found;
}

function has(model: Model, ...operations: readonly Operation[]): boolean {
  return operations.every((operation) => model.operations.includes(operation));
}

function among(...operations: readonly Operation[]) {
  return ({ model }: At) => operations.filter((operation) => has(model, operation));
}

/** Returns the names of values outside the type or value list of a field. */
function outsideOf(at: At): string[] {
  return WIRE_TYPES[at.field.type].counterSamples(at).map(nameOf);
}

/** The fields of lines. By default, those without the link to the parent, which a line in its parent need not have. */
function partsIf(isPart: Condition, parentToo?: string) {
  return (at: At): string[] => {
    const line = at.catalogue.models.get(at.field.lines ?? '');
    const parent = line && parentToo === undefined ? parentLink(line, at.model, at.references) : undefined;
    const parts = (line?.fields ?? []).filter((field) => field !== parent && isPart({ ...at, field }));
    return parts.map(({ name }) => name);
  };
}
