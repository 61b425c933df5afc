import { afterAll, beforeAll } from 'vitest';
import { loadCatalogue } from '../../spec/catalogue/catalogue.ts';
import { loadReferences } from '../../spec/references.ts';
import { TINY_DIALECTS } from './dialects.ts';
import { type ReferenceService, startReferenceService } from './reference-service.ts';

export const catalogue = loadCatalogue();
const references = loadReferences(catalogue);

export const JSON_TYPE = { 'content-type': 'application/json' };
export const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

/** Asks a service of a dialect for the status and body of an answer; the body as JSON where it has one. */
export function speak(dialect: keyof typeof TINY_DIALECTS, extra: Record<string, string> = {}) {
  let service: ReferenceService;
  beforeAll(async () => {
    service = await startReferenceService({ catalogue, references, settings: TINY_DIALECTS[dialect] });
  });
  afterAll(() => service.close());
  return async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${service.url}/api/model/${path}`, {
      method,
      headers: { ...service.credentials, ...extra, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };
}
