import type { AddressInfo } from 'node:net';
import express, { type Request as Asked, type NextFunction, type Response as Replied } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import type { ContractDocument } from '../../generator/generate.ts';

/** A consumer of the document that stands between a client and a service. */
export type Between = { readonly url: string; close(): Promise<void> };

/**
 * An Express application with express-openapi-validator in front of the service: what breaks the document, in a
 * request (400) or in an answer (500), is answered with an error. The body goes on as the validator leaves it.
 */
export async function startExpressValidator(document: ContractDocument, upstream: string): Promise<Between> {
  const app = express();
  app.use(express.json());
  app.use(
    OpenApiValidator.middleware({
      // A copy, because the validator writes in it.
      apiSpec: JSON.parse(JSON.stringify(document)),
      validateRequests: true,
      validateResponses: true,
      // Whether a key is right is the service's to say.
      validateSecurity: false,
    }),
  );
  app.use((asked: Asked, reply: Replied, next: NextFunction) => {
    forward(asked, reply, upstream).catch(next);
  });
  app.use((error: { status?: number; message: string }, _: Asked, reply: Replied, _next: NextFunction) => {
    reply
      .status(error.status ?? 500)
      .type('text')
      .send(`express-openapi-validator: ${error.message}`);
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(asked: Asked, reply: Replied, upstream: string): Promise<void> {
  const {
    'content-type': type,
    'content-length': _length,
    host: _host,
    connection: _c,
    ...rest
  } = asked.headers;
  const answer = await fetch(`${upstream}${asked.originalUrl}`, {
    method: asked.method,
    headers: { ...(rest as Record<string, string>), ...(type && { 'content-type': type }) },
    ...(asked.method === 'POST' && { body: JSON.stringify(asked.body) }),
  });
  const text = await answer.text();
  reply.status(answer.status);
  if (text === '') reply.end();
  // Only what is given to `json` is judged.
  else reply.json(JSON.parse(text));
}
