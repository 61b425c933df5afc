import { schemaName } from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { LONGEST_LIST } from '../../spec/types/wire-type.ts';
import { type Sources, sourcesAt } from '../sources.ts';
import { isParentLink, lineModel, nounOf, titleOf } from './names.ts';
import { propertySchema } from './property.ts';
import type { Schema, SchemaReference } from './schema.ts';

type WriteOperation = 'create' | 'update';

/** The content of a schema for a request body. */
type Sent = {
  readonly model: Model;
  readonly operation: WriteOperation;
  readonly title: string;
  readonly description: string;
  readonly isRequired: (field: Field) => boolean;
  /** The id of a line in an update names the line that is meant, though it is readonly. */
  readonly named: boolean;
};

/** Refers to the schema of the fields that a create or an update takes. */
export function referToFields(operation: WriteOperation, model: Model, given: Sources): SchemaReference {
  const sources = sourcesAt(given, model.name);
  const name = schemaName(model.name) + schemaName(operation);
  return sources.components.refer('schemas', name, `the ${operation} of ${model.name}`, () => {
    const isWhole = operation === 'create' || sources.profile['request.update'] !== 'partial';
    const omitted = operation === 'update' ? ` ${describeOmitted(sources.profile)}` : '';
    const title = `${titleOf(model)} to ${operation}`;
    const description = `Fields to ${operation} one \`${model.name}\` record.${omitted}`;
    const isRequired = ({ required }: Field) => isWhole && required;
    return writeSchema({ model, operation, named: false, title, description, isRequired }, sources);
  });
}

/** Returns what an update does with fields that it omits, as a sentence. */
export function describeOmitted(profile: Profile): string {
  const fields = profile['request.null'] === 'ignore' ? 'Omitted fields and null' : 'Omitted fields';
  return `${fields} ${profile['request.update'] === 'full' ? 'lose' : 'keep'} their values (assumed).`;
}

/** Refers to the schema of a line as sent inside its parent, whose id it can't know yet. */
function referToLine(
  operation: WriteOperation,
  line: Model,
  parent: Model,
  ofParent: Sources,
): SchemaReference {
  const sources = sourcesAt(ofParent, line.name);
  // The id is readonly; where such fields are refused no line can be named.
  const named = operation === 'update' && sources.profile['request.readonlyFields'] === 'ignore';
  const name = `${schemaName(line.name)}In${schemaName(parent.name)}${named ? 'Update' : ''}`;
  const owner = `the lines ${line.name} of ${parent.name}${named ? ' in an update' : ''}`;
  const known = ` A line with the \`id\` of an existing line changes that line. Any other line is new (assumed).`;
  const title = `${titleOf(line)} in ${nounOf(parent).one}${named ? ' to update' : ''}`;
  const description = `One \`${line.name}\` record inside its \`${parent.name}\` record. The link to the parent is optional.${named ? known : ''}`;
  const isRequired = (field: Field) => field.required && !isParentLink(field, line, parent, sources);
  return sources.components.refer('schemas', name, owner, () =>
    writeSchema({ model: line, operation, named, title, description, isRequired }, sources),
  );
}

/** The description of a readonly field in a body. */
export const IGNORED = 'Readonly. The service ignores it (assumed).';

function writeSchema(sent: Sent, sources: Sources): Schema {
  const { description, isRequired, model, named, operation, title } = sent;
  const taken = model.fields.filter((field) => !field.readonly || (named && field.name === 'id'));
  const described = listsIgnored(sources, taken) ? model.fields : taken;
  const properties = described.map((field) => {
    const line = lineModel(field, sources);
    const orNull = field.name !== 'id' && !(field.required && !field.readonly);
    const ofLine = line && referToLine(operation, line, model, sources);
    return [
      field.name,
      {
        ...propertySchema(field, { orNull, line: ofLine, isSent: true }, sources),
        // A list without a fixed length. A week has seven days.
        ...((field.type === 'lines' || field.type === 'manyToMany') && { maxItems: LONGEST_LIST }),
        ...(!taken.includes(field) && { description: IGNORED }),
      },
    ];
  });
  return {
    type: 'object',
    title,
    description,
    ...requiredList(taken.filter((field) => !field.readonly && isRequired(field))),
    properties: Object.fromEntries(properties),
    ...namesTaken(model, taken, sources),
  };
}

/**
 * The names that a body can have. They include readonly fields that the service ignores, so that a client can send back
 * a retrieved record without changes.
 */
function namesTaken(
  { fields }: Model,
  taken: readonly Field[],
  sources: Sources,
): Pick<Schema, 'additionalProperties' | 'propertyNames'> {
  const { profile, version } = sources;
  const readonly = fields.filter((field) => !taken.includes(field));
  const refused = profile['request.readonlyFields'] === 'reject' ? readonly : [];
  if (profile['request.unknownFields'] === 'ignore')
    return refused.length > 0 && version === '3.1'
      ? { propertyNames: { not: { enum: namesOf(refused) } } }
      : {};
  if (profile['request.readonlyFields'] === 'reject' || listsIgnored(sources, taken))
    return { additionalProperties: false };
  return { propertyNames: { enum: namesOf(fields) } };
}

/**
 * Whether the properties include the readonly fields that the service ignores. OpenAPI 3.0 can't name them in another
 * way. If there is nothing to write, most tools read only `additionalProperties: false` as a body without other fields.
 * Section 4 names no other fields than those of the model, and leaves open what the service does with them.
 */
function listsIgnored({ profile, version }: Sources, taken: readonly Field[]): boolean {
  return (
    (version === '3.0' || taken.length === 0) &&
    profile['request.readonlyFields'] === 'ignore' &&
    profile['request.unknownFields'] === 'reject'
  );
}

function namesOf(fields: readonly Field[]): string[] {
  return fields.map((field) => field.name);
}

/** Refers to the schema of a record as returned. */
export function referToRecord(model: Model, given: Sources): SchemaReference {
  const sources = sourcesAt(given, model.name);
  return sources.components.refer('schemas', schemaName(model.name), `the model ${model.name}`, () =>
    readSchema(model, sources),
  );
}

/** A record as returned. Open to fields that are not known yet: an answer with more of them breaks no client. */
function readSchema(model: Model, sources: Sources): Schema {
  const showsNull = ({ key }: Field) => profileAt(sources.profile, key)['response.unset'] === 'null';
  // Section 4 addresses every record by its integer id, so that an id is always shown.
  const isSet = ({ name, required }: Field) => required || name === 'id';
  const properties = model.fields.map((field) => {
    const line = lineModel(field, sources);
    const orNull = showsNull(field) && !isSet(field);
    const schema = propertySchema(
      field,
      { orNull, line: line && referToRecord(line, sources), isSent: false },
      sources,
    );
    return [field.name, { ...schema, ...(field.readonly && { readOnly: true }) }];
  });
  return {
    type: 'object',
    title: titleOf(model),
    description: describeModel(model),
    ...requiredList(model.fields.filter((field) => showsNull(field) || isSet(field))),
    properties: Object.fromEntries(properties),
  };
}

/** The keyword `required` for some fields; JSON Schema has no use for an empty one. */
function requiredList(fields: readonly Field[]): { required?: string[] } {
  return fields.length === 0 ? {} : { required: namesOf(fields) };
}

/** Returns the description of a model, with its name in the API. */
export function describeModel({ name, about }: Model): string {
  return about === undefined ? `A record of the model \`${name}\`.` : `${about} Model: \`${name}\`.`;
}
