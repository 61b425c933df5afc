#!/usr/bin/env node
/** One command, a verb for each thing the kit does: parsing and printing only. Exit codes stand in README.md. */
import { readFileSync } from 'node:fs';
import { extname, relative } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { loadBaseline, renderBaseline } from './conformance/baseline.ts';
import { loadBindings } from './conformance/bindings.ts';
import { readCredentials } from './conformance/credentials.ts';
import { loadFrozenRules } from './conformance/frozen-rules.ts';
import { learnProfile } from './conformance/learn/learn.ts';
import { renderProfile } from './conformance/learn/profile-file.ts';
import { renderLearned, summarizeLearned } from './conformance/learn/render-learned.ts';
import { exitCode, type Results } from './conformance/outcome.ts';
import { planRun, type Selection } from './conformance/plan.ts';
import { curlLine } from './conformance/report/curl.ts';
import { FORMATS, type FormatName } from './conformance/report/formats.ts';
import { renderTerminal } from './conformance/report/terminal.ts';
import { RULES } from './conformance/rules/rules.ts';
import { type RunEvent, runSuite } from './conformance/run.ts';
import { createTarget, isLoopback, type Target } from './conformance/target.ts';
import { FixtureError, loadFixtures } from './fixtures/fixtures.ts';
import { loadCatalogue } from './spec/catalogue.ts';
import { dataFile } from './spec/data-file.ts';
import { DEFAULT_PROFILE, describeProfile, loadProfile, profileName } from './spec/profile.ts';
import { loadReferences } from './spec/references.ts';
import { loadRequirements } from './spec/requirements.ts';
import { checkDirectory, saveFile } from './spec/save-file.ts';
import { UsageError } from './spec/usage-error.ts';

const OK = 0;
const NOT_CONFORMANT = 1;
const USAGE = 2;
const UNREACHABLE = 3;
const INTERRUPTED = 130;

type Common = { profile?: string; catalogue?: string };

const program = new Command('record-model')
  .description(
    'Contract kit for the Record Model API: OpenAPI document, stateful mock server, conformance suite.',
  )
  .exitOverride();

common(program.command('generate'))
  .description('write the OpenAPI 3.1 document of the catalogue under a profile')
  .option('-o, --output <file>', 'where to write it; - is standard output', '-')
  .addOption(new Option('--format <format>', 'default: by the ending of the file').choices(['yaml', 'json']))
  .option(
    '--check',
    'write nothing; exit 1 unless the file (default: the document of this package) is up to date',
  )
  .action(generate);

common(program.command('mock'))
  .description('serve the document as a mock that keeps state')
  .option('--port <number>', 'the port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 4010)
  .option('--host <name>', 'the address to listen on', '127.0.0.1')
  .option(
    '--fixtures <source>',
    'the records to start with: demo, none, or a YAML or JSON file (default: demo)',
  )
  .action(serveMock);

connection(program.command('learn'))
  .description('find out the profile of a live service by asking it')
  .option('-o, --output <file>', 'where to write the profile; - is standard output', '-')
  .option('--catalogue <dir>', 'a directory with a catalogue of your own')
  .action(learn);

const check = connection(common(program.command('check')))
  .description('call a live service and check every operation, field, flag and value against the source')
  .option('--models <names>', 'only these models, separated by commas', words)
  .option('--area <names>', 'only the models of these areas', words)
  .option('--rule <ids>', 'only these rules, or groups such as required', words)
  .option('--level <levels>', 'only rules of these levels: stated, assumed, advice', words)
  .option('--case <id>', 'only this case, with its exchanges in full')
  .option('--fail-fast', 'stop after the first failure')
  .option('--baseline <file>', 'known failures that do not count until they expire')
  .option('--write-baseline <file>', 'write what fails now as a baseline')
  .option(
    '--manifest <file>',
    'where to list records that could not be removed',
    'record-model-leftovers.json',
  );
for (const [name, { about }] of Object.entries(FORMATS))
  if (name !== 'github') check.option(`--${name} <file>`, `write ${about}`);
check.action(checkService);

program.command('rules').description('list the rules of check with what they are about').action(listRules);

// A reader that has seen enough, such as head, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = explain(error as Error);
}

type GenerateOptions = Common & { output: string; format?: 'yaml' | 'json'; check?: true };

