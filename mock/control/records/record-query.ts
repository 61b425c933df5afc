import { isScalar, MOST_SORTS, operatorsOf } from '../../../spec/binding.ts';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import type { ListQuery } from '../../engine/engine.ts';
import { isFields } from '../../operations/body.ts';
import { show } from '../../operations/messages.ts';
import { createOperandReader, LONGEST_PART, readSortWord } from '../../operations/query.ts';
import type { Filter, Sort } from '../../store/store.ts';
import type { ListParameters } from './records-api.ts';

/** The number of records on a page, if the client names none. */
const PAGE = 50;

const MOST_FILTERS = 20;

const MEMBERS = ['field', 'operator', 'value'];

const readOperands = createOperandReader(DEFAULT_PROFILE);

/**
 * Reads the paging, order, and filters of a list, with values in the form of fixtures. They don't depend on the profile.
 * Throws UsageError.
 */
export function readRecordQuery(
  model: Model,
  { deleted = false, filters = '[]', limit = PAGE, offset = 0, search = '', sort = [] }: ListParameters,
): ListQuery {
  const read = readFilters(model, filters);
  return {
    liveOnly: !deleted,
    offset,
    size: limit,
    sort: readSort(model, [sort].flat()),
    filters: search === '' ? read : [...read, searchIn(model, search)],
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

function readSort(model: Model, words: readonly string[]): Sort[] {
  if (words.length > MOST_SORTS)
    throw new UsageError(`sort must name at most ${MOST_SORTS} fields, but names ${words.length}.`);
  const sortable = model.fields.filter(isScalar);
  return words.map(
    (word) => readSortWord(word, sortable) ?? refuseField(word.replace(/^-/, ''), sortable, model, 'sort'),
  );
}

function readFilters(model: Model, text: string): Filter[] {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`filters is not valid JSON: ${(error as Error).message}.`);
  }
  if (!Array.isArray(given)) throw new UsageError(`filters must be a JSON list, but is ${show(given)}.`);
  if (given.length > MOST_FILTERS)
    throw new UsageError(
      `filters must have at most ${MOST_FILTERS} conditions, but has ${given.length}. Use fewer.`,
    );
  return given.map((one: unknown, index) => readFilter(model, one, `filters[${index}]`));
}

function readFilter(model: Model, given: unknown, at: string): Filter {
  if (!isFields(given))
    throw new UsageError(
      `${at} must be an object with the members field, operator, and value, but is ${show(given)}.`,
    );
  for (const member of Object.keys(given))
    if (!MEMBERS.includes(member)) throw new UsageError(unexpected('member', member, MEMBERS, `of ${at}`));
  const field =
    model.fields.find((one) => one.name === given.field) ?? refuseField(given.field, model.fields, model, at);
  const { name, type } = field;
  const known = operatorsFor(field);
  if (known.length === 0) throw new UsageError(`${at} can't filter by ${name}, because it contains records.`);
  const operator = known.find((one) => one === given.operator);
  if (!operator) throw new UsageError(unexpected('operator', given.operator, known, `for ${name} in ${at}`));
  const values = readOperands(field, operator, given.value ?? null);
  if (typeof values === 'string') throw new UsageError(`The value of ${at} ${values}.`);
  return { field: name, type, operator, values };
}

function operatorsFor(field: Field): readonly Filter['operator'][] {
  if (isScalar(field)) return ['equal', ...operatorsOf(field)];
  return field.lines === undefined ? ['has'] : [];
}

function refuseField(name: unknown, fields: readonly Field[], model: Model, at: string): never {
  const names = fields.map((field) => field.name);
  throw new UsageError(unexpected('field', name, names, `of ${model.name} in ${at}`));
}
