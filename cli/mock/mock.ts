import { existsSync, rmSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { listed, oneLine, plural, quote } from '../../conformance/results/text.ts';
import { locate } from '../../conformance/target/place.ts';
import { exchangeLine } from '../../mock/control/request-log/request-log-view.ts';
import type { ForwardOptions } from '../../mock/forwarding/forwarding.ts';
import { freePort, isLoopbackHost } from '../../mock/http/http.ts';
import { listen } from '../../mock/http/server.ts';
import type { Exchanged, Mock, MockOptions } from '../../mock/mock.ts';
import { carryOver, createReloading } from '../../mock/reloading.ts';
import { isPostgres, StoreDamaged, showPlace } from '../../mock/store/store.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import { type Contract, loadContract } from '../../spec/contract.ts';
import { checkFile, saveFile } from '../../spec/files/save-file.ts';
import { UsageError, unexpected, whyFailed } from '../../spec/files/usage-error.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import {
  changeProfile,
  describeProfile,
  headerIn,
  placeIn,
  profileName,
} from '../../spec/profile/profile.ts';
import type { ContractOptions } from '../options.ts';
import {
  flush,
  flushAll,
  paint,
  say,
  saySoon,
  terminal,
  untilSignal,
  warn,
  writeSoon,
} from '../terminal/terminal.ts';
import { createFillProgress } from './fill-progress.ts';

/** Milliseconds to wait after a change, because an editor writes a file in several steps. */
const RELOAD_PAUSE = 100;

export type MockCommand = ContractOptions &
  Pick<ForwardOptions, 'models' | 'write' | 'timeout' | 'insecure'> &
  Pick<MockOptions, 'data' | 'dataSync' | 'latency' | 'lenient' | 'maxMemory' | 'maxSessions'> &
  Pick<MockOptions, 'now' | 'origin' | 'records' | 'requestLog' | 'seed'> & {
    port?: number;
    host: string;
    fixtures?: readonly string[];
    forward?: string;
    watch?: true;
    references: 'warn' | 'check';
    defect?: string;
    listDefects?: true;
    fault?: string;
    users?: string;
    control: boolean;
    controlToken?: string | undefined;
    log: 'text' | 'json' | 'none';
    quiet?: true;
    json?: true;
    readyFile?: string;
    allowHost?: readonly string[];
    corsOrigin?: readonly string[];
  };

/** Milliseconds in which requests on kept connections still get a response that closes the connection. */
const DRAIN = 500;

/** Maximum number of forwarded models that the ready message names. */
const MOST_NAMED = 8;

