import type { Engine } from './engine/engine.ts';
import type { MockRequest } from './http/http.ts';
import type { ReadDraft } from './operations/body.ts';
import type { Replies, Reply } from './operations/reply.ts';

/** Answers a request without a port; never rejects. */
export type Handle = (request: MockRequest) => Promise<Reply>;

/** What a handle may use to answer by itself. */
export type Service = { readonly engine: Engine; readonly replies: Replies };

/** What stands around layers of a mock and changes what they do; the layers know nothing of it. */
export type Decoration = {
  /** Around the reading of a body: what is taken for a valid one. */
  readonly readDraft?: (inner: ReadDraft) => ReadDraft;
  /** Around the operations: what is done with records. */
  readonly engine?: (inner: Engine) => Engine;
  /** Around requests and their answers as a whole. */
  readonly handle?: (inner: Handle, service: Service) => Handle;
};

/** Several decorations as one; the last stands outermost. */
export function combineDecorations(all: readonly Decoration[]): Decoration {
  return {
    readDraft: (inner) => all.reduce((layer, { readDraft }) => readDraft?.(layer) ?? layer, inner),
    engine: (inner) => all.reduce((layer, { engine }) => engine?.(layer) ?? layer, inner),
    handle: (inner, service) => all.reduce((layer, { handle }) => handle?.(layer, service) ?? layer, inner),
  };
}
