#!/usr/bin/env node
/** One command, a verb for each thing the kit does: parsing and printing only. Exit codes stand in README.md. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, relative } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { TargetOptions } from './conformance/target.ts';
import { FixtureError } from './fixtures/fixtures.ts';
import { type Catalogue, loadCatalogue } from './spec/catalogue.ts';
import { dataFile } from './spec/data-file.ts';
import { DEFAULT_PROFILE, describeProfile, loadProfile, type Profile, profileName } from './spec/profile.ts';
import { loadReferences, type References } from './spec/references.ts';
import { UsageError } from './spec/usage-error.ts';

const OK = 0;
const NOT_CONFORMANT = 1;
const USAGE = 2;
const UNREACHABLE = 3;

type Common = { profile?: string; catalogue?: string };

const program = new Command('record-model')
  .description(
    'Contract kit for the Record Model API: OpenAPI document, stateful mock server, conformance suite.',
  )
  .configureHelp({ showGlobalOptions: true })
  .exitOverride();

common(program.command('generate'))
  .description('write the OpenAPI 3.1 document of the catalogue under a profile')
  .option('-o, --output <file>', 'where to write it; - is standard output', '-')
  .addOption(new Option('--format <format>', 'default: by the ending of the file').choices(['yaml', 'json']))
  .option(
    '--check',
    'write nothing; exit 1 unless the file (default: the document of this package) is up to date',
  )
  .action(async (options: Common & { output: string; format?: 'yaml' | 'json'; check?: true }) => {
    const { generateDocument } = await import('./generator/generate.ts');
    const { serializeDocument } = await import('./generator/serialize.ts');
    const { validateDocument } = await import('./generator/validate.ts');
    const { catalogue, profile, references } = load(options);
    const output = options.check && options.output === '-' ? dataFile('openapi.yaml') : options.output;
    const document = generateDocument(catalogue, profile, references);
    await validateDocument(document);
    const text = serializeDocument(
      document,
      options.format ?? (extname(output) === '.json' ? 'json' : 'yaml'),
    );
    if (options.check) return check(output, text);
    if (output === '-') process.stdout.write(text);
    else save(output, text);
  });

common(program.command('mock'))
  .description('serve the document as a mock that keeps state')
  .option('--port <number>', 'the port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 4010)
  .option('--host <name>', 'the address to listen on', '127.0.0.1')
  .option(
    '--fixtures <source>',
    'the records to start with: demo, none, or a YAML or JSON file (default: demo)',
  )
  .action(async (options: Common & { port: number; host: string; fixtures?: string }) => {
    const { createMock } = await import('./mock/mock.ts');
    const { listen } = await import('./mock/server.ts');
    const { loadFixtures } = await import('./fixtures/fixtures.ts');
    // The demo club is one of the shipped models; another catalogue starts empty.
    const fixtures = loadFixtures(options.fixtures ?? (options.catalogue === undefined ? 'demo' : 'none'));
    const plan = load(options);
    const mock = await createMock({ ...plan, fixtures });
    const server = await listen(mock, { port: options.port, host: options.host });
    const { models, operations, records } = mock.counts;
    const differs = describeProfile(plan.profile);
    say(`Mock of ${plan.catalogue.title} ${plan.catalogue.version} on ${server.url}`);
    say(`  ${models} models, ${operations} operations, ${records} records`);
    say(`  profile ${profileName(options.profile)}${differs.length > 0 ? ` (${differs.join(', ')})` : ''}`);
    say(`  document ${server.url}/openapi.json and ${server.url}/openapi.yaml`);
    say(`  try      curl ${server.url}${plan.catalogue.base}/${plan.catalogue.models.keys().next().value}`);
    say('Ctrl-C stops it.');
    const stop = () => void server.close().then(() => process.exit(OK));
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });

common(program.command('check'))
  .description('call a live service and check every operation, field, flag and value against the source')
  .argument('<base-url>', 'where the service is, such as http://127.0.0.1:4010')
  .option('--models <names>', 'only these models, separated by commas')
  .option('--json <file>', 'write the results with every case and exchange')
  .option('--bearer <token>', 'send Authorization: Bearer TOKEN')
  .option('--basic <user:password>', 'send Authorization: Basic …')
  .option('--api-key <key>', 'send the key in the header the profile names (auth.header)')
  .option('--header <name: value...>', 'send this header too; may be given several times')
  .option('--timeout <ms>', 'how long an answer may take', wholeNumber(1, 600_000), 10_000)
  .action(async (baseUrl: string, options: Common & CheckOptions) => {
    const { runSuite } = await import('./conformance/run.ts');
    const { createTarget } = await import('./conformance/target.ts');
    const { exitCode } = await import('./conformance/outcome.ts');
    const { renderTerminal } = await import('./conformance/report/terminal.ts');
    const { loadRequirements } = await import('./spec/requirements.ts');
    const plan = load(options);
    const models = options.models?.split(',').map((name) => name.trim());
    const requirements = loadRequirements();
    if (options.json !== undefined) checkWritable(options.json);
    const target = createTarget({ baseUrl, timeout: options.timeout, ...identity(options, plan.profile) });
    const progress = createProgress();
    try {
      for await (const event of runSuite({
        ...plan,
        target,
        profileName: profileName(options.profile),
        ...(models ? { models } : {}),
      })) {
        if (event.type === 'plan')
          progress.start(event.cases, `${event.cases} cases on ${event.models} models, ${target.url}`);
        if (event.type === 'case')
          progress.step(event.result.outcome === 'pass' || event.result.outcome === 'skip');
        if (event.type !== 'end') continue;
        progress.stop();
        if (options.json !== undefined) save(options.json, `${JSON.stringify(event.results, null, 2)}\n`);
        process.stdout.write(renderTerminal(event.results, { color: hasColors(), requirements }));
        process.exitCode = exitCode(event.results);
      }
    } finally {
      progress.stop();
      await target.close();
    }
  });

type CheckOptions = {
  models?: string;
  json?: string;
  bearer?: string;
  basic?: string;
  apiKey?: string;
  header?: string[];
  timeout: number;
};

// A reader that has seen enough, such as head, is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = await report(error as Error);
}

function common(command: Command): Command {
  return command
    .option('--profile <file>', 'a file with the settings that differ from the default profile')
    .option('--catalogue <dir>', 'a directory with a catalogue of your own');
}

function load(options: Common): { catalogue: Catalogue; profile: Profile; references: References } {
  const catalogue = loadCatalogue(options.catalogue);
  const profile = options.profile === undefined ? DEFAULT_PROFILE : loadProfile(options.profile, catalogue);
  return { catalogue, profile, references: loadReferences(catalogue, options.catalogue) };
}

/** The headers that say who asks. */
function identity(options: CheckOptions, profile: Profile): Pick<TargetOptions, 'credentials' | 'headers'> {
  const credentials: Record<string, string> = {};
  if (options.bearer !== undefined) credentials.authorization = `Bearer ${options.bearer}`;
  if (options.basic !== undefined)
    credentials.authorization = `Basic ${Buffer.from(options.basic).toString('base64')}`;
  if (options.apiKey !== undefined) credentials[profile['auth.header'].toLowerCase()] = options.apiKey;
  const headers = (options.header ?? []).map((line) => {
    const [, name, value] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(line) ?? [];
    if (!name || value === undefined)
      throw new UsageError(`--header is ${JSON.stringify(line)}; expected "Name: value"`);
    return [name.toLowerCase(), value];
  });
  // A header a person adds may well be a secret, so it is treated as one.
  return { credentials: { ...Object.fromEntries(headers), ...credentials } };
}

