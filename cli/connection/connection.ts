import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { createJournal, type Journal } from '../../conformance/journal/journal.ts';
import { type Learned, learnProfile } from '../../conformance/learn/learn.ts';
import { type Bindings, loadBindings } from '../../conformance/records/bindings.ts';
import { readPins } from '../../conformance/records/field-policy.ts';
import type { Wait } from '../../conformance/target/backoff.ts';
import { checkProxyUrl } from '../../conformance/target/base-url.ts';
import { type Credentials, readCredentials } from '../../conformance/target/credentials.ts';
import { ping } from '../../conformance/target/ping.ts';
import { locate, type Place } from '../../conformance/target/place.ts';
import { SHORTEST_SECRET, shortSecrets } from '../../conformance/target/redaction.ts';
import { needDecision } from '../../conformance/target/relay.ts';
import { createTarget, type Target, type TargetOptions } from '../../conformance/target/target.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { wholeNumber } from '../options.ts';
import { createStatus, redactWith, say } from '../terminal/console.ts';
import { createStopSignal } from '../terminal/stopping.ts';
import { terminal } from '../terminal/terminal.ts';

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
  maxTime?: number;
  tag?: string;
  maxRecords?: number;
  pin?: string[];
  insecure?: true;
  bindings?: string;
  case?: string;
  manifest?: string;
};

/** The options of the verbs that call a service. */
export function connectionOptions(command: Command): Command {
  return command
    .option('--read-only', 'send no request but GET')
    .option('--write', 'let records be made, changed and removed on another machine, or through a proxy')
    .option('--bearer <token>', 'send Authorization: Bearer TOKEN (or set RECORD_MODEL_BEARER)')
    .option('--basic <user:password>', 'send Authorization: Basic … (or set RECORD_MODEL_BASIC)')
    .option('--api-key <name=value>', 'send the key in this header (or set RECORD_MODEL_API_KEY)')
    .option(
      '--header <line>',
      'send this header too, as "Name: value"; may be given again',
      (line: string, before: string[] = []) => [...before, line],
    )
    .option('--timeout <ms>', 'how long an answer may take', wholeNumber(1, 600_000), 10_000)
    .option('--rate <number>', 'the greatest number of requests a second', wholeNumber(1, 100_000))
    .option(
      '--concurrency <number>',
      'how many requests may be under way at once (default: 16 on this machine, 4 elsewhere)',
      wholeNumber(1, 100),
    )
    .option(
      '--seed <number>',
      'fixes the samples; the same seed and tag send the same requests',
      wholeNumber(0, 400_000),
      1000,
    )
    .option(
      '--max-time <seconds>',
      'end in this time, with what was made removed; what was not tried makes the run inconclusive',
      wholeNumber(1, 1_000_000),
    )
    .option(
      '--tag <text>',
      'stands in the texts that are sent, 2 to 12 letters and digits (default: random)',
      tagOf,
    )
    .option(
      '--pin <model.field=value>',
      'send this value, as JSON or text, in all that is made, such as customer.disableNotifications=true; may be given again',
      (pin: string, before: string[] = []) => [...before, pin],
    )
    .option(
      '--max-records <number>',
      'the most records that are made; cases that need more are skipped',
      wholeNumber(1, 1_000_000),
    )
    .option('--bindings <file>', 'ids of things that are there already, such as product: [101, 102]')
    .option('--insecure', 'take any TLS certificate');
}

/** Where records that could not be removed are listed. */
export const MANIFEST = 'record-model-leftovers.json';

export type Connected = {
  readonly target: Target;
  readonly readOnly: boolean;
  readonly concurrency: number;
  readonly seed: number;
  readonly tag: string;
  readonly pins: ReadonlyMap<string, Value>;
  readonly maxRecords?: number;
  /** Of what is made; beside the file that lists what could not be removed. */
  readonly journal: Journal;
  readonly scheme?: 'bearer' | 'basic' | 'apiKey';
  readonly signal: AbortSignal;
  readonly onStart: (unremoved: () => readonly string[]) => void;
};

/**
 * The client of a service, as the options and the environment have it, after a first answer. A signal ends its waits;
 * `onHurry` is told what a second one leaves behind. Throws NoAnswer, and UsageError for options that contradict each
 * other or leave open whether a service that may not be disposable is written to.
 */
