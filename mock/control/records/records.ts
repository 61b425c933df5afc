import { isScalar, MOST_SORTS, operatorsOf } from '../../../spec/binding.ts';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { UsageError, unexpected } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../../spec/profile/profile.ts';
import { linkedModel } from '../../../spec/references.ts';
import { createRecordCodec, type RecordValues } from '../../../spec/wire/record-codec.ts';
import type { Invalid, ListQuery, OneRecord, UnknownRecord } from '../../engine/engine.ts';
import { type RecordSemantics, withLines } from '../../engine/relations.ts';
import type { Draft } from '../../engine/violation.ts';
import { createDraftReader, DEEPEST_JSON, isDeeper, isFields, TOO_DEEP } from '../../operations/body.ts';
import { show } from '../../operations/messages.ts';
import { createOperandReader, LONGEST_PART, readSortWord } from '../../operations/query.ts';
import { createGenerator } from '../../seed/generate-records.ts';
import { createCoercion } from '../../seed/read-seeds.ts';
import type { Filter, ReadableRecords, Sort } from '../../store/store.ts';
import { InvalidRecord, UnknownName } from '../control-error.ts';
import type { Session } from '../sessions/session.ts';
import type { StateAccess } from '../sessions/state.ts';
import type { ListParameters, RecordLinks } from './records-api.ts';

export type RecordAccess = ReturnType<typeof createRecordAccess>;

type ShownRecord = Record<string, unknown> & { readonly id: number };

/** A record by its model and ID, as in a path. */
export type Named = { readonly model: string; readonly id: number | string };

/** Values for `generate`. */
export type WantedRecords = { readonly model: string; readonly count: number; readonly seed?: number };

/** Maximum number of records that a client can generate at once. */
export const MOST_GENERATED = 1000;