/** Serves the mock until a signal arrives. */
export async function serveMock(_base: string | undefined, given: MockCommand): Promise<void> {
  if (given.listDefects) return listDefects();
  const { env } = terminal();
  const options = {
    ...given,
    // The environment hides passwords and tokens from other users, the command line does not.
    data: (given.data ?? env.RECORD_MODEL_DATA) || undefined,
    controlToken: (given.controlToken ?? env.RECORD_MODEL_CONTROL_TOKEN) || undefined,
    log: given.quiet ? 'none' : given.log,
  };
  const { allowHost: allowHosts = [], corsOrigin: corsOrigins = [], host, readyFile } = options;
  if (readyFile !== undefined) checkFile(readyFile, '--ready-file');
  refuseContradictions(options);
  const port = portOf(options) || (options.records === undefined ? 0 : await freePort(host));
  const { contract, mock, placed } = await makeMock(options, port);
  const where = { port, host, allowHosts, corsOrigins };
  const source = options.watch && createReloading(mock);
  const server = await (source ? listen(source.served, where) : mock.listen(where));
  // The signal handler must exist before the ready message, because a program might stop the mock at once.
  const stopped = untilSignal();
  const { models, operations, records } = mock.counts;
  const bold = (text: string) => paint(terminal().stderr, 'bold', text);
  // Where standard output has JSON, it has nothing else.
  const started = `Mock of ${contract.catalogue.title} ${contract.catalogue.version} is running on ${server.url}`;
  if (options.json || options.log === 'json') say(started);
  else terminal().stdout.write(`${started}\n`);
  if (options.control) say(`  Open the console in a browser: ${bold(`${server.url}/`)}`);
  say(
    `  ${options.control ? 'Or try' : 'Try'}: ${bold(hintOf(server.url, contract, mock.filled, options.users))}`,
  );
  const counts = [plural(models, 'model'), plural(operations, 'operation'), plural(records, 'record')];
  say(`  serving      ${counts.join(', ')}`);
  say(`  profile      ${[profileName(options.profile), ...describeProfile(contract.profile)].join(', ')}`);
  if (options.data !== undefined) say(`  data         ${describeData(options.data, mock.isKept)}`);
  const { forward } = mock.parts;
  if (forward) {
    const { models: named, url, write } = forward.state();
    const which = named.length === models ? 'all models' : listed(named, MOST_NAMED);
    say(`  forwarding   ${which} to ${url}${write ? '' : ', only reads'}`);
  }
  say(`  OpenAPI      ${server.url}/openapi.json, ${server.url}/openapi.yaml`);
  if (options.control) say(`  control API  ${server.url}/__mock/openapi.json`);
  if (placed)
    say(
      `  defect       ${placed.defect.name} at ${plural(placed.places.length, 'place')}: ${placed.defect.violates}`,
    );
  const reach = `other machines can reach ${host}. They can use the API; the control API needs --control-token.`;
  warn([...(isLoopbackHost(host) ? [] : [reach]), ...mock.warnings]);
  const ready = { url: server.url, pid: process.pid, profile: profileName(options.profile), ...mock.counts };
  if (options.json) writeEvent('ready', ready);
  if (readyFile !== undefined) saveFile(readyFile, `${JSON.stringify(ready)}\n`);
  const stop = source && watchFiles(filesOf(options), () => source.reload(reload));
  // This line comes last, so that a program can wait for it.
  say('Press Ctrl+C to stop.');
  await stopped;
  stop?.();
  if (readyFile !== undefined) rmSync(readyFile, { force: true });
  await server.close({ drain: DRAIN });
  await mock.close();
  flushAll();

  async function reload(old: Mock): Promise<Mock> {
    try {
      const { mock: next } = await makeMock(options, port);
      const lost = await carryOver(old, next);
      say(
        `Reloaded. Sessions now start with ${plural(next.counts.records, 'record')}. Those with changed records keep them until a reset.`,
      );
      warn([...next.warnings, ...lost]);
      if (options.json) writeEvent('reloaded', next.counts);
      return next;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      say(`Not reloaded: ${error.message}`);
      return old;
    }
  }
}

/** Returns the contract; `--references check` applies to requests too. */
function contractOf({ catalogue, profile, references }: MockCommand): Contract {
  const contract = loadContract({ catalogue, profile });
  if (references === 'warn') return contract;
  const rejecting = changeProfile(contract.profile, { 'request.references': 'reject' }, contract.catalogue);
  return { ...contract, profile: rejecting };
}

/** Creates a mock from the options and the current files. */
async function makeMock(options: MockCommand, port: number) {
  const { createMock } = await import('../../mock/mock.ts');
  const { readFaultFile } = await import('../../mock/control/faults/fault-rule.ts');
  const { control, controlToken: token, data, host, log, quiet } = options;
  const { dataSync, latency, lenient, maxSessions, now, records, requestLog, seed, users } = options;
  const contract = contractOf(options);
  const placed = options.defect === undefined ? undefined : await placeDefect(options.defect, contract);
  const progress = createFillProgress(data);
  const mock = await createMock({
    ...contract,
    ...{ data, dataSync, latency, lenient, maxSessions, now, records, requestLog, seed, users },
    // The demo records fit only the built-in catalogue.
    fixtures: options.fixtures ?? [options.catalogue === undefined ? 'demo' : 'none'],
    origin: options.origin ?? originOf(host, port),
    checkLinks: options.references === 'check',
    ...(placed && { decoration: placed.decoration }),
    // In MiB. The rest of the heap is for requests.
    maxMemory: options.maxMemory ?? Math.floor((0.5 * getHeapStatistics().heap_size_limit) / 2 ** 20),
    faults: options.fault === undefined ? [] : readFaultFile(options.fault, contract.catalogue),
    forward: await forwardOf(options, [...contract.catalogue.models.keys()]),
    control: control && (token === undefined ? {} : { token }),
    onFill: quiet ? undefined : progress.show,
    onExchange: createLogPrinter(log),
    onError: (error) =>
      say(error instanceof StoreDamaged ? error.message : ((error as Error).stack ?? String(error))),
  }).finally(progress.clear);
  return { contract, mock, placed };
}

