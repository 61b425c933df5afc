import { isScalar, MOST_SORTS, MOST_VALUES, operatorsOf } from '../../../spec/binding.ts';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { ListQuery } from '../../engine/engine.ts';
import type { createValueValidators } from '../../operations/body.ts';
import { isFields } from '../../operations/body.ts';
import { show } from '../../operations/messages.ts';
import type { Filter, Sort } from '../../store/store.ts';
import { readCount } from '../journal/journal-filter.ts';
import type { ListTexts } from './records-api.ts';

/** The number of records on a page, if the client names none, and the maximum. */
const PAGE = 50;
const LONGEST_PAGE = 1000;

const MOST_FILTERS = 20;

/** Maximum length of a part of a string to search for. */
const LONGEST_PART = 200;

const MEMBERS = ['field', 'operator', 'value'];

/**
 * Reads the paging, order, and filters of a list. They don't depend on the profile. Throws UsageError.
 *
 * @param validate checks values in the form of fixtures
 */
export function readRecordQuery(
  model: Model,
  { deleted, filters, limit, offset, search, sort }: ListTexts,
  validate: ReturnType<typeof createValueValidators>,
): ListQuery {
  if (deleted !== undefined && deleted !== 'true' && deleted !== 'false')
    throw new UsageError(`deleted must be true or false, but is ${show(deleted)}.`);
  const read = filters === undefined ? [] : readFilters(model, filters, validate);
  return {
    liveOnly: deleted !== 'true',
    offset: offset === undefined ? 0 : readCount('offset', offset, Number.MAX_SAFE_INTEGER),
    size: limit === undefined ? PAGE : readCount('limit', limit, LONGEST_PAGE),
    sort: sort === undefined || sort === '' ? [] : readSort(model, sort),
    filters: search === undefined || search === '' ? read : [...read, searchIn(model, search)],
  };
}

/** Returns the condition that a record has a string in one of its fields, or as its ID. */
function searchIn(model: Model, text: string): Filter {
  if (text.length > LONGEST_PART)
    throw new UsageError(`search must have at most ${LONGEST_PART} characters, but has ${text.length}.`);
  const id: Filter = { field: 'id', type: 'int', operator: 'in', values: [Number(text)] };
  const texts = model.fields.filter((field) => isScalar(field) && operatorsOf(field).includes('contains'));
  const or = texts.map(
    ({ name, type }): Filter => ({ field: name, type, operator: 'contains', values: [text] }),
  );
  return { ...id, or };
}

function readSort(model: Model, text: string): Sort[] {
  const words = text.split(',');
  if (words.length > MOST_SORTS)
    throw new UsageError(`sort must name at most ${MOST_SORTS} fields, but names ${words.length}.`);
  const sortable = model.fields.filter(isScalar);
  return words.map((word) => {
    const descending = word.startsWith('-');
    const { name, type } = fieldNamed(descending ? word.slice(1) : word, sortable, model, 'sort');
    return { field: name, type, descending };
  });
}

function readFilters(
  model: Model,
  text: string,
  validate: ReturnType<typeof createValueValidators>,
): Filter[] {
  const given = parse(text);
  if (!Array.isArray(given)) throw new UsageError(`filters must be a JSON list, but is ${show(given)}.`);
  if (given.length > MOST_FILTERS)
    throw new UsageError(
      `filters must have at most ${MOST_FILTERS} conditions, but has ${given.length}. Use fewer.`,
    );
  return given.map((one: unknown, index) => readFilter(model, one, `filters[${index}]`, validate));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`filters is not valid JSON: ${(error as Error).message}.`);
  }
}

function readFilter(
  model: Model,
  given: unknown,
  at: string,
  validate: ReturnType<typeof createValueValidators>,
): Filter {
  if (!isFields(given as Value))
    throw new UsageError(
      `${at} must be an object with the members field, operator, and value, but is ${show(given)}.`,
    );
  const { field: named, operator, value = null } = given as { readonly [member: string]: Value };
  for (const member of Object.keys(given as object))
    if (!MEMBERS.includes(member)) throw new UsageError(unexpected('member', member, MEMBERS, `of ${at}`));
  const field = fieldNamed(named, model.fields, model, at);
  const known: readonly string[] = isScalar(field)
    ? ['equal', ...operatorsOf(field)]
    : field.lines === undefined
      ? ['has']
      : [];
  if (known.length === 0)
    throw new UsageError(`${at} can't filter by ${field.name}, because it contains records.`);
  if (typeof operator !== 'string' || !known.includes(operator))
    throw new UsageError(unexpected('operator', operator, known, `for ${field.name} in ${at}`));
  const name = `The value of ${at}`;
  const values = operandsOf(field, operator as Filter['operator'], value, name, validate);
  return { field: field.name, type: field.type, operator: operator as Filter['operator'], values };
}

function operandsOf(
  field: Field,
  operator: Filter['operator'],
  value: Value,
  name: string,
  validate: ReturnType<typeof createValueValidators>,
): readonly Value[] {
  switch (operator) {
    case 'equal':
      return [value === null ? null : readValue(field, value, name, validate)];
    case 'null':
      if (typeof value === 'boolean') return [value];
      throw new UsageError(`${name} must be true or false, but is ${show(value)}.`);
    case 'contains':
      if (typeof value === 'string' && value !== '' && value.length <= LONGEST_PART) return [value];
      throw new UsageError(`${name} must be a string of 1 to ${LONGEST_PART} characters.`);
    case 'has':
      if (Number.isSafeInteger(value)) return [value];
      throw new UsageError(`${name} must be an integer, but is ${show(value)}.`);
    case 'in':
      if (!Array.isArray(value) || value.length > MOST_VALUES)
        throw new UsageError(`${name} must be a list of at most ${MOST_VALUES} values.`);
      return value.map((one: Value) => readValue(field, one, name, validate));
    default:
      return [readValue(field, value, name, validate)];
  }
}

function readValue(
  field: Field,
  value: Value,
  name: string,
  validate: ReturnType<typeof createValueValidators>,
): Value {
  const [wrong] = validate(field, value);
  if (wrong) throw new UsageError(`${name} ${wrong.message}.`);
  try {
    return WIRE_TYPES[field.type].decode(value, { field, profile: DEFAULT_PROFILE });
  } catch (error) {
    throw new UsageError(`${name} is not a valid ${field.type}: ${(error as Error).message}.`);
  }
}

function fieldNamed(name: unknown, fields: readonly Field[], model: Model, at: string): Field {
  const found = fields.find((field) => field.name === name);
  if (found) return found;
  const names = fields.map((field) => field.name);
  throw new UsageError(unexpected('field', name, names, `of ${model.name} in ${at}`));
}
