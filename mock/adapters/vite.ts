import type { Connect, Plugin, PreviewServer, ResolvedConfig, ViteDevServer } from 'vite';
import { UsageError } from '../../spec/files/usage-error.ts';
import { exchangeLine } from '../control/request-log/request-log-view.ts';
import { createRequestListener } from '../http/server.ts';
import { createMock, type Mock, type MockOptions } from '../mock.ts';
import { withDemoRecords } from '../mock-options.ts';
import { carryOver, createReloading } from '../reloading.ts';

const NAME = 'record-model-mock';
/** Maximum length of a line of the request log. */
const LONGEST = 300;

export type ViteMockOptions = MockOptions & {
  /** Origins whose pages can use the API, in addition to those of this machine, such as `https://app.example.com`. */
  readonly corsOrigins?: readonly string[];
};

/** A mock, and the servers that use it: one, or two while Vite restarts. */
type Running = {
  readonly reloading: ReturnType<typeof createReloading>;
  options: MockOptions;
  servers: number;
};

/** By inline config, which a restarted server takes over from the server that it replaces. */
const running = new WeakMap<object, Running>();

/**
 * Serves a mock from the dev server of Vite, so that pages and API have one origin. Its paths are those of the API,
 * `/openapi.json`, `/openapi.yaml`, and `/__mock`. The console of the mock is at `/__mock/`. The mock has the demo records
 * unless `fixtures` or another catalogue is given, and keeps all records when the dev server restarts. Vite logs each
 * request. To log elsewhere or not at all, pass `onExchange`. Builds do not change.
 */
export function recordModelMock(options: ViteMockOptions = {}): Plugin {
  const { corsOrigins = [], ...ofMock } = options;
  const stops = new WeakMap<object, () => Promise<void>>();
  return {
    name: NAME,
    apply: 'serve',
    configureServer: async (server) => {
      stops.set(
        server.environments.client,
        await serveFrom(server, server.config.server, ofMock, corsOrigins),
      );
    },
    async closeBundle() {
      await stops.get(this.environment)?.();
    },
    configurePreviewServer: async (server) => {
      const stop = await serveFrom(server, server.config.preview, ofMock, corsOrigins);
      server.httpServer.once('close', () => void stop());
    },
  };
}

/** Adds a mock to a server. Returns a function that closes the mock if no other server uses it. */
async function serveFrom(
  server: ViteDevServer | PreviewServer,
  { host, https, port }: ResolvedConfig['server' | 'preview'],
  options: MockOptions,
  corsOrigins: readonly string[],
): Promise<() => Promise<void>> {
  const { config, httpServer, middlewares } = server;
  if (config.plugins.filter(({ name }) => name === NAME).length > 1)
    throw new UsageError('The Vite configuration has recordModelMock twice. Remove one of them.');
  const originAt = (actual: number) => originOf(host, https !== undefined, actual);
  const own = await run(config, options, originAt(port));
  const { reloading } = own;
  // Vite checks the Host header, and closes the connections when it stops.
  const checks = { corsOrigins, isOwnHost: () => true, isClosing: () => false };
  const listener = createRequestListener(reloading.served, checks);
  // A path with dot segments belongs to the mock, which refuses it, if it leads to the mock.
  const isForMock = (url = '') => reloading.mock.serves(URL.parse(url, 'http://localhost')?.pathname ?? '');
  const handle: Connect.NextHandleFunction = (request, response, next) => {
    if (isForMock(request.url)) listener(request, response);
    else next();
  };
  middlewares.use(handle);
  // Vite answers OPTIONS, by the CORS rules of the app, before it calls the middlewares of plugins.
  middlewares.stack.unshift({
    route: '',
    handle: ((request, response, next) => {
      if (request.method === 'OPTIONS') handle(request, response, next);
      else next();
    }) satisfies Connect.NextHandleFunction,
  });
  httpServer?.once('listening', () => {
    const address = httpServer.address();
    if (address === null || typeof address === 'string' || address.port === port) return;
    // The images of the records contain the address. Stored records keep theirs.
    if (options.data !== undefined || options.origin !== undefined) return;
    replace(own, config, options, originAt(address.port)).catch((error) => logError(config, error));
  });
  const print = server.printUrls;
  server.printUrls = () => {
    print();
    config.logger.info(describe(reloading.mock, server.resolvedUrls?.local[0] ?? originAt(port)));
  };
  let isStopped = false;
  return async () => {
    if (isStopped) return;
    isStopped = true;
    own.servers--;
    if (own.servers === 0) await reloading.mock.close();
  };
}

/** Starts a mock, or replaces the mock of the server that Vite restarts. */
async function run(config: ResolvedConfig, options: MockOptions, origin: string): Promise<Running> {
  const known = running.get(config.inlineConfig);
  if (known && known.servers > 0) {
    await replace(known, config, options, origin);
    known.servers++;
    return known;
  }
  const mock = await start(config, options, origin);
  const made = { reloading: createReloading(mock), options, servers: 1 };
  running.set(config.inlineConfig, made);
  return made;
}

/** Replaces a mock by one with its changed records. Stored records stay in their store. */
async function replace(
  own: Running,
  config: ResolvedConfig,
  options: MockOptions,
  origin: string,
): Promise<void> {
  let failure: unknown;
  await own.reloading.reload(async (old) => {
    const isStored = own.options.data !== undefined;
    // A file belongs to one mock at a time.
    if (isStored) await old.close();
    const next = await start(config, options, origin).catch((error) => {
      if (!isStored) throw error;
      // The old mock is closed. The server that goes on needs another one with its options.
      failure = error;
      return start(config, own.options, origin);
    });
    const lost = isStored || options.data !== undefined ? [] : await carryOver(old, next);
    for (const line of lost) config.logger.warn(line, { timestamp: true });
    await old.close();
    return next;
  });
  if (failure !== undefined) throw failure;
  own.options = options;
}

async function start(config: ResolvedConfig, options: MockOptions, origin: string): Promise<Mock> {
  return createMock({
    origin,
    onExchange: (exchange) =>
      config.logger.info(toPlainText(exchangeLine(exchange)).trim().slice(0, LONGEST), { timestamp: true }),
    onError: (error) => logError(config, error),
    ...withDemoRecords(options),
  });
}

function originOf(host: string | boolean | undefined, isSecure: boolean, port: number): string {
  const isOne = typeof host === 'string' && host !== '0.0.0.0' && host !== '::';
  const name = isOne ? host : 'localhost';
  return `http${isSecure ? 's' : ''}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Describes the mock and its forwarded models, in the format of Vite's addresses. */
function describe({ counts: { models, operations, records }, parts }: Mock, address: string): string {
  const { origin } = new URL(address);
  const line = `  ➜  Mock console: ${origin}/__mock/ (${models} models, ${operations} operations, ${records} records)`;
  if (!parts.forward) return line;
  const { models: forwarded, url } = parts.forward.state();
  return `${line}\n  ➜  Forward: ${forwarded.length === models ? 'all models' : forwarded.join(', ')} to ${url}`;
}

function logError({ logger }: ResolvedConfig, error: unknown): void {
  logger.error((error as Error).stack ?? String(error), { timestamp: true });
}

/** Shows the control characters of a line that contains text from others, because a terminal would obey them. */
function toPlainText(line: string): string {
  return line.replace(
    /\p{Cc}|\p{Cf}/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
