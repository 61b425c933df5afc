import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Watcher } from '../../conformance/api/api.ts';
import { createJournal, type Journal } from '../../conformance/journal/journal.ts';
import { limitRecords } from '../../conformance/records/record-limit.ts';
import { readPins } from '../../conformance/records/values/field-policy.ts';
import type { Wait } from '../../conformance/target/exchange.ts';
import { Interrupted } from '../../conformance/target/no-answer.ts';
import { ping } from '../../conformance/target/ping.ts';
import { locate, needDecision, type Place } from '../../conformance/target/place.ts';
import { SHORTEST_SECRET, shortSecrets } from '../../conformance/target/redaction.ts';
import { settling } from '../../conformance/target/settling.ts';
import { createTarget, type Target } from '../../conformance/target/target.ts';
import type { Contract } from '../../spec/contract.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { redactWith, say } from '../terminal/console.ts';
import { createStopSignal, isCutShort, isOutOfTime } from '../terminal/stopping.ts';
import { type ConnectionOptions, MANIFEST } from './connection-options.ts';
import { credentialsOf, proxyOfEnvironment } from './environment.ts';

export type Connected = {
  readonly target: Target;
  readonly readOnly: boolean;
  /** The service is on this machine, and answers by itself. */
  readonly isHere: boolean;
  readonly concurrency: number;
  readonly seed: number;
  readonly tag: string;
  /** Drawn for this run alone. */
  readonly tagIsUnique: boolean;
  readonly pins: ReadonlyMap<string, Value>;
  /** Of the records that are made, by learning and checking together. */
  readonly limit?: Watcher;
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
    throw isCutShort(error, signal) ? new Interrupted(isOutOfTime(signal)) : error;
  }
  return {
    target:
      options.settle === undefined
        ? target
        : settling(target, { base: catalogue.base, ms: options.settle, signal }),
    readOnly,
    isHere: place.isHere && target.relay?.() === undefined,
    concurrency,
    seed,
    tag,
    tagIsUnique: options.tag === undefined,
    pins,
    journal: journalOf(options.manifest, target, tag),
    ...(options.maxRecords === undefined ? {} : { limit: limitRecords(options.maxRecords) }),
    signal,
    onStart,
    ...(scheme ? { scheme } : {}),
  };
}

/** Four letters and digits: enough to tell a few hundred runs on one database apart. */
function randomTag(): string {
  return randomBytes(4).readUInt32BE().toString(36).padStart(4, '0').slice(-4);
}

/** A file of this run alone: that of another one, which did not end, stays. */
function journalOf(manifest: string | undefined, { redact, url }: Target, tag: string): Journal {
  const path = `${(manifest ?? MANIFEST).replace(/\.json$/, '')}-${tag}.jsonl`;
  if (existsSync(path))
    throw new UsageError(
      `${path} was left by a run that did not end; remove what stands there with record-model clean ${path}, or choose another --tag`,
    );
  return createJournal({ path, target: url, tag, redact });
}

function whyElsewhere({ addresses }: Place): string {
  const [first] = addresses;
  return first ? `it is at ${first.address}, not on this machine` : 'its address is not known here';
}

/** Short waits are not worth a line. */
function sayWait({ milliseconds, status }: Wait): void {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds > 2) say(`waiting ${seconds} s, as the target asks (${status})`);
}
