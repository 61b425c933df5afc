import { isObject } from '../../conformance/api/places.ts';
import type { TypeName } from '../../spec/catalogue/field.ts';
import { catalogue, references } from '../checks.ts';
import type { Served } from '../services/http-server.ts';
import { startReferenceService } from './reference-service.ts';

export type Form = {
  readonly type: TypeName;
  show(value: never): unknown;
  /**
   * What the service keeps of a value that is sent; undefined for one that it refuses. Left out, it takes what the
   * profile says.
   */
  take?(sent: unknown): unknown;
};

/** Starts a service with the default profile, except for the form of one type. */
export function startWithForm({ show, take = (sent) => sent, type }: Form): Promise<Served> {
  return startReferenceService({ catalogue, references }, (answer) => (request, body) => {
    const { fields = [] } = catalogue.models.get(request.url?.split(/[/?]/)[3] ?? '') ?? {};
    const parts = fields.flatMap(({ lines }) => catalogue.models.get(lines ?? '')?.fields ?? []);
    const names = [...fields, ...parts].filter((field) => field.type === type).map(({ name }) => name);
    const sent = isJson(body) ? change(JSON.parse(body), names, take) : undefined;
    const refused = names.find((name) => isObject(sent) && name in sent && sent[name] === undefined);
    if (refused !== undefined) return { status: 422, body: { detail: `${refused} is of another form` } };
    const reply = answer(request, sent === undefined ? body : JSON.stringify(sent));
    return { ...reply, body: change(reply.body, names, show as never) };
  });
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