/** Returns the option `forward` of the mock. Throws UsageError for flags without --forward, and for unknown models. */
async function forwardOf(
  { forward, insecure, models, timeout, write }: MockCommand,
  known: readonly string[],
): Promise<ForwardOptions | undefined> {
  if (forward === undefined) {
    for (const [name, value] of Object.entries({ models, write, timeout, insecure }))
      if (value !== undefined)
        throw new UsageError(
          `--${name} applies only to forwarded requests. Pass the URL of the service with --forward, or remove --${name}.`,
        );
    return undefined;
  }
  const named = models?.length === 1 && models[0] === 'all' ? undefined : models;
  for (const name of named ?? [])
    if (!known.includes(name)) throw new UsageError(unexpected('model', name, known, 'in --models'));
  // The mock refuses an invalid URL itself.
  const place = await locate(forward).catch(() => undefined);
  return {
    url: forward,
    models: named,
    write,
    insecure,
    timeout,
    proxyEnv: place?.isHere === false ? terminal().env : undefined,
  };
}

/** Returns a function that prints each exchange: text for people on stderr, or JSON for programs on stdout. */
function createLogPrinter(form: MockCommand['log']): ((exchange: Exchanged) => void) | undefined {
  if (form === 'none') return undefined;
  if (form === 'json') return (exchange) => writeEvent('exchange', exchange, levelOf(exchange.status));
  const { stderr } = terminal();
  return (exchange) =>
    saySoon(() => paint(stderr, STYLES[levelOf(exchange.status)], oneLine(exchangeLine(exchange))));
}

/** Prints one line of JSON to stdout, with the time and the level that collectors of logs expect. */
function writeEvent(event: 'ready' | 'exchange' | 'reloaded', values: object, level = 'info'): void {
  const { stdout } = terminal();
  const time = new Date();
  writeSoon(stdout, () => `${JSON.stringify({ time, level, event, ...values })}\n`);
  if (event !== 'exchange') flush(stdout);
}

const STYLES = { error: 'red', warn: 'yellow', info: 'reset' } as const;

/** Returns the level of a response; a dropped connection has the status 0. */
function levelOf(status: number): keyof typeof STYLES {
  if (status === 0 || status >= 500) return 'error';
  return status >= 400 ? 'warn' : 'info';
}

