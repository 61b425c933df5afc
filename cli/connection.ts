import type { Command } from 'commander';
import { isLoopback } from '../conformance/base-url.ts';
import { type Bindings, loadBindings } from '../conformance/bindings.ts';
import { readCredentials } from '../conformance/credentials.ts';
import { type Learned, learnProfile } from '../conformance/learn/learn.ts';
import { createTarget, type Target } from '../conformance/target.ts';
import { type Plan, wholeNumber } from './options.ts';

export type ConnectionOptions = {
  readOnly?: true;
  write?: true;
  bearer?: string;
  basic?: string;
  apiKey?: string;
  header?: string[];
  timeout: number;
  rate?: number;
  concurrency?: number;
  seed: number;
  insecure?: true;
  bindings?: string;
};

/** The options of the verbs that call a service. */
export function connectionOptions(command: Command): Command {
  return command
    .option('--read-only', 'send no request but GET; so it is for a service on another machine anyway')
    .option('--write', 'let a service on another machine be written to')
    .option('--bearer <token>', 'send Authorization: Bearer TOKEN (or set RECORD_MODEL_BEARER)')
    .option('--basic <user:password>', 'send Authorization: Basic … (or set RECORD_MODEL_BASIC)')
    .option('--api-key <name=value>', 'send the key in this header (or set RECORD_MODEL_API_KEY)')
    .option('--header <line...>', 'send this header too, as "Name: value"')
    .option('--timeout <ms>', 'how long an answer may take', wholeNumber(1, 600_000), 10_000)
    .option('--rate <number>', 'the greatest number of requests a second', wholeNumber(1, 100_000))
    .option(
      '--concurrency <number>',
      'how many models are checked side by side (default: 16 on this machine, 4 elsewhere)',
      wholeNumber(1, 100),
    )
    .option(
      '--seed <number>',
      'the number samples start from; the same seed sends the same requests',
      wholeNumber(0, 400_000),
      1000,
    )
    .option('--bindings <file>', 'ids of things that are there already, such as product: [101, 102]')
    .option('--insecure', 'take any TLS certificate');
}

export type Connected = {
  readonly target: Target;
  readonly readOnly: boolean;
  readonly concurrency: number;
  readonly seed: number;
  readonly scheme?: 'bearer' | 'basic' | 'apiKey';
  readonly signal?: AbortSignal;
};

/** The client of a service, as the options and the environment have it. */
export function connect(baseUrl: string, options: ConnectionOptions): Connected {
  const { RECORD_MODEL_API_KEY, RECORD_MODEL_BASIC, RECORD_MODEL_BEARER } = process.env;
  const given = options.bearer ?? options.basic ?? options.apiKey;
  const fromEnvironment =
    given === undefined
      ? { bearer: RECORD_MODEL_BEARER, basic: RECORD_MODEL_BASIC, apiKey: RECORD_MODEL_API_KEY }
      : {};
  const { headers, scheme } = readCredentials({ ...fromEnvironment, ...options });
  const readOnly = options.readOnly === true || !(isLoopback(baseUrl) || options.write === true);
  const proxy = proxyOf(baseUrl);
  const { seed, timeout } = options;
  const concurrency = options.concurrency ?? (isLoopback(baseUrl) ? 16 : 4);
  const target = createTarget({
    baseUrl,
    credentials: headers,
    timeout,
    readOnly,
    connections: concurrency,
    insecure: options.insecure === true,
    ...(options.rate === undefined ? {} : { rate: options.rate }),
    ...(proxy ? { proxy } : {}),
  });
  return { target, readOnly, concurrency, seed, ...(scheme ? { scheme } : {}) };
}

/** The proxy variables that every client honours; this machine is reached without one. */
function proxyOf(baseUrl: string) {
  const { HTTPS_PROXY, HTTP_PROXY, NO_PROXY, http_proxy, https_proxy, no_proxy } = process.env;
  const [http, https, none] = [http_proxy ?? HTTP_PROXY, https_proxy ?? HTTPS_PROXY, no_proxy ?? NO_PROXY];
  if (isLoopback(baseUrl) || !(http || https)) return undefined;
  return { ...(http ? { http } : {}), ...(https ? { https } : {}), ...(none ? { none } : {}) };
}

/** The ids the options give, by the name of what they are ids of. */
export function bindingsOf({ bindings }: ConnectionOptions, { catalogue, references }: Plan): Bindings {
  return bindings === undefined ? new Map() : loadBindings(bindings, catalogue, references);
}

/** Finds out the profile that the service speaks. */
export function learnFrom(
  connected: Connected,
  { catalogue, references }: Plan,
  bindings: Bindings,
): Promise<Learned> {
  const { readOnly, scheme, seed, signal, target } = connected;
  return learnProfile({
    catalogue,
    references,
    target,
    seed,
    bindings,
    write: !readOnly,
    ...(signal ? { signal } : {}),
    ...(scheme ? { credentials: scheme } : {}),
  });
}
