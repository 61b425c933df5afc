import type { ContractDocument } from '../../generator/generate.ts';
import type { OpenApiVersion } from '../../generator/version.ts';
import type { Reply } from './reply.ts';

const PLACES = {
  '/openapi.json': ['3.1', 'json', 'application/json'],
  // RFC 9512.
  '/openapi.yaml': ['3.1', 'yaml', 'application/yaml'],
  '/openapi-3.0.json': ['3.0', 'json', 'application/json'],
} as const;

export const DOCUMENT_PATHS = Object.keys(PLACES);

export function isDocumentPath(path: string): path is keyof typeof PLACES {
  return Object.hasOwn(PLACES, path);
}

/** Returns a function that serves the document by path; undefined for other paths. Writes it on its first use. */
export function createDocuments(
  documents: Readonly<Record<OpenApiVersion, () => ContractDocument>>,
): (path: string) => Promise<Reply> | undefined {
  const written = new Map<string, Promise<Reply>>();
  return (path) => {
    if (!isDocumentPath(path)) return undefined;
    const reply = written.get(path) ?? write(path);
    written.set(path, reply);
    return reply;
  };

  async function write(path: keyof typeof PLACES): Promise<Reply> {
    const { serializeDocument } = await import('../../generator/serialize.ts');
    const [version, format, type] = PLACES[path];
    const body = serializeDocument(documents[version](), format);
    return { status: 200, headers: { 'content-type': type }, body };
  }
}