function check(path: string, text: string): void {
  let found: string | undefined;
  try {
    found = readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`${path} can't be read; write it first with: record-model generate -o ${path}`);
  }
  if (found === text) {
    say(`${relative('.', path)} is up to date`);
    return;
  }
  say(`${relative('.', path)} is stale; write it anew with: record-model generate -o ${relative('.', path)}`);
  process.exitCode = NOT_CONFORMANT;
}

/** All or nothing: a reader never sees half a file. */
function save(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new UsageError(
      `${path} can't be written (${(error as NodeJS.ErrnoException).code}); expected a file in a directory that exists`,
    );
  }
}

/** Before a long run, not after it. */
function checkWritable(path: string): void {
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} can't be written: ${dirname(path)} is no directory; create it first`);
}

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`);
  };
}

/** Progress on standard error: a line that is written over in a terminal, a line now and then elsewhere. */
function createProgress(): {
  start(total: number, title: string): void;
  step(good: boolean): void;
  stop(): void;
} {
  const terminal = process.stderr.isTTY === true;
  const pause = terminal ? 100 : 10_000;
  let [total, done, bad, last, open] = [0, 0, 0, 0, false];
  return {
    start(cases, title) {
      total = cases;
      last = Date.now();
      say(title);
    },
    step(good) {
      done++;
      if (!good) bad++;
      if (Date.now() - last < pause) return;
      last = Date.now();
      const line = `${done} of ${total} cases${bad > 0 ? `, ${bad} not passed` : ''}`;
      process.stderr.write(terminal ? `\r\u001b[2K${line}` : `${line}\n`);
      open = terminal;
    },
    stop() {
      if (open) process.stderr.write('\r\u001b[2K');
      open = false;
    },
  };
}

function hasColors(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function report(error: Error): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : USAGE;
  if (error instanceof UsageError || error instanceof FixtureError) {
    say(`record-model: ${error.message}`);
    return USAGE;
  }
  if (error.name === 'Unreachable') {
    say(`record-model: the target can't be reached: ${error.message}`);
    return UNREACHABLE;
  }
  say(`record-model: this is a fault of the kit, please report it:\n${error.stack}`);
  return UNREACHABLE;
}
