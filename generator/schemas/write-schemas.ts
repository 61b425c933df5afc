import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { LONGEST_LIST } from '../../spec/types/wire-type.ts';
import type { Sources } from '../sources.ts';
import { isParentLink, lineModel } from './lines.ts';
import { lineName } from './names.ts';
import { propertySchema, requiredList } from './property.ts';
import type { Schema } from './schema.ts';

/** What a create takes. */
export function createSchema(model: Model, sources: Sources): Schema {
  const description = `The fields of \`${model.name}\` that a create takes.`;
  return writeSchema(model, description, (field) => field.required, sources);
}

/** What an update takes. */
export function updateSchema(model: Model, sources: Sources): Schema {
  if (sources.profile['request.update'] === 'full') {
    const description = `The fields of \`${model.name}\` that an update takes; what is not sent is unset.`;
    return writeSchema(model, description, (field) => field.required, sources);
  }
  const description = `The fields of \`${model.name}\` that an update takes; what is not sent stays as it is.`;
  return writeSchema(model, description, () => false, sources);
}

/** A line as sent inside its parent, whose id it can't know yet. */
export function lineSchema(line: Model, parent: Model, sources: Sources): Schema {
  const known = `In an update, one with the \`id\` of a line that the \`${parent.name}\` has is a change of that line, and every other a new line (assumed).`;
  const description = [
    `A record of \`${line.name}\` as sent inside a \`${parent.name}\`, which it need not name.`,
    // The id is readonly; where such fields are refused no line can be named.
    ...(sources.profile['request.readonlyFields'] === 'ignore' ? [known] : []),
  ].join(' ');
  const fields = line.fields.map((field) =>
    isParentLink(field, line, parent, sources) ? { ...field, required: false } : field,
  );
  return writeSchema({ ...line, fields }, description, (field) => field.required, sources);
}

/** Lists with no end of their own; a week has seven days. */
function isOpenList({ type }: Field): boolean {
  return type === 'lines' || type === 'manyToMany';
}

function writeSchema(
  model: Model,
  description: string,
  asksFor: (field: Field) => boolean,
  sources: Sources,
): Schema {
  const fields = model.fields.filter((field) => !field.readonly);
  return {
    type: 'object',
    description,
    ...requiredList(fields.filter(asksFor)),
    properties: Object.fromEntries(
      fields.map((field) => {
        const line = lineModel(field, sources);
        const lineSchema = line ? { lineSchema: lineName(line.name, model.name) } : {};
        const schema = propertySchema(field, { nullable: !field.required, ...lineSchema }, sources);
        return [field.name, isOpenList(field) ? { ...schema, maxItems: LONGEST_LIST } : schema];
      }),
    ),
    ...(sources.profile['request.unknownFields'] === 'reject' ? { additionalProperties: false } : {}),
  };
}
