import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Learned, learnProfile } from '../../conformance/learn/learn.ts';
import { type Selection, selectedModels } from '../../conformance/plan/plan.ts';
import { createJournal, type Journal, limitRecords } from '../../conformance/records/journal.ts';
import { loadBindings } from '../../conformance/records/links.ts';
import { pinsIn, pinsInFlags, readPins } from '../../conformance/records/values/pins.ts';
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
import { MANIFEST } from '../options.ts';
import { createStopSignal, isCutShort, isOutOfTime, throwIfStopped } from '../terminal/stopping.ts';
import { createStatus, endEarly, say, terminal } from '../terminal/terminal.ts';
import { type CredentialOptions, readCertificates, readCredentials } from './credentials.ts';

/** How to reach a service, and with which credentials. */
export type AccessOptions = CredentialOptions & {
  cert?: string;
  key?: string;
  ca?: string;
  timeout: number;
  rate?: number;
  insecure?: true;
  readOnly?: true;
  write?: true;
  maxTime?: number;
  concurrency?: number;
};

export type ConnectionOptions = AccessOptions & {
  listDelay?: number;
  seed?: number;
  tag?: string;
  maxRecords?: number;
  pin?: string[];
  pins?: string;
  bindings?: string;
  case?: readonly string[];
  manifest?: string;
};

type ServiceOptions = {
  readonly selection?: Selection;
  /** Gets the records that remain at a second signal, and if the work ends with an error. */
  readonly onLeft?: (unremoved: readonly string[]) => void;
  /** The flag of the verb that sends only GET requests. */
  readonly safeFlag?: string;
};

/** A service that a command is connected to, with the settings of the run. */
export type ConnectedService = Awaited<ReturnType<typeof connect>>;

/**
 * Connects to a service with the options and the environment, does the work of a command, and disconnects. A signal ends the
 * work; it is reported, and the result is undefined then. Throws NoAnswer, and UsageError for contradicting options or if
 * the user has to allow writes first.
 */
export async function useService<Result>(
  baseUrl: string,
  options: ConnectionOptions,
  contract: Contract,
  work: (service: ConnectedService) => Promise<Result>,
  serviceOptions: ServiceOptions = {},
): Promise<Result | undefined> {
  const service = await connect(baseUrl, options, contract, serviceOptions);
  const { journal, leftovers, signal, target } = service;
  try {
    return await work(service);
  } catch (error) {
    serviceOptions.onLeft?.([...leftovers]);
    if (!isCutShort(error, signal)) throw error;
    endEarly([...leftovers], isOutOfTime(signal));
    return undefined;
  } finally {
    journal.finish([...leftovers]);
    sayRemaining(journal);
    await target.close();
  }
}

/** Learns the profile of a service and shows progress. Throws Interrupted after a signal. */
export async function learnFrom(service: ConnectedService): Promise<Learned> {
  const { leftovers, readOnly, scheme, signal, tag, target } = service;
  const noteLeftovers = (names: readonly string[]) => {
    for (const name of names) leftovers.add(name);
  };
  const status = createStatus();
  status.show(`Learning the profile of ${target.url}`);
  try {
    const learned = await learnProfile({
      ...service,
      // The tag distinguishes these records from the records of the check.
      tag: `${tag}l`,
      write: !readOnly,
      onProgress: ({ at, done, of }) =>
        status.show(`Learning: ${done} of ${of} steps, ${target.requests()} requests (${at})`),
      onLeftovers: noteLeftovers,
      credentials: scheme,
    });
    noteLeftovers(learned.leftovers);
    throwIfStopped(signal);
    return learned;
  } finally {
    status.clear();
  }
}

/** Connects to a service, and waits for its first response. */
async function connect(
  baseUrl: string,
  options: ConnectionOptions,
  contract: Contract,
  { onLeft = endEarly, safeFlag = '--read-only', selection }: ServiceOptions,
) {
  const { headers, scheme } = readCredentials(options, terminal().env);
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
  const { catalogue, references } = contract;
  const selected = selectedModels(contract, selection);
  const bindings =
    options.bindings === undefined ? new Map() : loadBindings(options.bindings, catalogue, references);
  const { pin = [], seed = 1000, tag = randomTag(), timeout } = options;
  const inFile = options.pins === undefined ? [] : pinsIn(options.pins);
  const pins = readPins([...inFile, ...pinsInFlags(pin)], contract);
  const concurrency = options.concurrency ?? (place.isHere ? 16 : 4);
  let unremoved: () => readonly string[] = () => [];
  const signal = createStopSignal({
    maxTime: options.maxTime,
    target: () => target,
    unremoved: () => unremoved().length,
    onHurry: () => {
      onLeft(unremoved());
      sayRemaining(journal);
    },
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
    certificates,
    // One case has few exchanges, and the user wants to read them in full.
    longestShown: options.case && Number.POSITIVE_INFINITY,
    rate: options.rate,
    proxy,
  });
  if (target.redact) terminal().redact = target.redact;
  const journal = journalOf(options.manifest, target, tag);
  try {
    await ping(target, catalogue, selected);
    const relay = isDecided ? undefined : target.relay?.();
    if (relay !== undefined) throw needDecision(target.url, relay, safeFlag);
  } catch (error) {
    await target.close();
    throw isCutShort(error, signal) ? new Interrupted(isOutOfTime(signal)) : error;
  }
  return {
    ...contract,
    target:
      options.listDelay === undefined
        ? target
        : delayLists(target, { base: catalogue.base, ms: options.listDelay, signal }),
    readOnly,
    /** Whether the service is on this machine and no proxy forwards its responses. */
    isHere: place.isHere && target.relay?.() === undefined,
    concurrency,
    /** The names of the selected models. */
    selected,
    seed,
    tag,
    /** Whether the tag was generated for this run. */
    tagIsUnique: options.tag === undefined,
    pins,
    /** IDs of existing records, by the name of their model. */
    bindings,
    /** Notes each created record, in a file next to the manifest. */
    journal,
    /** Limits the number of created records, for learning and checking together. */
    limit: options.maxRecords === undefined ? undefined : limitRecords(options.maxRecords),
    signal,
    onStart: (see: typeof unremoved) => {
      unremoved = see;
    },
    scheme,
    /** The records that could not be removed so far. */
    leftovers: new Set<string>(),
  };
}

/** Says how to remove the records of a journal that remains. */
function sayRemaining({ path }: Journal): void {
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
