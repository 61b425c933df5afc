import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Watcher } from '../../conformance/api/api.ts';
import { createJournal, type Journal, limitRecords } from '../../conformance/records/journal.ts';
import { type Pins, pinsIn, pinsInFlags, readPins } from '../../conformance/records/values/pins.ts';
import { Interrupted, type Wait } from '../../conformance/target/exchange.ts';
import {
  checkProxyUrl,
  locate,
  needDecision,
  noAddress,
  ping,
  type ServiceAddress,
} from '../../conformance/target/place.ts';
import { createTarget, type Target, type TargetOptions } from '../../conformance/target/target.ts';
import { delayLists } from '../../conformance/trial/late-lists.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { SHORTEST_SECRET, shortSecrets } from '../../spec/redaction.ts';
import { redactWith, say } from '../terminal/console.ts';
import { createStopSignal, isCutShort, isOutOfTime } from '../terminal/stopping.ts';
import { terminal } from '../terminal/terminal.ts';
import { readCertificates } from './certificates.ts';
import { type ConnectionOptions, MANIFEST } from './connection-options.ts';
import { type Credentials, readCredentials } from './credentials.ts';

const VARIABLES = {
  bearer: 'RECORD_MODEL_BEARER',
  basic: 'RECORD_MODEL_BASIC',
  apiKey: 'RECORD_MODEL_API_KEY',
} as const;

export type Connected = {
  readonly target: Target;
  readonly readOnly: boolean;
  /** Whether the service is on this machine and no proxy forwards its responses. */
  readonly isHere: boolean;
  readonly concurrency: number;
  readonly seed: number;
  readonly tag: string;
  /** Whether the tag was generated for this run. */
  readonly tagIsUnique: boolean;
  readonly pins: Pins;
  /** Limits the number of created records, for learning and checking together. */
  readonly limit?: Watcher;
  /** Notes each created record, in a file next to the manifest. */
  readonly journal: Journal;
  readonly scheme?: 'bearer' | 'basic' | 'apiKey';
  readonly signal: AbortSignal;
  readonly onStart: (unremoved: () => readonly string[]) => void;
};

/**
 * Connects to a service with the options and the environment, and waits for its first response. A signal ends all waits; at a
 * second signal, `onHurry` gets the records that remain. Throws NoAnswer, and UsageError for contradicting options or if
 * the user has to allow writes first.
 */
