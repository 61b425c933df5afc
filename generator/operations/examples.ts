import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { isParentLink, lineModel } from '../schemas/lines.ts';
import type { Sources } from '../sources.ts';

// One number for all samples: the id in a path, the id of the record shown and the links to it are then the same.
const SAMPLE = 1;
/** More fields would only repeat what the example of a create shows. */
const FIELDS_IN_PARTIAL_UPDATE = 2;

/** An `id` as it stands in the examples' paths and records. */
export function exampleId(field: Field, { profile }: Sources): Value {
  return WIRE_TYPES.int.sample(SAMPLE, { field, profile });
}

/** A record as returned, every field set; `changes` are canonical values in place of the samples. */
export function readExample(model: Model, sources: Sources, changes: RecordValues = {}): Value {
  return sources.codec.encode(model.name, { ...canonicalRecord(model, sources), ...changes });
}

/** A record as sent to create: every writable field. */
export function createExample(model: Model, sources: Sources): Value {
  return writeFields(
    model.fields.filter((field) => !field.readonly),
    sources,
    model,
  );
}

/** A record as sent to update: a few fields, or all where the profile asks for them. */
export function updateExample(model: Model, sources: Sources): Value {
  if (sources.profile['request.update'] === 'full') return createExample(model, sources);
  const writable = model.fields.filter((field) => !field.readonly);
  return writeFields(writable.slice(0, FIELDS_IN_PARTIAL_UPDATE), sources, model);
}

function canonicalRecord(model: Model, sources: Sources): Record<string, Value> {
  return Object.fromEntries(
    model.fields.map((field) => {
      const line = lineModel(field, sources);
      if (line) return [field.name, [canonicalRecord(line, sources)]];
      return [field.name, sample(field, sources)];
    }),
  );
}

function writeFields(fields: readonly Field[], sources: Sources, parent: Model): Value {
  const { profile } = sources;
  return Object.fromEntries(
    fields.map((field) => {
      const line = lineModel(field, sources);
      if (line) {
        const asked = line.fields.filter((of) => !of.readonly && !isParentLink(of, line, parent, sources));
        return [field.name, [writeFields(asked, sources, line)]];
      }
      return [field.name, WIRE_TYPES[field.type].encode(sample(field, sources), { field, profile })];
    }),
  );
}

function sample(field: Field, sources: Sources): Value {
  if (field.lines !== undefined) return [exampleId(field, sources)];
  return WIRE_TYPES[field.type].sample(SAMPLE, { field, profile: sources.profile });
}
