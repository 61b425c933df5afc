import type { ServedReply, WhenDone } from '../http/http.ts';
import type { Session } from './sessions/sessions.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** What an endpoint of the control plane is told of a request. */
export type ControlCall = {
  readonly session: Session;
  /** The name or id in the path. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** As its schema has it; undefined where the endpoint takes none. */
  readonly body: unknown;
  readonly whenDone: WhenDone;
};

/** One method of one path: what it does, and what the document of the control plane says of it. */
export type Endpoint = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/__mock`; `{name}` or `{id}` stands for one segment. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly query?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  readonly body?: Schema;
  /** By status; a schema where there is a body. */
  readonly answers: Readonly<Record<number, { readonly description: string; readonly schema?: Schema }>>;
  /** Without a reply the answer is 204. */
  run(call: ControlCall): Promise<ServedReply> | Promise<void>;
};

/** A refusal that is answered as a problem (RFC 9457). */
export class ControlError extends Error {
  readonly status: number;
  readonly more: object;

  constructor(status: number, detail: string, more: object = {}) {
    super(detail);
    this.status = status;
    this.more = more;
  }
}

export function json(status: number, value: unknown): ServedReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

/** The answer 422 to a body that is not as described. */
export const WRONG_BODY = { description: 'The body is invalid. Nothing has changed.' };
