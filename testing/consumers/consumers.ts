import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generateDocument } from '../../generator/generate.ts';
import { OPENAPI_VERSIONS } from '../../generator/version.ts';
import { templateOf } from '../../spec/binding.ts';
import { type Contract, loadContract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { demo as records } from '../demo.ts';
import { coverProfiles } from '../profile/profile-cover.ts';
import type { Consumer, Outcome } from './consumer.ts';
import { callTools } from './mcp.ts';
import { GENERATED_CLIENTS } from './openapi-generator.ts';
import { VIEWED_PAGES } from './pages.ts';
import { sendFromPostman } from './postman.ts';
import { proxyByPrism } from './prism-proxy.ts';
import { drawSamples, readWithSchemas } from './samples.ts';
import { installTools } from './tools.ts';
import { runExportedTypes, runHeyApi, runOpenapiTypescript, runOrval } from './typed-client.ts';
import { readWithKubb, readWithZodClient } from './zod-readers.ts';

/**
 * Tries the document and the exports with tools that others own, by what comes out, and prints a table: consumer, what
 * was done with it, and how it went under profiles far from each other. The default profile has every model; the others
 * share the models among them. `--sample` takes a few models and the quick consumers, a version a profile in turn.
 * `--only NAME` takes the consumers whose names begin so. Exit code 1 when any has a fault.
 */

const PROFILES = 5;
const BOTH = OPENAPI_VERSIONS;

const PROGRAM = {
  done: 'requests of a program, compiled and run on the mock',
  versions: BOTH,
  isQuick: false,
} as const;
const READER = { done: 'records of the mock, read', versions: ['3.1'], isQuick: false } as const;
const isJson = (profile: Profile) => profile['request.encoding'] === 'json';

const CONSUMERS: readonly Consumer[] = [
  {
    name: 'prism proxy --errors',
    done: 'requests of whole records, through it to the mock',
    versions: BOTH,
    isQuick: true,
    // It reads no form with objects in a list, as lines are.
    takes: (profile) => isJson(profile) || profile['types.lines'] === 'ids',
    run: proxyByPrism,
  },
  {
    name: 'openapi-to-postmanv2, newman',
    done: 'requests of the collection, sent to the mock',
    versions: BOTH,
    isQuick: true,
    // In the order of the collection, a record is deleted before others that link to it are created. The converter
    // writes no list into a form.
    takes: (profile) => profile['request.references'] !== 'reject' && isJson(profile),
    run: sendFromPostman,
  },
  {
    ...PROGRAM,
    name: 'export types, openapi-fetch',
    versions: ['3.1'],
    isQuick: true,
    run: runExportedTypes,
  },
  { ...PROGRAM, name: 'openapi-typescript, openapi-fetch', run: runOpenapiTypescript },
  // It writes other forms.
  { ...PROGRAM, name: '@hey-api/openapi-ts', takes: isJson, run: runHeyApi },
  { ...PROGRAM, name: 'orval', takes: isPlain, run: runOrval },
  // It reads the integers 0 and 1 as strings.
  {
    ...READER,
    name: 'kubb, Zod',
    versions: BOTH,
    takes: (profile) => profile['types.bool'] !== 'int',
    run: readWithKubb,
  },
  // In 3.0, it writes a union of numbers or null that it then treats as a number.
  { ...READER, name: 'openapi-zod-client', run: readWithZodClient },
  {
    name: 'openapi-mcp-generator',
    done: 'tools, called by a client of the protocol',
    versions: BOTH,
    isQuick: false,
    // It takes credentials from variables.
    takes: (profile) => isPlain(profile) && profile.auth === 'none',
    run: callTools,
  },
  { ...READER, name: 'export schemas, Ajv strict', isQuick: true, run: readWithSchemas },
  {
    name: 'openapi-sampler',
    done: 'samples drawn, all valid',
    versions: BOTH,
    isQuick: false,
    run: drawSamples,
  },
  ...GENERATED_CLIENTS,
  ...VIEWED_PAGES,
];

/** Their clients write JSON, and have no place for a version. */
function isPlain(profile: Profile): boolean {
  return isJson(profile) && profile.version === 'none';
}

const { values: flags } = parseArgs({
  options: { sample: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});
installTools(flags.sample);
const whole = loadContract();
const trials = farProfiles(whole, PROFILES).map((profile, number) => ({
  profile,
  contract: { ...whole, profile },
  names: modelsOf(number),
  versions: flags.sample ? BOTH.filter((_, index) => index === number % BOTH.length) : BOTH,
}));

say(`# profiles: 0 the default with ${trials[0]?.names.length} models, and ${PROFILES - 1} far from it`);
const failed: string[] = [];
const chosen = CONSUMERS.filter(
  ({ isQuick, name }) => name.startsWith(flags.only) && (isQuick || !flags.sample),
);
if (chosen.length === 0) failed.push(`no consumer begins with ${flags.only}`);
for (const consumer of chosen) {
  const cells: string[] = [];
  for (const number of trials.keys()) cells.push(await tryWith(consumer, number));
  say(`${consumer.name.padEnd(34)}${cells.map((cell) => cell.padStart(11)).join('')}  ${consumer.done}`);
}
for (const fault of failed) say(`  ${fault}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** All models for the default; the others have a part each, and lines come with their parents. */
function modelsOf(number: number): string[] {
  const share = flags.sample ? 30 : PROFILES - 1;
  const isWhole = number === 0 && !flags.sample;
  return [...whole.catalogue.models.keys()].filter((_, index) => isWhole || index % share === number % share);
}

/** Returns the count for each version, such as `262/262`, and marks errors. */
async function tryWith(consumer: Consumer, number: number): Promise<string> {
  const { contract, names, versions } = trials[number] as (typeof trials)[number];
  if (consumer.takes?.(contract.profile) === false) return '–';
  const cells: string[] = [];
  for (const openapi of consumer.versions.length === 1 ? consumer.versions : versions) {
    using directory = mkdtempDisposableSync(join(tmpdir(), 'record-model-'));
    const document = generateDocument(contract, { openapi, records, selection: { models: names } });
    const models = [...whole.catalogue.models.values()].filter(
      (model) => templateOf(whole.catalogue.base, model, 'list') in document.paths,
    );
    const trial = { contract, models, openapi, document, records, directory: directory.path };
    const { count, faults: found } = await consumer.run(trial).catch(toFault);
    const faults = count === 0 && found.length === 0 ? ['nothing was done'] : found;
    cells.push(`${count}${faults.length === 0 ? '' : `!${faults.length}`}`);
    failed.push(...faults.map((fault) => `${consumer.name}, profile ${number}, ${openapi}: ${fault}`));
  }
  return cells.join('/');
}

function toFault(error: unknown): Outcome {
  return { count: 0, faults: [error instanceof Error ? error.message : String(error)] };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns the default profile, and the profiles that differ most from it and from each other. */
function farProfiles({ catalogue, profile }: Contract, count: number): Profile[] {
  const cover = coverProfiles(catalogue);
  const chosen = [profile];
  while (chosen.length < count) {
    const nearness = (one: Profile) => Math.min(...chosen.map((other) => differences(one, other)));
    const [farthest = profile] = cover.toSorted((one, other) => nearness(other) - nearness(one));
    chosen.push(farthest);
  }
  return chosen;
}

function differences(one: Profile, other: Profile): number {
  const names = Object.keys(one) as (keyof Profile)[];
  return names.filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name])).length;
}
