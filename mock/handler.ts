import { Readable } from 'node:stream';
import { redactUrl } from '../spec/redaction.ts';
import { showConsole } from './console/console.ts';
import type { ActionParts } from './control/action.ts';
import { ACTIONS } from './control/actions.ts';
import { addressSession, CONTROL, IMAGES, isControl, refuseName, SHARED } from './control/address.ts';
import { type Control, explain, writeResult } from './control/control.ts';
import type { Exchanged } from './control/exchange-line.ts';
import type { Fault } from './control/faults/faults.ts';
import { createFaultyAnswer, damage, type FaultOptions } from './control/faults/faulty-answer.ts';
import { type createGuard, isAuthorized, opensPage, refusePage } from './control/guard.ts';
import { redactAsked } from './control/journal/journal-view.ts';
import type { Session, Sessions } from './control/sessions/sessions.ts';
import type { Handle } from './decoration.ts';
import type { Forwarding } from './forwarding/forwarding.ts';
import { senderOf } from './http/hosts.ts';
import {
  type Answer,
  type MockRequest,
  refuseDotSegments,
  type ServedReply,
  splitTarget,
  type WhenDone,
  withoutBodyForHead,
} from './http/http.ts';
import { isDocumentPath } from './operations/documents.ts';
import { problem, type Reply } from './operations/reply.ts';

const PATH = new RegExp(`^${IMAGES}([a-z0-9-]{1,100})\\.svg$`);

/** Actions that tell a load balancer whether to use this mock. They are open to all, and concern no session. */
const PROBES = new Map([ACTIONS.getLive, ACTIONS.getReady].map((probe) => [CONTROL + probe.path, probe]));

/** Returns a function that answers a request of any session: through the control API, or through the contract. */
export function createHandler(
  options: FaultOptions & {
    readonly sessions: Sessions;
    /** Lets clients on other machines use the control API. */
    readonly token: string | undefined;
    readonly check: ActionParts['check'];
    readonly guard: ReturnType<typeof createGuard>;
    /** Undefined without a control API. Probes are served, too. */
    readonly control: (() => Control) | undefined;
    readonly onExchange?: ((exchange: Exchanged) => void) | undefined;
    readonly forwarding: Forwarding | undefined;
    /** Returns the response to an error of the mock. */
    readonly fail: (error: unknown) => Reply;
  },
) {
  const { check, control, fail, forwarding, guard, latency, onExchange, replies, sessions, token } = options;
  const answerFaulty = createFaultyAnswer(options);
  return async (request: MockRequest, whenDone: WhenDone = () => {}): Promise<Answer> => {
    const detail = refuseDotSegments(request.target);
    if (detail !== undefined) return withoutBodyForHead(request, replies.refusal({ status: 400, detail }));
    if (isProbe(request.target) && (request.method === 'GET' || request.method === 'HEAD'))
      return answerProbe(request, check);
    const addressed = addressSession(request);
    if ('invalid' in addressed)
      return withoutBodyForHead(request, problem(400, refuseName(addressed.invalid)));
    const { request: own, session: name } = addressed;
    try {
      const refused = senderOf(own) === 'own' ? undefined : await refuseSender(own, name);
      if (refused !== undefined) return withoutBodyForHead(own, problem(403, refused));
      const page = control && mayOpen(own) ? showConsole(own) : undefined;
      if (page) return withoutBodyForHead(own, page);
      if (control && isControl(own.target))
        return withoutBodyForHead(own, await control().answer(() => sessions.use(name), own, whenDone));
      const image = drawImage(own);
      if (image) return withoutBodyForHead(own, image);
      return await exchange(await sessionFor(own, name), own, whenDone);
    } catch (error) {
      return fail(error);
    }
  };

  /** Returns the session of a request. An OPTIONS creates none, because browsers and probes send it by themselves. */
  async function sessionFor({ method }: MockRequest, name: string): Promise<Session> {
    if (name === SHARED || (method === 'OPTIONS' && !(await sessions.has(name)))) return sessions.shared;
    return sessions.use(name);
  }

  /** Answers a request to the contract in a session: applies the fault it meets, and notes it in the journal. */
  async function exchange(session: Session, request: MockRequest, whenDone: WhenDone): Promise<Answer> {
    const started = performance.now();
    const at = session.clock.time();
    const answer = forwarding ? answerOrForward(forwarding, session, whenDone) : session.answer;
    const isPlain =
      latency === undefined && session.faults.size === 0 && request.headers.prefer === undefined;
    const { fault, reply } = isPlain
      ? { fault: undefined, reply: await answer(request) }
      : await answerFaulty(session, request, answer, whenDone);
    const ms = performance.now() - started;
    session.journal.record({ at, request, reply, ms, fault: fault?.id });
    onExchange?.(describe(session, request, reply, ms, fault));
    const served = reply?.forwarded ?? reply;
    if (served && fault?.drop !== 'after') return fault ? damage(served, fault) : served;
    // Ends the response of the service, because the client does not read it.
    if (served?.body instanceof Readable) served.body.destroy();
    return 'dropped';
  }

  /** Returns a function that answers a request of a session: from its records, or from the service. */
  function answerOrForward(own: Forwarding, session: Session, whenDone: WhenDone): Handle {
    return async (request) => {
      const model = own.claims(request);
      if (model === undefined) return own.mark(await session.answer(request));
      const { authorization: _, ...others } = request.headers;
      // The token of the control API is for the mock only.
      const sent = isAuthorized(request, token) ? { ...request, headers: others } : request;
      return own.answer(sent, model, whenDone).catch(fail);
    };
  }

  /** Whether a client gets the console, which has no data of the mock. A browser can't send the token with the page. */
  function mayOpen(request: MockRequest): boolean {
    return token !== undefined || guard(request) === undefined;
  }

  /** Says why a page of another origin can't do something; undefined if it can. */
  async function refuseSender(request: MockRequest, session: string): Promise<string | undefined> {
    if (isAuthorized(request, token)) return undefined;
    const isPage = control !== undefined && opensPage(request);
    if (senderOf(request) === 'other' && !isPage) return refusePage(request);
    if (await sessions.has(session)) return undefined;
    return `Pages of other origins can't create a session. Create it from this machine first: POST ${CONTROL}/sessions.`;
  }
}

