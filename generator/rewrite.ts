import { isDeepStrictEqual } from 'node:util';
import type { OpenAPIV3_1 } from 'openapi-types';
import { IGNORED } from './schemas/write-schemas.ts';
import type { IdFormat } from './version.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns a document with another format of IDs and counts. Integers with a maximum keep theirs, because cents and
 * milliseconds need 64 bits.
 */
export function withIdFormat<Document extends OpenAPIV3_1.Document>(
  document: Document,
  format: IdFormat,
): Document {
  return mapObjects(document, (found) => {
    if (found.format !== 'int64' || found.maximum !== undefined) return found;
    const { format: _, ...rest } = found;
    return format === 'none' ? rest : { ...found, format };
  });
}

const LEFT_OUT = ['example', 'examples', 'links'];

/**
 * Returns a document without examples, links, extensions, and descriptions of bodies and parameters. It has each response
 * and each header once, and no types of fields that a body can have and the service ignores.
 */
export function compactDocument<Document extends OpenAPIV3_1.Document>(document: Document): Document {
  const isKept = (name: string, found: Json, place?: string) =>
    !LEFT_OUT.includes(name) &&
    !name.startsWith('x-') &&
    !(name === 'description' && (place === 'requestBody' || 'in' in found));
  const short = mapObjects(document, (found, place) => {
    // A field of a model can have one of these names.
    if (place === 'properties') return found;
    // The value of an ignored field does not matter.
    if (found.description === IGNORED) return {};
    return Object.fromEntries(Object.entries(found).filter(([name]) => isKept(name, found, place)));
  });
  const headers: Record<string, unknown> = {};
  const responses = short.components?.responses ?? {};
  const share = (kind: 'headers' | 'responses', part: unknown, name: string) => {
    const known: Record<string, unknown> = kind === 'headers' ? headers : responses;
    if (kind === 'headers') known[name] ??= part;
    const [found] = Object.entries(known).find(([, one]) => isDeepStrictEqual(one, part)) ?? [];
    return found === undefined ? part : { $ref: `#/components/${kind}/${found}` };
  };
  const paths = mapObjects(short.paths, (found, place) =>
    place === 'headers' || place === 'responses'
      ? Object.fromEntries(Object.entries(found).map(([name, part]) => [name, share(place, part, name)]))
      : found,
  );
  const more = Object.keys(headers).length > 0 ? { headers } : {};
  return { ...short, paths, components: { ...short.components, ...more } };
}

/** Returns a document without `default` responses, for callers that need the statuses named by the profile. */
export function withNamedStatuses<Document extends OpenAPIV3_1.Document>(document: Document): Document {
  const named = ({ responses: { default: _, ...responses } = {}, ...rest }: OpenAPIV3_1.OperationObject) => ({
    ...rest,
    responses,
  });
  const paths = Object.entries(document.paths ?? {}).map(([path, item = {}]) => {
    const operations = Object.entries(item as Readonly<Record<string, OpenAPIV3_1.OperationObject>>);
    return [path, Object.fromEntries(operations.map(([method, operation]) => [method, named(operation)]))];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

/** Returns a copy in which a function has replaced each object, the inner ones first. `place` is the name of its member. */
function mapObjects<Value>(
  value: Value,
  change: (found: Json, place: string | undefined) => Json,
  place?: string,
): Value {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, change)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [name, mapObjects(member, change, name)]);
  return change(Object.fromEntries(entries), place) as Value;
}
