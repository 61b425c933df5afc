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
import { asNew } from './example-records.ts';

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
  const examples = sources.records.of(model).map(({ name, summary, values }) => {
    const suffix = name === 'default' ? '' : schemaName(name);
    const owner = `the record ${name} of ${model.name}`;
    const make = () => ({ summary, value: shownRecord(values, model, sources) });
    return [name, sources.components.refer('examples', schemaName(model.name) + suffix, owner, make)];
  });
  return Object.fromEntries(examples);
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
  const examples = sources.records.of(model).flatMap(({ name, summary, values }, index) => {
    const fresh = asNew(model, values, sources.profile);
    // Other records than the first one are shown only as they are.
    if (fresh !== values && index > 0) return [];
    return [[name, { summary, value: newRecord(fresh, model, sources) }]];
  });
  return Object.fromEntries(examples);
}

/** Bodies to send to an update: a few fields, or all where the profile asks for them; and lines, with their ids. */
export function updateExamples(model: Model, sources: Sources): Examples {
  const { profile, records } = sources;
  const [first] = records.of(model);
  if (!first) return {};
  const whole = newRecord(first.values, model, sources);
  if (profile['request.update'] !== 'partial')
    return { default: { summary: 'All fields that keep a value', value: whole } };
  const lines = model.fields.filter((field) => !field.readonly && lineModel(field, sources));
  const few = sendable(model, first.values)
    .filter(({ type, lines }) => type !== 'select' && lines === undefined)
    .slice(0, FIELDS_IN_PARTIAL_UPDATE);
  const [summary, value] =
    few.length > 0 ? ['A few fields', pick(few, first.values, model, sources)] : ['All fields', whole];
  if (lines.length === 0 || profile['request.readonlyFields'] === 'reject')
    return { default: { summary, value } };
  const named = pick(lines, first.values, model, sources, true);
  return {
    default: { summary, value },
    lines: { summary: 'Existing lines have an id, new lines have none', value: named },
  };
}

function newRecord(values: RecordValues, model: Model, sources: Sources): Value {
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
  named = false,
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
      ...(named && { id: own.id ?? null }),
      ...Object.fromEntries(sent.map(({ name }) => [name, own[name] ?? null])),
    };
  }
}

/** In its envelope; a copy, so that no two parts of a document are one object. */
function shownRecord(values: RecordValues, model: Model, { codec, profile }: Sources): Value {
  const at = pointerFor(profile['response.record'], model.name);
  return envelope([[at, structuredClone(codec.encode(model.name, values))]]);
}
