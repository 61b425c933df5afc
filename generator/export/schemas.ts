import { schemaName } from '../../spec/binding.ts';
import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { type ContractDocument, EXTENSIONS } from '../generate.ts';

/** The schemas of a model: of returned records, of the fields of a create, of those of an update. */
const USES = { read: '', create: 'Create', update: 'Update' } as const;

type Json = { readonly [keyword: string]: unknown };

/**
 * JSON Schemas (2020-12) of the models of a document in OpenAPI 3.1, by file name, such as `brand.create.json`. Each
 * is complete, with the schemas it refers to under `$defs`. It has keywords of JSON Schema only, so that validators
 * accept it in strict mode. Pure.
 */
export function exportSchemas(document: ContractDocument, catalogue: Catalogue): ReadonlyMap<string, string> {
  const schemas = (document.components.schemas ?? {}) as Record<string, Json>;
  const files = new Map<string, string>();
  for (const { name } of catalogue.models.values())
    for (const [use, suffix] of Object.entries(USES)) {
      const root = schemas[schemaName(name) + suffix];
      if (!root) continue;
      const used = new Set<string>();
      const schema = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `urn:${slug(catalogue.title)}:${slug(catalogue.version)}:${name}:${use}`,
        ...(plain(root, used) as Json),
      };
      const text = JSON.stringify({ ...schema, ...defsOf(used, schemas) }, null, 2);
      files.set(`${name}.${use}.json`, `${text}\n`);
    }
  return files;
}

/** Returns the used schemas and those they refer to, by name. */
function defsOf(used: Set<string>, schemas: Readonly<Record<string, Json>>): { $defs?: Json } {
  const defs = new Map<string, unknown>();
  // A set gives what is added while it is walked.
  for (const name of used) defs.set(name, plain(schemas[name] ?? {}, used));
  const sorted = [...defs].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.length === 0 ? {} : { $defs: Object.fromEntries(sorted) };
}

const LEFT_OUT: readonly string[] = [...EXTENSIONS, 'externalDocs'];

/** A schema without the words of OpenAPI; notes the schemas that it refers to. */
function plain(value: unknown, used: Set<string>, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, used));
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([key]) => isNames || !LEFT_OUT.includes(key));
  return Object.fromEntries(
    kept.map(([key, inner]) => {
      if (key === '$ref' && !isNames) {
        const name = String(inner).split('/').at(-1) ?? '';
        used.add(name);
        return [key, `#/$defs/${name}`];
      }
      // Members of `properties` are always names of fields.
      return [key, plain(inner, used, key === 'properties' && !isNames)];
    }),
  );
}

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9.]+/g, '-');
}
