import type { RequestListener } from 'node:http';
import type { Defect, Line } from './defects/defect.ts';
import { sendJson, serve } from './http-server.ts';
import type { Records } from './records/records.ts';
import type { Row } from './records/tables.ts';
import { MODELS, modelNamed } from './source/source.ts';

export const BASE = '/api/model';

/** A service that listens on a free port of this machine. */
export type Service = {
  readonly url: string;
  /** All records that are not deleted, as `brand/1`. */
  live(): string[];
  /** The same records with their values, as `brand/1 {"name":…}`. */
  rows(): string[];
  close(): Promise<void>;
};

export type ServiceOptions = {
  /** The fault of the service. */
  readonly defect?: Partial<Defect> | undefined;
};

/** Listens; takes requests for others first, where the defect says so. */
export async function listen(
  answer: RequestListener,
  records: Pick<Records, 'live' | 'remove'>,
  { defect }: ServiceOptions,
): Promise<Service> {
  const served = await serve((request, response) => {
    const line = defect && readLine(request.method ?? '', request.url ?? '');
    if (line?.method === 'DELETE' && line.id === undefined && line.model === defect?.wipes) {
      const model = modelNamed(line.model);
      for (const row of records.live(model)) records.remove(model, row);
      response.end('{}');
      return;
    }
    const status = line && defect?.answers?.(line);
    if (status) {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"not now"}');
      return;
    }
    const other = line && defect?.route?.(line);
    if (other) {
      request.method = other.method;
      const query = /\?.*$/.exec(request.url ?? '')?.[0] ?? '';
      request.url = `${BASE}/${other.model}${other.id === undefined ? '' : `/${other.id}`}${query}`;
    }
    answer(request, response);
  });
  const all = (show: (name: string, row: Row) => string) =>
    [...MODELS.values()].flatMap((model) =>
      records.live(model).map((row) => show(`${model.name}/${row.id}`, row)),
    );
  return {
    ...served,
    live: () => all((name) => name),
    rows: () => all((name, row) => `${name} ${JSON.stringify(row)}`),
  };
}

/** Creates a record as another client, and returns it. */
export async function createAt(url: string, model: string, values: object): Promise<{ readonly id: number }> {
  const made = await sendJson('POST', `${url}${BASE}/${model}`, values);
  if (!made.ok) throw new Error(`the create of ${model} returned ${made.status}: ${await made.text()}`);
  return made.json() as Promise<{ id: number }>;
}

/** The model and id of a path; undefined for a path of another make. */
export function readLine(method: string, url: string): Line | undefined {
  const [, model, id] = /^\/api\/model\/([^/?]+)(?:\/([^/?]+))?\/?(?:\?.*)?$/.exec(url) ?? [];
  if (model === undefined) return undefined;
  return { method, model, ...(id === undefined ? {} : { id }) };
}

/** An id as the source has it: an integer. */
export function readId(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
}