async function generate(options: GenerateOptions): Promise<void> {
  const { generateDocument } = await import('./generator/generate.ts');
  const { serializeDocument } = await import('./generator/serialize.ts');
  const { validateDocument } = await import('./generator/validate.ts');
  const { catalogue, profile, references } = load(options);
  const output = options.check && options.output === '-' ? dataFile('openapi.yaml') : options.output;
  const document = generateDocument(catalogue, profile, references);
  await validateDocument(document);
  const text = serializeDocument(document, options.format ?? (extname(output) === '.json' ? 'json' : 'yaml'));
  if (options.check) compare(output, text);
  else if (output === '-') process.stdout.write(text);
  else saveFile(output, text);
}

function compare(path: string, text: string): void {
  let found: string;
  try {
    found = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} can't be read; write it first with: record-model generate -o ${path}`);
  }
  const name = relative('.', path);
  if (found === text) say(`${name} is up to date`);
  else {
    say(`${name} is stale; write it anew with: record-model generate -o ${name}`);
    process.exitCode = NOT_CONFORMANT;
  }
}

async function serveMock(options: Common & { port: number; host: string; fixtures?: string }): Promise<void> {
  const { createMock } = await import('./mock/mock.ts');
  const { listen } = await import('./mock/server.ts');
  const plan = load(options);
  // The demo club is one of the shipped models; another catalogue starts empty.
  const fixtures = loadFixtures(options.fixtures ?? (options.catalogue === undefined ? 'demo' : 'none'));
  const mock = await createMock({
    ...plan,
    fixtures,
    onError: (error) => say((error as Error).stack ?? String(error)),
  });
  const server = await listen(mock, { port: options.port, host: options.host });
  const { models, operations, records } = mock.counts;
  say(`Mock of ${plan.catalogue.title} ${plan.catalogue.version} on ${server.url}`);
  say(`  ${models} models, ${operations} operations, ${records} records`);
  say(`  profile ${[profileName(options.profile), ...describeProfile(plan.profile)].join(', ')}`);
  say(`  document ${server.url}/openapi.json and ${server.url}/openapi.yaml`);
  say(`  try curl ${server.url}${plan.catalogue.base}/${plan.catalogue.models.keys().next().value}`);
  say('Ctrl-C stops it.');
  onSignal(() => void server.close().then(() => process.exit(OK)));
}

type ConnectionOptions = {
  readOnly?: true;
  write?: true;
  bearer?: string;
  basic?: string;
  apiKey?: string;
  header?: string[];
  timeout: number;
  rate?: number;
  concurrency: number;
  seed: number;
  insecure?: true;
  bindings?: string;
};

async function learn(
  baseUrl: string,
  options: ConnectionOptions & { output: string; catalogue?: string },
): Promise<void> {
  if (options.output !== '-') checkDirectory(options.output);
  const connected = connect(baseUrl, options);
  try {
    const learned = await learnFrom(connected, options);
    say(renderLearned(learned, { color: hasColors(process.stderr) }));
    const text = renderProfile(learned);
    if (options.output === '-') process.stdout.write(text);
    else saveFile(options.output, text);
  } finally {
    await connected.target.close();
  }
}

type CheckOptions = Common &
  ConnectionOptions &
  Partial<Record<FormatName, string>> & {
    models?: string[];
    area?: string[];
    rule?: string[];
    level?: string[];
    case?: string;
    failFast?: true;
    baseline?: string;
    writeBaseline?: string;
    manifest: string;
  };