/** Returns the URL of the mock for pages on this machine. */
function originOf(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::';
  return `http://${isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function listDefects(): Promise<void> {
  const { DEFECTS } = await import('../../mock/defects/defects.ts');
  for (const { name, violates } of DEFECTS) terminal().stdout.write(`${name.padEnd(36)} ${violates}\n`);
}

async function placeDefect(text: string, contract: Contract) {
  const { decorateWith, parseDefect } = await import('../../mock/defects/defects.ts');
  const placed = parseDefect(text, contract);
  return { ...placed, decoration: decorateWith(placed, contract) };
}

function portOf({ port }: MockCommand): number {
  const { PORT = '' } = terminal().env;
  if (port !== undefined || PORT === '') return port ?? 4010;
  if (/^\d{1,5}$/.test(PORT) && Number(PORT) <= 65_535) return Number(PORT);
  throw new UsageError(
    `The variable PORT is ${JSON.stringify(PORT)}. Set it to a whole number from 0 to 65535, or pass --port.`,
  );
}

/** Throws UsageError for options that contradict each other. */
function refuseContradictions({ data, dataSync, watch }: MockCommand): void {
  if (watch && data !== undefined)
    throw new UsageError(
      "--watch and --data (or RECORD_MODEL_DATA) can't be used together: --watch reloads fixtures, and fixtures apply only to new data. Remove one of them.",
    );
  if (dataSync !== undefined && (data === undefined || isPostgres(data)))
    throw new UsageError(
      '--data-sync applies only to a SQLite file. Pass the file with --data, or remove --data-sync.',
    );
}

/** Describes where records are kept, for the ready message. */
export function describeData(data: string, isKept: boolean): string {
  return `${showPlace(data)}: ${isKept ? 'existing records; fixtures apply only to new data' : 'new, filled from the fixtures'}`;
}

/** Calls `onChange` after a file, or a file in a directory, has changed. Returns a function that stops watching. */
function watchFiles(paths: readonly string[], onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const there = paths.filter((path) => existsSync(path));
  const watchers = there.map((path) => {
    const isDirectory = statSync(path).isDirectory();
    // Many editors replace the file, so a watcher of the file itself would miss later changes.
    const directory = isDirectory ? path : dirname(path);
    try {
      return watch(directory, (_, name) => {
        if (!(isDirectory ? /\.(ya?ml|json)$/.test(name ?? '') : name === basename(path))) return;
        clearTimeout(timer);
        timer = setTimeout(onChange, RELOAD_PAUSE);
      });
    } catch (error) {
      const isFull = ['EMFILE', 'ENOSPC'].includes((error as NodeJS.ErrnoException).code ?? '');
      const why = isFull ? 'the system allows no more file watchers' : whyFailed(error);
      throw new UsageError(`${directory} can't be watched because ${why}. Start without --watch.`);
    }
  });
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** Returns the user's files that a mock reads. */
function filesOf({ catalogue, fixtures = [], profile, users }: MockCommand): string[] {
  const own = fixtures.filter((source) => source !== 'demo' && source !== 'none');
  const ofCatalogue = catalogue === undefined ? [] : [catalogue, join(catalogue, '..', 'references.yaml')];
  return [...own, ...ofCatalogue, profile ?? [], users ?? []].flat();
}

/**
 * Returns a request that works as printed: a list with records, with the required credentials and version. It prefers a
 * model with a required string, because such records are easy to recognize.
 */
export function hintOf(
  url: string,
  { catalogue, profile }: Contract,
  /** The models that have records. */
  filled: readonly string[],
  users: string | undefined,
): string {
  const user = users === undefined ? undefined : readUser(users);
  const lists = [...catalogue.models.values()].filter(({ operations }) => operations.includes('list'));
  const open = lists.filter(({ name }) => user?.models?.includes(name) ?? true);
  const withRecords = open.filter(({ name }) => filled.includes(name));
  const model = withRecords.find(hasRequiredText) ?? withRecords[0] ?? open[0] ?? lists[0];
  const place = placeIn(profile.version);
  const isQuery = place?.in === 'query';
  const query = isQuery ? `?${place.name}=${catalogue.version}` : '';
  const header = (name: string, value: string) => `-H ${quote(`${name}: ${value}`)} `;
  const version = place?.in === 'header' ? header(place.name, catalogue.version) : '';
  const address = `${url}${catalogue.base}/${model?.name ?? ''}${query}`;
  const key = headerIn(profile.auth);
  const known: Readonly<Record<string, string>> = {
    bearer: header('authorization', `Bearer ${user?.token ?? 'demo'}`),
    basic: `-u ${quote(user?.token ?? 'demo:demo')} `,
  };
  const credentials = key === undefined ? (known[profile.auth] ?? '') : header(key, user?.token ?? 'demo');
  return `curl ${credentials}${version}${isQuery ? quote(address) : address}`;
}

function hasRequiredText({ fields }: Model): boolean {
  return fields.some(
    ({ common, readonly, required, type }) => type === 'string' && required && !readonly && !common,
  );
}

type Person = { readonly token: string; readonly models?: readonly string[]; readonly expires?: string };

/** Returns the first user whose credentials do not expire, or else the first user. */
function readUser(path: string): Person | undefined {
  const users = readYamlFile(path).value as readonly Person[];
  return users.find(({ expires }) => expires === undefined) ?? users[0];
}
