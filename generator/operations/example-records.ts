import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isDeleted, readRole } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { DEFAULT_PROFILE, movesOf, type Profile, profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { isText, valueListOf, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';

/** Records by model, in the form of the default profile, such as fixtures; each with its id. */
export type GivenRecords = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

/** A record to show: canonical values, lines in full. */
export type ExampleRecord = {
  readonly name: string;
  readonly summary: string;
  readonly values: RecordValues;
};

// One number for all samples: the id in a path, the id of the record shown and the links to it are then the same.
const SAMPLE = 1;
/** More records only repeat what the others show. */
const MOST_EXAMPLES = 5;

/** The records of a document's examples: the given ones, and a sample of every model that has none. */
export function createExampleRecords(contract: Contract, given: GivenRecords = new Map()) {
  const { catalogue, profile, references } = contract;
  const known = new Map<string, readonly ExampleRecord[]>();
  return {
    /** Returns at least one record of a model; more if a value list or lines make a difference. */
    of: (model: Model) => {
      const records = known.get(model.name) ?? chooseRecords(model, recordsOf(model));
      known.set(model.name, records);
      return records;
    },
    /** Returns the number of records of a model. */
    count: (model: Model) => Math.max(1, givenOf(model).length),
  };

  function givenOf(model: Model): readonly Readonly<Record<string, unknown>>[] {
    return (given.get(model.name) ?? []).filter((record) => !isDeleted(model, record));
  }

  function recordsOf(model: Model): RecordValues[] {
    const records = givenOf(model);
    if (records.length === 0) return [sampleRecord(model)];
    const last = records.filter((record) => isLineOfFirst(model, record));
    const shown = [...records.filter((record) => !last.includes(record)), ...last];
    const all = shown.map((record) => complete(model, record));
    const first = all.find((record) => asNew(model, record, profile) === record);
    return first ? [first, ...all.filter((record) => record !== first)] : all;
  }

  /**
   * Whether a record is a line of the parent that the document shows first. A tool that sends all examples in order deletes
   * that parent, with its lines, before it asks for a line.
   */
  function isLineOfFirst(line: Model, record: Readonly<Record<string, unknown>>): boolean {
    return [...catalogue.models.values()].some((parent) => {
      const hasLine = parent.fields.some(({ lines }) => lines === line.name);
      const link = hasLine ? parentLink(line, parent, references)?.name : undefined;
      return link !== undefined && record[link] === givenOf(parent)[0]?.id;
    });
  }

  function sampleRecord(model: Model): RecordValues {
    const values = model.fields.map((field) => {
      if (field.lines === undefined) return [field.name, sample(field)];
      const line = catalogue.models.get(field.lines);
      // As ids, lines may hold each other in a circle.
      const isWhole = profileAt(profile, field.key)['types.lines'] === 'objects';
      return [field.name, [line && isWhole ? sampleRecord(line) : SAMPLE]];
    });
    return Object.fromEntries(values);
  }

  function sample(field: Field): Value {
    return movesOf(field, profile)?.new?.[0] ?? WIRE_TYPES[field.type].sample(SAMPLE, { field, profile });
  }

  function complete(model: Model, record: Readonly<Record<string, unknown>>): RecordValues {
    return Object.fromEntries(model.fields.map((field) => [field.name, completeValue(field, model, record)]));
  }

  function completeValue(field: Field, model: Model, record: Readonly<Record<string, unknown>>): Value {
    if (field.lines !== undefined) return linesOf(field.lines, model, record);
    const value = Object.hasOwn(record, field.name) ? record[field.name] : undefined;
    if (value !== undefined && value !== null) return asShown(field, value as Value);
    // The service fills in these fields. A record without changes was last changed when it was created.
    if (field.role === 'deleted') return false;
    const created = readRole(model, 'created', record);
    if (field.role === 'updated' && created) return asShown(field, created as Value);
    return field.required || field.common ? sample(field) : null;
  }

  function linesOf(lineModel: string, parent: Model, record: Readonly<Record<string, unknown>>): Value {
    const line = catalogue.models.get(lineModel);
    const link = line && parentLink(line, parent, references)?.name;
    if (!line || link === undefined) return [];
    return givenOf(line)
      .filter((one) => one[link] === record.id)
      .map((one) => complete(line, one));
  }

  /** The value as the profile can show it, else a sample: a list of the profile may leave it out. */
  function asShown(field: Field, value: Value): Value {
    const canonical = WIRE_TYPES[field.type].decode(value, { field, profile: DEFAULT_PROFILE });
    const { 'limits.text': longest } = profileAt(profile, field.key);
    if (isText(field) && longest !== 'none') return String(canonical).slice(0, longest).trim();
    const list = valueListOf({ field, profile });
    return list && !list.some((choice) => choice.value === canonical) ? sample(field) : canonical;
  }
}

/** Returns a record with states that a new record can have: the same object if it has such states. */
export function asNew(model: Model, record: RecordValues, profile: Profile): RecordValues {
  const changes = model.fields.flatMap((field) => {
    const first = movesOf(field, profile)?.new;
    const state = record[field.name] ?? null;
    const isNew = !first || state === null || first.some((one) => one === state);
    return isNew ? [] : [[field.name, first[0] ?? null]];
  });
  return changes.length === 0 ? record : { ...record, ...Object.fromEntries(changes) };
}

/** The first record, and the first of every further member of a value list, or with another number of lines. */
function chooseRecords(model: Model, records: readonly RecordValues[]): ExampleRecord[] {
  const telling = model.fields.filter((field) => field.choices || field.lines !== undefined);
  const shown = new Set<string>();
  const chosen = new Map<string, ExampleRecord>();
  for (const values of records) {
    const news = telling.flatMap((field) => {
      const word = wordFor(field, values[field.name] ?? null);
      return word === undefined || shown.has(`${field.name} ${word}`) ? [] : [[field, word] as const];
    });
    if ((chosen.size > 0 && news.length === 0) || chosen.size === MOST_EXAMPLES) continue;
    for (const [field, word] of news) shown.add(`${field.name} ${word}`);
    const [field, word = 'record'] = news[0] ?? [];
    // The first has one name everywhere, so that it can be asked for without knowing the model.
    const name = chosen.size === 0 ? 'default' : chosen.has(word) ? `${word}${values.id}` : word;
    chosen.set(name, { name, summary: summaryOf(model, values, field), values });
  }
  return [...chosen.values()];
}

/** A word for what tells a record from others; undefined where the value says nothing. */
function wordFor(field: Field, value: Value): string | undefined {
  if (field.lines !== undefined) return ['noLines', 'oneLine'][(value as Value[]).length] ?? 'severalLines';
  const choice = field.choices?.find((one) => one.value === value);
  if (!choice) return undefined;
  const word = choice.english ?? `${field.name}${choice.value}`;
  return word.charAt(0).toLowerCase() + word.slice(1);
}

/** Returns the label of an example: the name of the record, and the value that distinguishes it. */
function summaryOf({ name, fields }: Model, values: RecordValues, telling: Field | undefined): string {
  const called = fields.find(
    (field) => isText(field) && !field.readonly && typeof values[field.name] === 'string',
  );
  const title = `${name} ${values.id}${called ? `: ${String(values[called.name]).slice(0, 60)}` : ''}`;
  const choice = telling?.choices?.find((one) => one.value === values[telling.name]);
  return choice && telling ? `${title} (${telling.name} ${choice.value}, ${choice.name})` : title;
}
