import type { ContractDocument } from '../../generator/generate.ts';
import { serializeDocument } from '../../generator/serialize.ts';
import type { Reply } from './reply.ts';

const PLACES = {
  '/openapi.json': ['json', 'application/json'],
  // RFC 9512.
  '/openapi.yaml': ['yaml', 'application/yaml'],
} as const;

/** The document as it is served, by path; undefined for every other path. Written when first asked for. */
export function createDocuments(document: ContractDocument): (path: string) => Reply | undefined {
  const written = new Map<string, Reply>();
  return (path) => {
    if (path !== '/openapi.json' && path !== '/openapi.yaml') return undefined;
    const known = written.get(path);
    if (known) return known;
    const [format, type] = PLACES[path];
    const reply = {
      status: 200,
      headers: { 'content-type': type },
      body: serializeDocument(document, format),
    };
    written.set(path, reply);
    return reply;
  };
}
