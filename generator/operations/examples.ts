import type { OpenAPIV3_1 } from 'openapi-types';
import { envelope, marksDeleted, type Placed, schemaName } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { placeIn } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { pointerFor } from '../../spec/wire/model-place.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isParentLink, lineModel } from '../schemas/names.ts';
import type { Sources } from '../sources.ts';
import { asNew, type ExampleRecord } from './example-records.ts';

type Examples = Record<string, OpenAPIV3_1.ExampleObject | OpenAPIV3_1.ReferenceObject>;

/** More fields would only repeat what the example of a create shows. */
const FIELDS_IN_PARTIAL_UPDATE = 2;
const RECORDS_IN_LIST = 2;

/** The id that a path is shown with: that of the first record. */
export function exampleId(model: Model, sources: Sources): Value {
  return sources.records.of(model)[0]?.values.id ?? 1;
}

/** Records as returned, each in its envelope; shared, because a retrieve, a create and an update show the same. */
export function recordExamples(model: Model, sources: Sources): Examples {
  return Object.fromEntries(
    sources.records.of(model).map((record) => {
      const suffix = record.name === 'default' ? '' : schemaName(record.name);
      const owner = `the record ${record.name} of ${model.name}`;
      return [
        record.name,
        sources.components.refer('examples', schemaName(model.name) + suffix, owner, () => ({
          summary: record.summary,
          value: shownRecord(record.values, model, sources),
        })),
      ];
    }),
  );
}

/** A record as a delete leaves it. */
export function deletedExample(model: Model, sources: Sources): Value {
  const record = sources.records.of(model)[0]?.values ?? {};
  const changes = marksDeleted(model, sources.profile) ? { deleted: true } : {};
  return shownRecord({ ...record, ...changes }, model, sources);
}

/** The first records of a list, in their envelope. */
export function listExample(model: Model, sources: Sources): OpenAPIV3_1.ExampleObject {
  const { codec, profile, records } = sources;
  const shown = records.of(model).slice(0, RECORDS_IN_LIST);
  const place = placeIn(profile['response.total']);
  const total: Placed<Value>[] = place?.in === 'body' ? [[place.name, records.count(model)]] : [];
  const list = shown.map(({ values }) => structuredClone(codec.encode(model.name, values)));
  return {
    summary: `${model.name} records`,
    value: envelope([[pointerFor(profile['response.records'], model.name), list], ...total]),
  };
}

/** Bodies to send to a create: the fields that records have a value for. */
export function createExamples(model: Model, sources: Sources): Examples {
  const { profile, records } = sources;
  const all = records.of(model);
  return Object.fromEntries(
    all.flatMap((record) => {
      const values = asNew(model, record.values, profile);
      if (values !== record.values && record !== all[0]) return [];
      return [
        [record.name, { summary: record.summary, value: newRecord({ ...record, values }, model, sources) }],
      ];
    }),
  );
}

/** Bodies to send to an update: a few fields, or all where the profile asks for them; and lines, with their ids. */
export function updateExamples(model: Model, sources: Sources): Examples {
  const { profile, records } = sources;
  const [first] = records.of(model);
  if (!first) return {};
  const whole = newRecord(first, model, sources);
  if (profile['request.update'] !== 'partial')
    return { default: { summary: 'All fields that keep a value', value: whole } };
  const lines = model.fields.filter((field) => !field.readonly && lineModel(field, sources));
  const few = sendable(model, first.values)
    .filter(({ type, lines }) => type !== 'select' && lines === undefined)
    .slice(0, FIELDS_IN_PARTIAL_UPDATE);
  const value = few.length > 0 ? pick(few, first.values, model, sources) : whole;
  return {
    default: { summary: few.length > 0 ? 'A few fields' : 'All fields', value },
    ...(lines.length > 0 && profile['request.readonlyFields'] === 'ignore'
      ? {
          lines: {
            summary: 'Existing lines have an id, new lines have none',
            value: pick(lines, first.values, model, sources, { named: true }),
          },
        }
      : {}),
  };
}

function newRecord({ values }: ExampleRecord, model: Model, sources: Sources): Value {
  return pick(sendable(model, values), values, model, sources);
}

/** The fields of a record that can be sent. */
function sendable({ fields }: Model, values: RecordValues): Field[] {
  return fields.filter((field) => !field.readonly && values[field.name] !== null);
}

/** Some fields as sent; of lines only what is theirs to say, with their ids where an update names them. */
function pick(
  fields: readonly Field[],
  values: RecordValues,
  model: Model,
  sources: Sources,
  lines: { readonly named: boolean } = { named: false },
): Value {
  const picked = fields.map((field) => {
    const value = values[field.name] ?? null;
    const line = lineModel(field, sources);
    return [field.name, line ? (value as Value[]).map((one) => sentLine(one, line)) : value] as const;
  });
  return structuredClone(sources.codec.encodeNamed(model.name, Object.fromEntries(picked)));

  function sentLine(one: Value, line: Model): Value {
    const own = one as RecordValues;
    const sent = sendable(line, own).filter((field) => !isParentLink(field, line, model, sources));
    return {
      ...(lines.named ? { id: own.id ?? null } : {}),
      ...Object.fromEntries(sent.map(({ name }) => [name, own[name] ?? null])),
    };
  }
}

/** In its envelope; a copy, so that no two parts of a document are one object. */
function shownRecord(values: RecordValues, model: Model, { codec, profile }: Sources): Value {
  const at = pointerFor(profile['response.record'], model.name);
  return envelope([[at, structuredClone(codec.encode(model.name, values))]]);
}
