import type { ActionParts } from './control/action.ts';
import { addressSession, CONTROL, IMAGES, isControl, refuseName, SHARED } from './control/address.ts';
import { type Control, explain, problem, writeResult } from './control/control.ts';
import { opensPage, refusePage } from './control/guard.ts';
import { findProbe, type Probe } from './control/probes.ts';
import type { Sessions } from './control/sessions/sessions.ts';
import type { createTraffic } from './control/traffic.ts';
import type { Sender } from './http/hosts.ts';
import {
  type Answer,
  type MockRequest,
  refuseDotSegments,
  type ServedReply,
  splitTarget,
  type WhenDone,
  withoutBodyForHead,
} from './http/http.ts';
import type { Served } from './http/server.ts';
import { isDocumentPath } from './operations/documents.ts';
import type { Reply } from './operations/reply.ts';

const PATH = new RegExp(`^${IMAGES}([a-z0-9-]{1,100})\\.svg$`);

export type HandlerOptions = {
  readonly sessions: Sessions;
  readonly traffic: ReturnType<typeof createTraffic>;
  readonly senderOf: (request: MockRequest) => Sender;
  /** Rejects if the database does not respond. */
  readonly check: ActionParts['check'];
  /** Undefined where there is no control plane. */
  readonly control: (() => Control) | undefined;
  /** The answer where the mock failed. */
  readonly fail: (error: unknown) => Reply;
  readonly refuse: NonNullable<Served['refuse']>;
};

/** Answers one request, of whichever session: by the control plane, or through the contract. */
export function createHandler(options: HandlerOptions) {
  const { control, fail, refuse, senderOf, sessions, traffic } = options;
  return async (request: MockRequest, whenDone: WhenDone = () => {}): Promise<Answer> => {
    const wrongPath = refuseDotSegments(request.target);
    if (wrongPath !== undefined) return withoutBodyForHead(request, refuse(400, wrongPath));
    const probe = findProbe(request);
    if (probe) return answerProbe(probe, options, request);
    const addressed = addressSession(request);
    if ('invalid' in addressed)
      return withoutBodyForHead(request, problem(400, refuseName(addressed.invalid)));
    const { request: own, session: name } = addressed;
    try {
      const sender = senderOf(own);
      const refused = sender === 'own' ? undefined : await refuseSender(own, sender, name);
      if (refused !== undefined) return withoutBodyForHead(own, problem(403, refused));
      if (control && isControl(own.target))
        return withoutBodyForHead(own, await control().answer(() => sessions.use(name), own, whenDone));
      const image = drawImage(own);
      if (image) return withoutBodyForHead(own, image);
      const page = control && own.target === '/' && (await control().page(() => sessions.use(name), own));
      if (page) return page;
      return await traffic(name === SHARED ? sessions.shared : await sessions.use(name), own);
    } catch (error) {
      return fail(error);
    }
  };

  /** Says why a page of another origin can't do something; undefined if it can. */
  async function refuseSender(
    request: MockRequest,
    sender: Sender,
    session: string,
  ): Promise<string | undefined> {
    const isPage = control !== undefined && opensPage(request);
    if (sender === 'other' && !isPage) return refusePage(request);
    if (await sessions.has(session)) return undefined;
    return `Pages of other origins can't create a session. Create it from this machine first: POST ${CONTROL}/sessions.`;
  }
}

/** Answers a probe. No cache keeps the response, because it holds only now. */
async function answerProbe(
  probe: Probe,
  parts: Pick<ActionParts, 'check'>,
  request: MockRequest,
): Promise<Answer> {
  const reply = await probe.run(parts).then((result) => writeResult(probe, result), explain);
  const headers = { ...reply.headers, 'cache-control': 'no-store' };
  return withoutBodyForHead(request, { ...reply, headers });
}

/** Whether a request to a target is for the control plane, of whichever session. */
export function isForControl(target: string): boolean {
  if (!target.includes(CONTROL)) return false;
  const addressed = addressSession({ method: 'GET', target, headers: {} });
  return 'request' in addressed && isControl(addressed.request.target);
}

/** Whether a path belongs to the mock where an app has the same origin. `base` is the path before the models. */
export function isOwnPath(path: string, base: string): boolean {
  return isDocumentPath(path) || [base, CONTROL].some((own) => `${path}/`.startsWith(`${own}/`));
}

/** Draws the picture of a name, the same each time, so that pages of generated records show one; undefined elsewhere. */
function drawImage({ method, target }: MockRequest): ServedReply | undefined {
  if (!target.startsWith(IMAGES)) return undefined;
  const [, name] = PATH.exec(splitTarget(target)[0]) ?? [];
  if (name === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const hue = [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  const letters = name.slice(0, 2).toUpperCase();
  const text = `<text x="64" y="78" text-anchor="middle" font-family="sans-serif" font-size="44" fill="#fff">${letters}</text>`;
  const body = `<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 128 128"><rect width="128" height="128" fill="hsl(${hue} 45% 40%)"/>${text}</svg>`;
  return {
    status: 200,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'public, max-age=86400' },
    body,
  };
}