export async function connect(
  baseUrl: string,
  options: ConnectionOptions,
  { catalogue }: Contract,
  onHurry: (unremoved: readonly string[]) => void,
): Promise<Connected> {
  if (options.readOnly && options.write)
    throw new UsageError('--read-only and --write contradict each other; expected one of them');
  const { headers, scheme } = credentialsOf(options);
  for (const name of shortSecrets(headers))
    say(
      `The secret in the header ${name} has fewer than ${SHORTEST_SECRET} characters: it is redacted in the headers that are sent, but not in texts in which the service repeats it`,
    );
  const place = await locate(baseUrl);
  const proxy = place.isHere ? undefined : proxyOfEnvironment();
  const readOnly = options.readOnly === true;
  const isDecided = readOnly || options.write === true;
  if (!isDecided && !place.isHere) throw needDecision(baseUrl, whyElsewhere(place));
  const { pin = [], seed, tag = randomTag(), timeout } = options;
  const pins = readPins(pin, catalogue);
  const concurrency = options.concurrency ?? (place.isHere ? 16 : 4);
  let unremoved: () => readonly string[] = () => [];
  const signal = createStopSignal({
    maxTime: options.maxTime,
    abandon: () => void target.close(),
    onHurry: () => onHurry(unremoved()),
  });
  const target: Target = createTarget({
    baseUrl,
    signal,
    onWait: sayWait,
    credentials: headers,
    timeout,
    readOnly,
    write: options.write === true,
    addresses: place.isHere ? place.addresses : undefined,
    connections: concurrency,
    insecure: options.insecure === true,
    // One case is few exchanges, and they are looked at.
    ...(options.case === undefined ? {} : { longestShown: Number.POSITIVE_INFINITY }),
    ...(options.rate === undefined ? {} : { rate: options.rate }),
    ...(proxy ? { proxy } : {}),
  });
  if (target.redact) redactWith(target.redact);
  const onStart: Connected['onStart'] = (see) => {
    unremoved = see;
  };
  try {
    await ping(target, catalogue);
    const relay = isDecided ? undefined : target.relay?.();
    if (relay !== undefined) throw needDecision(target.url, `its answers are not its own, ${relay}`);
  } catch (error) {
    await target.close();
    throw error;
  }
  return {
    target,
    readOnly,
    concurrency,
    seed,
    tag,
    pins,
    journal: journalOf(options.manifest, target.url, tag),
    ...(options.maxRecords === undefined ? {} : { maxRecords: options.maxRecords }),
    signal,
    onStart,
    ...(scheme ? { scheme } : {}),
  };
}

/** Four letters and digits: enough to tell a few hundred runs on one database apart. */
function randomTag(): string {
  return randomBytes(4).readUInt32BE().toString(36).padStart(4, '0').slice(-4);
}

function tagOf(text: string): string {
  if (/^[a-z0-9]{2,12}$/i.test(text)) return text;
  throw new InvalidArgumentError('expected 2 to 12 letters and digits');
}

/** A file of this run alone: that of another one, which did not end, stays. */
function journalOf(manifest: string | undefined, target: string, tag: string): Journal {
  const stem = (manifest ?? MANIFEST).replace(/\.json$/, '');
  return createJournal({ path: `${stem}-${tag}.jsonl`, target, tag });
}

function whyElsewhere({ addresses }: Place): string {
  const [first] = addresses;
  return first ? `it is at ${first.address}, not on this machine` : 'its address is not known here';
}

const VARIABLES = {
  bearer: 'RECORD_MODEL_BEARER',
  basic: 'RECORD_MODEL_BASIC',
  apiKey: 'RECORD_MODEL_API_KEY',
} as const;

/** Those of the flags, else of the variables; a variable without a value is none. */
function credentialsOf(options: ConnectionOptions): Credentials {
  const { apiKey, basic, bearer, header } = options;
  if ((bearer ?? basic ?? apiKey) !== undefined) return readCredentials({ bearer, basic, apiKey, header });
  const [fromBearer, fromBasic, fromApiKey] = [VARIABLES.bearer, VARIABLES.basic, VARIABLES.apiKey].map(
    (name) => terminal().env[name] || undefined,
  );
  return readCredentials({ bearer: fromBearer, basic: fromBasic, apiKey: fromApiKey, header }, VARIABLES);
}

/** Short waits are not worth a line. */
function sayWait({ milliseconds, status }: Wait): void {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds > 2) say(`waiting ${seconds} s, as the target asks (${status})`);
}

/** The proxy variables that every client honours; this machine is reached without one. */
function proxyOfEnvironment(): TargetOptions['proxy'] {
  const { env } = terminal();
  const [http, https, none] = ['http_proxy', 'https_proxy', 'no_proxy'].map((small) => {
    const name = env[small] === undefined ? small.toUpperCase() : small;
    return { name, value: env[name] };
  });
  for (const proxy of [http, https]) if (proxy?.value) checkProxyUrl(proxy.value, proxy.name);
  if (!http?.value && !https?.value) return undefined;
  return { http: http?.value ?? '', https: https?.value ?? '', none: none?.value ?? '' };
}

/** The ids the options give, by the name of what they are ids of. */
export function bindingsOf({ bindings }: ConnectionOptions, { catalogue, references }: Contract): Bindings {
  return bindings === undefined ? new Map() : loadBindings(bindings, catalogue, references);
}

/** Finds out the profile that the service speaks, and says how far that is; what an error leaves behind is told. */
export async function learnFrom(
  connected: Connected,
  { catalogue, references }: Contract,
  bindings: Bindings,
  onLeftovers: (leftovers: readonly string[]) => void = () => {},
): Promise<Learned> {
  const { journal, maxRecords, onStart, pins, readOnly, scheme, seed, signal, tag, target } = connected;
  const status = createStatus();
  status.show(`learning the profile of ${target.url}`);
  try {
    return await learnProfile({
      catalogue,
      references,
      target,
      seed,
      // Apart from what is made to check.
      tag: `${tag}l`,
      ...{ journal, maxRecords, pins },
      bindings,
      write: !readOnly,
      onProgress: ({ done, of, settings }) =>
        status.show(`learning: ${done} of ${of} probes, ${target.requests()} requests (${settings[0]})`),
      onLeftovers,
      onStart,
      signal,
      ...(scheme ? { credentials: scheme } : {}),
    });
  } finally {
    status.clear();
  }
}
