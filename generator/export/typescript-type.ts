import type { OpenAPIV3_1 } from 'openapi-types';

type Schema = OpenAPIV3_1.SchemaObject | OpenAPIV3_1.ReferenceObject;

/** The TypeScript type of the values that a schema of the generator allows; named schemas by their names. */
export function typeOf(schema: Schema): string {
  if ('$ref' in schema) return String(schema.$ref).split('/').at(-1) ?? 'unknown';
  if (schema.enum) return union(schema.enum.map((value: unknown) => JSON.stringify(value)));
  const types = [schema.type ?? []].flat();
  return types.length === 0 ? 'unknown' : union(types.map((type) => typeOfKind(type, schema)));
}

function typeOfKind(type: string, schema: OpenAPIV3_1.SchemaObject): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const items = typeOf(('items' in schema && schema.items) || {});
      return /[ |]/.test(items) ? `(${items})[]` : `${items}[]`;
    }
    case 'object':
      return objectType(schema);
    default:
      return type;
  }
}

function objectType({ properties, required = [] }: OpenAPIV3_1.SchemaObject): string {
  // Not `Record`: a model may have that name.
  if (Object.keys(properties ?? {}).length === 0) return '{ [name: string]: unknown }';
  const members = Object.entries(properties ?? {}).map(([name, property]) => {
    const declared = member(name, typeOf(property), !required.includes(name));
    const isReadonly = 'readOnly' in property && property.readOnly === true;
    return documented(property.description, isReadonly ? `readonly ${declared}` : declared);
  });
  return `{\n${members.join('\n').replace(/^(?=.)/gm, '  ')}\n}`;
}

function union(members: readonly string[]): string {
  return [...new Set(members)].join(' | ');
}

/** A member of an interface, such as `name?: string;`. */
export function member(name: string, type: string, optional = false): string {
  return `${propertyKey(name)}${optional ? '?' : ''}: ${type};`;
}

export function propertyKey(name: string): string {
  return /^([A-Za-z_$][\w$]*|0|[1-9]\d*)$/.test(name) ? name : JSON.stringify(name);
}

/** The same with a comment before it, which an editor shows. */
export function documented(text: string | undefined, declared: string): string {
  if (text === undefined || text === '') return declared;
  const lines = text.replaceAll('*/', '*\\/').trim().split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n${declared}`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n${declared}`;
}