export async function connect(
  baseUrl: string,
  options: ConnectionOptions,
  contract: Contract,
  onHurry: (unremoved: readonly string[]) => void,
  {
    safeFlag = '--read-only',
    selected,
  }: {
    /** The flag of the verb that sends only GET requests. */
    readonly safeFlag?: string;
    /** The names of the selected models. */
    readonly selected?: ReadonlySet<string>;
  } = {},
): Promise<Connected> {
  if (options.readOnly && options.write)
    throw new UsageError("--read-only and --write can't be used together. Remove one of them.");
  const { headers, scheme } = credentialsOf(options);
  const certificates = readCertificates(options);
  for (const name of shortSecrets(headers))
    say(
      `Warning: the secret in the header ${name} has fewer than ${SHORTEST_SECRET} characters. Reports redact it in request headers, but not in text that the service returns.`,
    );
  const place = await locate(baseUrl);
  const proxy = place.isHere ? undefined : proxyOfEnvironment();
  if (place.failure !== undefined && proxy === undefined) throw noAddress(baseUrl, place.failure);
  const readOnly = options.readOnly === true;
  const isDecided = readOnly || options.write === true;
  if (!isDecided && !place.isHere) throw needDecision(baseUrl, whyElsewhere(place), safeFlag);
  const { catalogue } = contract;
  const { pin = [], seed = 1000, tag = randomTag(), timeout } = options;
  const inFile = options.pins === undefined ? [] : pinsIn(options.pins);
  const pins = readPins([...inFile, ...pinsInFlags(pin)], contract);
  const concurrency = options.concurrency ?? (place.isHere ? 16 : 4);
  let unremoved: () => readonly string[] = () => [];
  const signal = createStopSignal({
    maxTime: options.maxTime,
    abandon: () => void target.close(),
    onHurry: () => {
      onHurry(unremoved());
      sayRemaining(journal);
    },
    unremoved: () => unremoved().length,
    pace: () => (target.requests() * 1000) / (performance.now() - started),
  });
  const started = performance.now();
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
    certificates,
    // One case has few exchanges, and the user wants to read them in full.
    ...(options.case === undefined ? {} : { longestShown: Number.POSITIVE_INFINITY }),
    ...(options.rate === undefined ? {} : { rate: options.rate }),
    ...(proxy ? { proxy } : {}),
  });
  if (target.redact) redactWith(target.redact);
  const journal = journalOf(options.manifest, target, tag);
  const onStart: Connected['onStart'] = (see) => {
    unremoved = see;
  };
  try {
    await ping(target, catalogue, selected);
    const relay = isDecided ? undefined : target.relay?.();
    if (relay !== undefined) throw needDecision(target.url, relay, safeFlag);
  } catch (error) {
    await target.close();
    throw isCutShort(error, signal) ? new Interrupted(isOutOfTime(signal)) : error;
  }
  return {
    target:
      options.listDelay === undefined
        ? target
        : delayLists(target, { base: catalogue.base, ms: options.listDelay, signal }),
    readOnly,
    isHere: place.isHere && target.relay?.() === undefined,
    concurrency,
    seed,
    tag,
    tagIsUnique: options.tag === undefined,
    pins,
    journal,
    ...(options.maxRecords === undefined ? {} : { limit: limitRecords(options.maxRecords) }),
    signal,
    onStart,
    ...(scheme ? { scheme } : {}),
  };
}

/** Says how to remove the records of a journal that remains. */
export function sayRemaining({ path }: Journal): void {
  if (existsSync(path)) say(`To remove the remaining records, run: record-model clean ${path}`);
}

/** Returns four letters and digits, enough to distinguish a few hundred runs on one database. */
function randomTag(): string {
  return randomBytes(4).readUInt32BE().toString(36).padStart(4, '0').slice(-4);
}

/** Creates the journal of this run. The journal of an interrupted run is never overwritten. */
function journalOf(manifest: string | undefined, { redact, url }: Target, tag: string): Journal {
  const path = `${(manifest ?? MANIFEST).replace(/\.json$/, '')}-${tag}.jsonl`;
  if (existsSync(path))
    throw new UsageError(
      `${path} belongs to an interrupted run. Delete its records with \`record-model clean ${path}\`, or pass another --tag.`,
    );
  return createJournal({ path, target: url, tag, redact });
}

function whyElsewhere({ addresses }: ServiceAddress): string {
  const [first] = addresses;
  return first ? `it is not on this machine (${first.address})` : 'its address is unknown';
}

/** Reports a wait of more than two seconds. */
function sayWait({ milliseconds, status }: Wait): void {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds > 2) say(`Waiting ${seconds} s because the service returned ${status}`);
}

/** Returns the credentials of the flags, else of the environment variables. An empty variable counts as unset. */
function credentialsOf(options: ConnectionOptions): Credentials {
  const { apiKey, basic, bearer, header } = options;
  if ((bearer ?? basic ?? apiKey) !== undefined) return readCredentials({ bearer, basic, apiKey, header });
  const [fromBearer, fromBasic, fromApiKey] = [VARIABLES.bearer, VARIABLES.basic, VARIABLES.apiKey].map(
    (name) => terminal().env[name] || undefined,
  );
  return readCredentials({ bearer: fromBearer, basic: fromBasic, apiKey: fromApiKey, header }, VARIABLES);
}

/** Returns the HTTP proxy of the usual environment variables. */
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
