import type { Engine } from './engine/engine.ts';
import type { MockRequest } from './http/http.ts';
import type { ReadDraft } from './operations/body.ts';
import type { Replies, Reply } from './operations/reply.ts';

/** Answers a request without a port; never rejects. */
export type Handle = (request: MockRequest) => Promise<Reply>;

/** The parts with which a handle can answer by itself. */
export type Service = { readonly engine: Engine; readonly replies: Replies };

/** Wraps layers of a mock and changes what they do. The layers don't know of it. */
export type Decoration = {
  /** Wraps the reading of a body, and so decides which bodies are valid. */
  readonly readDraft?: (inner: ReadDraft) => ReadDraft;
  /** Wraps the operations on records. */
  readonly engine?: (inner: Engine) => Engine;
  /** Wraps whole requests and responses. */
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
