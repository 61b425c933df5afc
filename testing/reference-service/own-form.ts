import { text } from 'node:stream/consumers';
import { isObject } from '../../conformance/api/places.ts';
import type { TypeName } from '../../spec/catalogue/field.ts';
import { catalogue, references } from '../checks.ts';
import { type Served, serve } from '../services/http-server.ts';
import { startReferenceService } from './reference-service.ts';

export type Form = {
  readonly type: TypeName;
  show(value: never): unknown;
  /** What the service keeps of a value that is sent; undefined for one that it refuses. Left out, it takes what the profile says. */
  take?(sent: unknown): unknown;
};

/** A service that speaks the default profile, except that the values of one type have a form of their own. */
export async function startWithForm({ show, take = (sent) => sent, type }: Form): Promise<Served> {
  const service = await startReferenceService({ catalogue, references });
  const recorder = await serve(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const { fields = [] } = catalogue.models.get(url.split(/[/?]/)[3] ?? '') ?? {};
    const parts = fields.flatMap(({ lines }) => catalogue.models.get(lines ?? '')?.fields ?? []);
    const names = [...fields, ...parts].filter((field) => field.type === type).map(({ name }) => name);
    const body = await text(request);
    const sent = isJson(body) ? change(JSON.parse(body), names, take) : undefined;
    const refused = names.find((name) => isObject(sent) && name in sent && sent[name] === undefined);
    if (refused !== undefined)
      return response.writeHead(422).end(JSON.stringify({ detail: `${refused} is of another form` }));
    const answer = await fetch(service.url + url, {
      method,
      headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
      ...(body === '' ? {} : { body: sent === undefined ? body : JSON.stringify(sent) }),
    });
    const said = await answer.text();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    return response.end(isJson(said) ? JSON.stringify(change(JSON.parse(said), names, show as never)) : said);
  });
  const close = async () => {
    await recorder.close();
    await service.close();
  };
  return { url: recorder.url, close };
}

function isJson(body: string): boolean {
  try {
    return typeof JSON.parse(body) === 'object';
  } catch {
    return false;
  }
}

function change(value: unknown, names: readonly string[], to: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => change(item, names, to));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => {
    if (names.includes(name) && item !== null) return [name, to(item)];
    return [name, Array.isArray(item) ? change(item, names, to) : item];
  });
  return Object.fromEntries(entries);
}
