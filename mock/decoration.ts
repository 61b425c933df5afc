import type { Engine } from './engine/engine.ts';
import type { MockRequest } from './http/http.ts';
import type { ReadDraft } from './operations/body.ts';
import type { Replies, Reply } from './operations/reply.ts';

/** Answers a request without a port; never rejects. */
export type Handle = (request: MockRequest) => Promise<Reply>;

/** The parts with which a handle can answer by itself. */
export type Service = { readonly engine: Engine; readonly replies: Replies };

/** Wrappers around layers of a mock. The layers do not depend on them. */
export type Decoration = {
  /** Wraps the reading of a body. */
  readonly readDraft?: (inner: ReadDraft) => ReadDraft;
  /** Wraps the operations on records. */
  readonly engine?: (inner: Engine) => Engine;
  /** Wraps the handling of whole requests. */
  readonly handle?: (inner: Handle, service: Service) => Handle;
};
