import { Readable } from 'node:stream';
import { showConsole } from './console/console.ts';
import type { ActionParts } from './control/action.ts';
import { answerProbe, type Control } from './control/control.ts';
import { createFaultyAnswer, damage, type FaultOptions } from './control/faults/faults.ts';
import { type Exchanged, exchanged } from './control/request-log/request-log-view.ts';
import type { Session } from './control/sessions/session.ts';
import type { Sessions } from './control/sessions/sessions.ts';
import type { Forwarding } from './forwarding/forwarding.ts';
import {
  type Answer,
  addressSession,
  asksForPage,
  CONTROL,
  type createGuard,
  IMAGES,
  isAuthorized,
  isControl,
  isProbe,
  type MockRequest,
  opensPage,
  refuseName,
  refusePage,
  type ServedReply,
  SHARED,
  senderOf,
  splitTarget,
  type WhenDone,
  withoutBodyForHead,
} from './http/http.ts';
import { problem, type Reply } from './operations/reply.ts';

export type Asked = {
  /** Without the prefix that names the session, after the step `session`. */
  readonly request: MockRequest;
  readonly session: string;
  readonly whenDone: WhenDone;
};

/** Most steps return the result of the next one as it is, because each promise costs time. */
type AnswerSoon = Answer | Promise<Answer>;
type Next = (asked: Asked) => AnswerSoon;

/** Returns a function that answers a request of any session. It never rejects. */
export function createChain(
  options: FaultOptions & {
    readonly sessions: Sessions;
    /** Lets clients on other machines use the control API. */
    readonly token: string | undefined;
    readonly check: ActionParts['check'];
    readonly guard: ReturnType<typeof createGuard>;
    /** Undefined without a control API. Probes are served, too. */
    readonly control: Control | undefined;
    readonly onExchange?: ((exchange: Exchanged) => void) | undefined;
    readonly forwarding: Forwarding | undefined;
    /** Returns a function that answers a request to an endpoint that the API lacks; undefined if there is none. */
    readonly routeOf:
      | ((request: MockRequest, session: string) => (() => Promise<Reply>) | undefined)
      | undefined;
    readonly fail: (error: unknown) => Reply;
  },
) {
  const { check, fail, forwarding, guard, onExchange, replies, sessions, token } = options;
  const answerFaulty = createFaultyAnswer(options);
  const steps = [paths, probes, session, origin, own];
  const run = steps.reduceRight<Next>((next, step) => (asked) => step(asked, next), log);
  return async (request: MockRequest, whenDone: WhenDone = () => {}): Promise<Answer> => {
    try {
      const reply = await run({ request, session: SHARED, whenDone });
      return reply === 'dropped' ? reply : withoutBodyForHead(request, reply);
    } catch (error) {
      return fail(error);
    }
  };

  /** Refuses dot segments, because a server behind the mock can resolve them differently. */
  function paths(asked: Asked, next: Next): AnswerSoon {
    if (!DOT_SEGMENT.test(splitTarget(asked.request.target)[0])) return next(asked);
    const detail = 'The path contains a dot segment (. or ..). Send the path without it.';
    return replies.refusal({ status: 400, detail });
  }

  function probes(asked: Asked, next: Next): AnswerSoon {
    const { method, target } = asked.request;
    const isAsked = isProbe(target) && (method === 'GET' || method === 'HEAD');
    return isAsked ? answerProbe(target, check) : next(asked);
  }

  function session(asked: Asked, next: Next): AnswerSoon {
    const addressed = addressSession(asked.request);
    if ('invalid' in addressed) return problem(400, refuseName(addressed.invalid));
    return next({ ...addressed, whenDone: asked.whenDone });
  }

  function origin(asked: Asked, next: Next): AnswerSoon {
    const { request, session } = asked;
    const sender = senderOf(request);
    if (sender === 'own' || isAuthorized(request, token)) return next(asked);
    const isPage = options.control !== undefined && opensPage(request);
    if (sender === 'other' && !isPage) return problem(403, refusePage(request));
    const refusal = `Pages of other origins can't create a session. Create it from this machine first: POST ${CONTROL}/sessions.`;
    return sessions.has(session).then((isThere) => (isThere ? next(asked) : problem(403, refusal)));
  }

  /** Serves the paths of the mock itself: the console, which has no data of the mock, the control API, and images. */
  function own(asked: Asked, next: Next): AnswerSoon {
    const { request, session, whenDone } = asked;
    const isForControl = isControl(request.target);
    if (options.control && (isForControl || asksForPage(request))) {
      // A browser can't send the token with the page.
      const page = token !== undefined || guard(request) === undefined ? showConsole(request) : undefined;
      if (page) return page;
      if (isForControl) return options.control(() => sessions.use(session), request, whenDone);
    }
    return (request.target.startsWith(IMAGES) && drawImage(request)) || next(asked);
  }

  /** Answers a request to the contract, notes it in the request log, and applies the part of a fault that damages it. */
  async function log({ request, session: name, whenDone }: Asked): Promise<Answer> {
    // An OPTIONS creates no session, because browsers and probes send it by themselves.
    const isKnown = name !== SHARED && (request.method !== 'OPTIONS' || (await sessions.has(name)));
    const opened = isKnown ? await sessions.use(name) : sessions.shared;
    const started = performance.now();
    const at = opened.clock.time();
    const route = options.routeOf?.(request, opened.name);
    const plain: Session['answer'] = route ? () => route().catch(fail) : forward(opened, whenDone);
    const { fault, reply } = await answerFaulty(opened, request, plain, whenDone);
    const entry = { at, request, reply, ms: performance.now() - started, fault: fault?.id };
    opened.requestLog.record(entry);
    onExchange?.(exchanged(name, entry));
    const served = reply?.served ?? reply;
    if (served && fault?.drop !== 'after') return fault ? damage(served, fault) : served;
    // Ends the response of the service, because the client does not read it.
    if (served?.body instanceof Readable) served.body.destroy();
    return 'dropped';
  }

  /** Returns a function that answers a request of a session: from the service, or from its records. */
  function forward(opened: Session, whenDone: WhenDone): Session['answer'] {
    if (!forwarding) return opened.answer;
    return async (request) => {
      const model = forwarding.claims(request);
      if (model === undefined) return forwarding.mark(await opened.answer(request));
      const { authorization: _, ...others } = request.headers;
      // The token of the control API is for the mock only.
      const sent = isAuthorized(request, token) ? { ...request, headers: others } : request;
      return forwarding.answer(sent, model, whenDone).catch(fail);
    };
  }
}

const DOT_SEGMENT = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=[/\\]|%2f|%5c|$)/i;

const IMAGE = new RegExp(`^${IMAGES}([a-z0-9-]{1,100})\\.svg$`);

/** Draws the initials of the first two words of a name, so `lucia-fernandez.svg` shows LF. */
function drawImage({ method, target }: MockRequest): ServedReply | undefined {
  const [, name] = IMAGE.exec(splitTarget(target)[0]) ?? [];
  if (name === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const words = name.match(/[a-z][a-z0-9]*/g) ?? [name];
  const letters = words
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
  const text = `<text x="64" y="78" text-anchor="middle" font-family="sans-serif" font-size="44" fill="#fff">${letters}</text>`;
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128"><rect width="128" height="128" fill="hsl(${hue} 45% 40%)"/>${text}</svg>`;
  return {
    status: 200,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' },
    body,
  };
}