async function checkService(baseUrl: string, options: CheckOptions): Promise<void> {
  const selection = selectionOf(options);
  const plan = load(options);
  const { cases: _, ...early } = selection;
  planRun(plan, early);
  for (const path of [
    ...Object.keys(FORMATS).map((name) => options[name as FormatName]),
    options.writeBaseline,
    options.manifest,
  ])
    if (path !== undefined) checkDirectory(path);
  const baseline = options.baseline === undefined ? [] : loadBaseline(options.baseline);
  const requirements = loadRequirements();
  const connected = connect(baseUrl, options);
  const { readOnly, target } = connected;
  const stop = new AbortController();
  onSignal(() => stop.abort());
  const progress = createProgress();
  try {
    let { profile } = plan;
    let name = profileName(options.profile);
    let left: readonly string[] = [];
    if (options.profile === undefined) {
      const learned = await learnFrom({ ...connected, signal: stop.signal }, options);
      say(summarizeLearned(learned));
      if (learned.doubt !== undefined) {
        say(`NOT CONFORMANT: what answers at ${target.url} shows no records: ${learned.doubt}`);
        say('Look at the base URL first; with --profile FILE every case is tried all the same.');
        process.exitCode = NOT_CONFORMANT;
        return;
      }
      ({ profile } = learned);
      name = 'learned';
      left = learned.leftovers;
    }
    const suite = runSuite({
      ...plan,
      ...connected,
      profile,
      profileName: name,
      requirements,
      selection,
      baseline,
      frozenRules: loadFrozenRules(),
      bindings: bindingsOf(options),
      failFast: options.failFast === true,
      keepExchanges: options.case !== undefined,
      signal: stop.signal,
    });
    for await (const event of suite) progress.show(event, target);
    const found = progress.results();
    const results = { ...found, leftovers: [...left, ...found.leftovers] };
    report(results, options);
    process.exitCode = stop.signal.aborted ? INTERRUPTED : exitCode(results);
  } finally {
    progress.clear();
    await target.close();
  }

  function report(results: Results, { manifest, writeBaseline, ...files }: CheckOptions): void {
    for (const [format, { render }] of Object.entries(FORMATS)) {
      const path = files[format as FormatName];
      if (path !== undefined) saveFile(path, render(results));
    }
    if (writeBaseline !== undefined) saveFile(writeBaseline, renderBaseline(results.cases, inNinetyDays()));
    if (results.leftovers.length > 0)
      saveFile(
        manifest,
        `${JSON.stringify({ target: results.target, leftovers: results.leftovers }, null, 2)}\n`,
      );
    process.stdout.write(renderTerminal(results, { color: hasColors(process.stdout), requirements }));
    if (files.case !== undefined) process.stdout.write(renderExchanges(results));
    if (process.env.GITHUB_ACTIONS === 'true') process.stdout.write(FORMATS.github.render(results));
    if (readOnly && options.readOnly === undefined)
      say(
        'Only read: the target is not on this machine. --write checks the rest, on records it makes and removes.',
      );
  }
}

function selectionOf({ area, case: id, level, models, rule }: CheckOptions): Selection {
  return {
    ...(models ? { models } : {}),
    ...(area ? { areas: area } : {}),
    ...(rule ? { rules: rule } : {}),
    ...(level ? { levels: level } : {}),
    ...(id === undefined ? {} : { cases: [id] }),
  };
}

/** The exchanges of a single case, as they went over the wire. */
function renderExchanges({ cases }: Results): string {
  return cases
    .flatMap(({ exchanges }) => exchanges ?? [])
    .map((exchange, index) => {
      const { request, response } = exchange;
      const headers = (of: Readonly<Record<string, string>>) =>
        Object.entries(of).map(([name, value]) => `${name}: ${value}`);
      return [
        `\n== exchange ${index + 1}`,
        curlLine(exchange),
        `> ${request.method} ${request.url}`,
        ...headers(request.headers).map((line) => `> ${line}`),
        ...(request.body === undefined ? [] : [`> ${request.body}`]),
        `< ${response.status}`,
        ...headers(response.headers).map((line) => `< ${line}`),
        `< ${response.body}`,
        '',
      ].join('\n');
    })
    .join('');
}

function listRules(): void {
  const requirements = loadRequirements();
  for (const { id, level, requirement, title } of RULES)
    process.stdout.write(
      `${id.padEnd(32)} ${level.padEnd(8)} ${title} (section ${requirements.get(requirement)?.section})\n`,
    );
}

function common(command: Command): Command {
  return command
    .option('--profile <file>', 'a file with the settings that differ from the default profile')
    .option('--catalogue <dir>', 'a directory with a catalogue of your own');
}

/** The options of the verbs that call a service. */
function connection(command: Command): Command {
  return command
    .argument('<base-url>', 'where the service is, such as http://127.0.0.1:4010')
    .option('--read-only', 'send no request but GET; so it is for a service on another machine anyway')
    .option('--write', 'let a service on another machine be written to')
    .option('--bearer <token>', 'send Authorization: Bearer TOKEN (or set RECORD_MODEL_BEARER)')
    .option('--basic <user:password>', 'send Authorization: Basic … (or set RECORD_MODEL_BASIC)')
    .option('--api-key <name=value>', 'send the key in this header (or set RECORD_MODEL_API_KEY)')
    .option('--header <line...>', 'send this header too, as "Name: value"')
    .option('--timeout <ms>', 'how long an answer may take', wholeNumber(1, 600_000), 10_000)
    .option('--rate <number>', 'the greatest number of requests a second', wholeNumber(1, 100_000))
    .option('--concurrency <number>', 'how many models are checked side by side', wholeNumber(1, 100), 8)
    .option(
      '--seed <number>',
      'the number samples start from; the same seed sends the same requests',
      wholeNumber(0, 400_000),
      1000,
    )
    .option('--bindings <file>', 'ids of things that are there already, such as product: [101, 102]')
    .option('--insecure', 'take any TLS certificate');
}

