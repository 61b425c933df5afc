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
  readonly readDraft?: (inner: ReadDraft) => ReadDraft;
  readonly engine?: (inner: Engine) => Engine;
  readonly handle?: (inner: Handle, service: Service) => Handle;
};