/** Whether the target of a request is a probe. */
export function isProbe(target: string): boolean {
  return target.startsWith(CONTROL) && PROBES.has(splitTarget(target)[0]);
}

/** Answers a probe. No cache keeps the response, because it holds only now. */
async function answerProbe(request: MockRequest, check: ActionParts['check']): Promise<Answer> {
  const probe = PROBES.get(splitTarget(request.target)[0]) ?? ACTIONS.getLive;
  const reply = await probe.run({ check }).then((result) => writeResult(probe, result), explain);
  const headers = { ...reply.headers, 'cache-control': 'no-store' };
  return withoutBodyForHead(request, { ...reply, headers });
}

/** Whether a request to a target is for the control API, in any session. */
export function isForControl(target: string): boolean {
  if (!target.includes(CONTROL)) return false;
  const addressed = addressSession({ method: 'GET', target, headers: {} });
  return 'request' in addressed && isControl(addressed.request.target);
}

/** Whether a path belongs to the mock where an app has the same origin. `base` is the path before the models. */
export function isOwnPath(path: string, base: string): boolean {
  return isDocumentPath(path) || [base, CONTROL].some((own) => `${path}/`.startsWith(`${own}/`));
}

/**
 * Draws the picture of a name for generated and demo records, the same each time; undefined for other targets. It shows
 * the initials of the first two words, so `lucia-fernandez.svg` shows LF.
 */
function drawImage({ method, target }: MockRequest): ServedReply | undefined {
  if (!target.startsWith(IMAGES)) return undefined;
  const [, name] = PATH.exec(splitTarget(target)[0]) ?? [];
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

function describe(
  { name }: Session,
  request: MockRequest,
  reply: Reply | undefined,
  ms: number,
  fault: Fault | undefined,
): Exchanged {
  const { method, target } = request;
  const [path, search] = splitTarget(target);
  // Only a refusal repeats what the client sent.
  const { detail, violations = [] } = reply ?? {};
  const hide = detail === undefined && violations.length === 0 ? String : redactAsked(request);
  return {
    ...(name === SHARED ? {} : { session: name }),
    method,
    path,
    query: redactUrl(search),
    // A dropped connection has no status.
    status: reply?.status ?? 0,
    ms,
    violations: violations.map((one) => ({ ...one, message: hide(one.message) })),
    ...(detail === undefined ? {} : { detail: hide(detail) }),
    ...(fault === undefined ? {} : { fault: fault.id }),
    ...(reply?.forwarded && { forwarded: true }),
  };
}