/** Reads and writes single records as fixtures. Rejects with UnknownName or InvalidRecord. */
export function createRecordAccess(
  contract: Contract,
  semantics: RecordSemantics,
  asFixture: StateAccess['show'],
  /** Where the images of generated records are. */
  origin: string | undefined,
) {
  const { catalogue, profile, references } = contract;
  const names = [...catalogue.models.keys()];
  const codec = createRecordCodec(catalogue, DEFAULT_PROFILE);
  const { asShown, isDefault } = createCoercion(profile);
  const readFixture = createDraftReader(contract, DEFAULT_PROFILE, (field, value) =>
    isDefault ? { value } : asShown(field, value),
  );
  const generator = createGenerator(contract, semantics, asFixture, origin);
  const shown = ({ name }: Model, record: RecordValues) => codec.encode(name, record) as ShownRecord;
  return {
    list: async ({ engine }: Session, { model: name, ...options }: { model: string } & ListParameters) => {
      const model = modelOf(name);
      const { records, total } = await engine(model).list(readRecordQuery(model, options));
      return { records: records.map((record) => shown(model, record)), total };
    },
    get: async ({ records }: Session, { id, model: name }: Named) => {
      const model = modelOf(name);
      const record = await storedRecord(records, model, id);
      return shown(model, await withLines({ ...semantics, records }, model, record));
    },
    create: async (
      session: Session,
      { fill, model: name, values }: { model: string; values: object; fill?: boolean },
    ) => {
      const model = modelOf(name);
      const given = withIds(model, values);
      const whole = fill ? await generator.fill(session, model, given) : given;
      const made = await session.engine(model).create(readValues(model, whole, 'create'));
      return shown(model, recordOf(made, model));
    },
    update: async ({ engine }: Session, { id, model: name, values }: Named & { values: object }) => {
      const model = modelOf(name);
      const draft = readValues(model, withIds(model, values), 'update');
      return shown(model, recordOf(await engine(model).update(readId(model, id), draft), model, id));
    },
    delete: async ({ engine }: Session, { id, model: name }: Named) => {
      const model = modelOf(name);
      recordOf(await engine(model).delete(readId(model, id)), model, id);
    },
    links: async ({ records }: Session, { id, model: name }: Named): Promise<RecordLinks[]> => {
      const target = modelOf(name);
      const { id: value = null } = await storedRecord(records, target, id);
      const links: RecordLinks[] = [];
      for (const model of catalogue.models.values())
        for (const { key, name: field, type } of model.fields) {
          if (linkedModel(references, { key }) !== name) continue;
          const operator = type === 'manyToMany' ? 'has' : 'equal';
          const filters = [{ field, type, operator, values: [value] } as const];
          const { total: count } = await records.find(model.name, { filters, liveOnly: true, size: 0 });
          if (count > 0) links.push({ model: model.name, field, count });
        }
      return links;
    },
    counts: async ({ records }: Session): Promise<Readonly<Record<string, number>>> => {
      const counts: Record<string, number> = {};
      // One after the other, because all at once would use all connections to a database.
      for (const name of names) counts[name] = (await records.find(name, { liveOnly: true, size: 0 })).total;
      return counts;
    },
    /** Creates generated records. Returns the IDs of those of the model. Rejects with UsageError. */
    generate: (session: Session, { count, model: name, seed }: WantedRecords) => {
      const model = catalogue.models.get(name);
      if (!model) throw new UsageError(unexpected('model', name, names));
      if (!Number.isSafeInteger(count) || count < 1 || count > MOST_GENERATED)
        throw new UsageError(
          `count must be a whole number from 1 to ${MOST_GENERATED}, but is ${show(count)}.`,
        );
      return generator.generate(session, model, count, seed);
    },
    sample: async (session: Session, { model }: { model: string }) =>
      generator.sample(session, modelOf(model)),
  };

  /** Checks the values of a record, which can be nested deeper than those of a request to the API. */
  function readValues(model: Model, values: object, operation: 'create' | 'update'): Draft {
    if (isDeeper(values, DEEPEST_JSON)) throw new UsageError(`The ${model.name} ${TOO_DEEP}`);
    return readFixture(model, operation, isFields(values) ? values : {});
  }

  /** Replaces each record that is given as a link by its ID. */
  function withIds(model: Model, values: object): object {
    if (!isFields(values)) return values;
    const idOf = (value: unknown) => (isFields(value) && Number.isSafeInteger(value.id) ? value.id : value);
    const given: Record<string, unknown> = { ...values };
    for (const { key, lines, name } of model.fields) {
      if (lines !== undefined || !references.has(key) || !Object.hasOwn(values, name)) continue;
      const { [name]: value } = values;
      given[name] = Array.isArray(value) ? value.map(idOf) : idOf(value);
    }
    return given;
  }

  function modelOf(name: string): Model {
    const model = catalogue.models.get(name);
    if (model) return model;
    throw new UnknownName(unexpected('model', name, names));
  }
}

async function storedRecord(records: ReadableRecords, model: Model, id: number | string) {
  const found = await records.get(model.name, readId(model, id));
  if (found) return found;
  throw unknownRecord(model, id);
}

function readId(model: Model, id: number | string): number {
  const number = /^\d{1,16}$/.test(String(id)) ? Number(id) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  throw unknownRecord(model, id);
}

function unknownRecord({ name }: Model, id: number | string, why = ''): UnknownName {
  const shown = /^\d{1,16}$/.test(String(id)) ? id : show(id);
  return new UnknownName(`There is no ${name} with the ID ${shown}${why}.`);
}

/** Returns the record of a result. Throws UnknownName or InvalidRecord for any other result. */
function recordOf(result: OneRecord | UnknownRecord | Invalid, model: Model, id: number | string = '') {
  switch (result.kind) {
    case 'record':
      return result.record;
    case 'unknown-record':
      throw unknownRecord(model, id, result.deleted ? ', because it is deleted' : '');
    case 'invalid':
      throw new InvalidRecord(model.name, result.violations);
  }
}

/** The number of records on a page, if the client names none. */
const PAGE = 50;

const MOST_FILTERS = 20;

const MEMBERS = ['field', 'operator', 'value'];

const readOperands = createOperandReader(DEFAULT_PROFILE);

/** Reads the query of a list, with values in the form of fixtures. Throws UsageError. */
function readRecordQuery(
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
