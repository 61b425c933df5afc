import type { ContractDocument } from '../../generator/generate.ts';
import type { Reply } from './reply.ts';

const PLACES = {
  '/openapi.json': ['json', 'application/json'],
  // RFC 9512.
  '/openapi.yaml': ['yaml', 'application/yaml'],
} as const;

export function isDocumentPath(path: string): path is keyof typeof PLACES {
  return path === '/openapi.json' || path === '/openapi.yaml';
}

/** Returns a function that serves the document by path; undefined for other paths. Writes it on its first use. */
export function createDocuments(
  document: () => ContractDocument,
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
    const [format, type] = PLACES[path];
    return { status: 200, headers: { 'content-type': type }, body: serializeDocument(document(), format) };
  }
}