function load(options: Common) {
  const catalogue = loadCatalogue(options.catalogue);
  const profile = options.profile === undefined ? DEFAULT_PROFILE : loadProfile(options.profile, catalogue);
  return { catalogue, profile, references: loadReferences(catalogue, options.catalogue) };
}

type Connected = Pick<Parameters<typeof runSuite>[0], 'concurrency' | 'seed'> & {
  readonly target: Target;
  readonly readOnly: boolean;
  readonly scheme?: 'bearer' | 'basic' | 'apiKey';
  readonly signal?: AbortSignal;
};

function connect(baseUrl: string, options: ConnectionOptions): Connected {
  const { RECORD_MODEL_API_KEY, RECORD_MODEL_BASIC, RECORD_MODEL_BEARER } = process.env;
  const given = options.bearer ?? options.basic ?? options.apiKey;
  const fromEnvironment =
    given === undefined
      ? { bearer: RECORD_MODEL_BEARER, basic: RECORD_MODEL_BASIC, apiKey: RECORD_MODEL_API_KEY }
      : {};
  const { headers, scheme } = readCredentials({ ...fromEnvironment, ...options });
  const readOnly = options.readOnly === true || !(isLoopback(baseUrl) || options.write === true);
  const proxy = proxyOf(baseUrl);
  const { concurrency, seed, timeout } = options;
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

function bindingsOf(options: ConnectionOptions & Common) {
  const { catalogue, references } = load({
    ...(options.catalogue === undefined ? {} : { catalogue: options.catalogue }),
  });
  return options.bindings === undefined ? new Map() : loadBindings(options.bindings, catalogue, references);
}

async function learnFrom(
  { readOnly, scheme, seed, signal, target }: Connected,
  options: ConnectionOptions & Common,
) {
  const { catalogue, references } = load({
    ...(options.catalogue === undefined ? {} : { catalogue: options.catalogue }),
  });
  return learnProfile({
    catalogue,
    references,
    target,
    write: !readOnly,
    bindings: bindingsOf(options),
    ...(seed === undefined ? {} : { seed }),
    ...(signal ? { signal } : {}),
    ...(scheme ? { credentials: scheme } : {}),
  });
}

function words(text: string): string[] {
  return text.split(',').map((word) => word.trim());
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/** Progress on standard error: a line that is written over in a terminal, a line now and then elsewhere. */
function createProgress() {
  const terminal = process.stderr.isTTY === true;
  const pause = terminal ? 100 : 10_000;
  let [total, done, bad, last] = [0, 0, 0, 0];
  let results: Results | undefined;
  return { show, clear, results: () => results ?? fail() };

  function show(event: RunEvent, target: Target): void {
    if (event.type === 'plan') {
      total = event.cases;
      last = Date.now();
      say(`${event.cases} cases on ${event.models} models at ${target.url}`);
    } else if (event.type === 'end') {
      clear();
      results = event.results;
    } else {
      done++;
      if (event.result.outcome !== 'pass' && event.result.outcome !== 'skip') bad++;
      if (Date.now() - last < pause) return;
      last = Date.now();
      const line = `${done} of ${total} cases${bad > 0 ? `, ${bad} not passed` : ''}`;
      process.stderr.write(terminal ? `\r\u001b[2K${line}` : `${line}\n`);
    }
  }

  function clear(): void {
    if (terminal && done > 0) process.stderr.write('\r\u001b[2K');
  }

  function fail(): never {
    throw new Error('the run ended without results');
  }
}

/** The first signal ends what runs in good order, a second one at once. */
function onSignal(stop: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      stop();
      process.once(signal, () => process.exit(INTERRUPTED));
    });
}

function hasColors(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

function inNinetyDays(): string {
  return new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

function explain(error: Error): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : USAGE;
  if (error instanceof UsageError || error instanceof FixtureError) {
    say(`record-model: ${error.message}`);
    return USAGE;
  }
  if (error.name === 'Unreachable' || error.name === 'NoAnswer') {
    say(`record-model: the target can't be reached: ${error.message}`);
    return UNREACHABLE;
  }
  say(`record-model: this is a fault of the kit, please report it:\n${error.stack}`);
  return UNREACHABLE;
}
