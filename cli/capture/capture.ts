import { Readable } from 'node:stream';
import { learnedTerms } from '../../conformance/learn/learn.ts';
import { oneLine, plural } from '../../conformance/results/text.ts';
import { createMock } from '../../mock/mock.ts';
import { FixtureMistakes } from '../../mock/seed/read-seeds.ts';
import type { Field, TypeName } from '../../spec/catalogue/field.ts';
import { type Contract, loadContract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { valueListOf, WIRE_TYPES } from '../../spec/types/types.ts';
import {
  type AccessOptions,
  type ConnectedService,
  learnFrom,
  useService,
} from '../connection/connection.ts';
import { asWord, type ContractOptions, needUrl, selectionOf } from '../options.ts';
import { fixtureWriter } from '../stores.ts';
import { throwIfStopped } from '../terminal/stopping.ts';
import { INCONCLUSIVE, NOT_CONFORMANT, say, terminal, UNREACHABLE, warn } from '../terminal/terminal.ts';
import { type Fixture, type ReadRecords, readService } from './read-service.ts';

type Records = ReadRecords['records'];

type CaptureOptions = ContractOptions & AccessOptions & { output: string; limit: number; keepStrings?: true };

/** Reads the records of a service, and writes them as fixtures. Sends only GET requests. */
export async function capture(base: string | undefined, options: CaptureOptions): Promise<void> {
  const baseUrl = needUrl(base);
  const write = fixtureWriter(options.output, 'capture');
  const work = async (service: ConnectedService) => {
    const profile = await profileFor(service, options);
    if (profile === undefined) return;
    const found = await readService(service, profile, options.limit || Number.POSITIVE_INFINITY);
    throwIfStopped(service.signal);
    const { url } = service.target;
    if (found.records.size === 0) {
      reportSkipped(found);
      say(`${url} has no records in these models. No file was written.`);
      terminal().exitCode = found.skipped.every(({ isAbsent }) => isAbsent) ? NOT_CONFORMANT : UNREACHABLE;
      return;
    }
    // A learned profile can have texts of the service as the values of a list.
    const records = options.keepStrings ? found.records : replaceTexts(found.records, service);
    const parts = [...records].map(([model, all]) => ({ model, records: all }));
    await write(Readable.from(parts));
    await report(found, records, { ...service, profile }, options, url);
  };
  await useService(baseUrl, { ...options, readOnly: true }, loadContract(options), work, {
    selection: selectionOf(options),
  });
}

/** Returns the profile of the service, learned if no file has it; undefined if the service is not this API. */
async function profileFor(
  service: ConnectedService,
  { profile }: CaptureOptions,
): Promise<Profile | undefined> {
  if (profile !== undefined) return service.profile;
  const learned = await learnFrom(service);
  if (learned.warning === undefined) return learnedTerms(learned).profile;
  say(
    `No file was written, because the responses of ${service.target.url} do not look like this API: ${oneLine(learned.warning)}`,
  );
  terminal().exitCode = NOT_CONFORMANT;
  return undefined;
}

async function report(
  found: ReadRecords,
  records: Records,
  contract: Contract,
  { catalogue, keepStrings, output, profile }: CaptureOptions,
  url: string,
): Promise<void> {
  const count = [...records.values()].reduce((sum, all) => sum + all.length, 0);
  const where = output === '-' ? 'standard output' : output;
  say(`Wrote ${plural(count, 'record')} of ${plural(records.size, 'model')} of ${url} to ${where}`);
  say(
    keepStrings
      ? 'Warning: all texts are as in the service, with the names and addresses of people.'
      : 'All strings are replaced. Numbers, dates, links, and values of lists are kept.',
  );
  reportSkipped(found);
  warn([...found.invalid].map(([field, times]) => `${plural(times, 'invalid value')} of ${field} left out`));
  const { dangling, isLenient, mistakes } = await tryToLoad(records, contract);
  warn([...mistakes, ...dangling]);
  const isComplete = found.skipped.every(({ isAbsent }) => isAbsent) && mistakes.length === 0;
  if (!isComplete) terminal().exitCode = INCONCLUSIVE;
  const flags = [
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(catalogue === undefined ? [] : ['--catalogue', catalogue]),
    ...(isLenient ? ['--lenient'] : []),
    ...(dangling.length === 0 ? ['--references', 'check'] : []),
  ];
  if (output !== '-')
    say(`To load it: record-model mock --fixtures ${[output, ...flags].map(asWord).join(' ')}`);
}

function reportSkipped({ skipped }: ReadRecords): void {
  const absent = skipped.filter(({ isAbsent }) => isAbsent);
  if (absent.length > 0)
    say(
      `Skipped, because the service doesn't have them: ${absent.map(({ model, why }) => `${model} (${why})`).join(', ')}`,
    );
  const partial = skipped.filter(({ isAbsent }) => !isAbsent);
  warn(partial.map(({ model, why }) => `${model} is incomplete: ${why}`));
}

/** Starts a mock with the fixtures. Returns links to missing records, and the errors that the mock would report. */
async function tryToLoad(
  records: Records,
  { catalogue, profile, references }: Contract,
  isLenient = false,
): Promise<{ isLenient: boolean; mistakes: string[]; dangling: string[] }> {
  const fixtures = { catalogue, profile, references, fixtures: records, lenient: isLenient };
  try {
    await using mock = await createMock(fixtures);
    return { isLenient, mistakes: [], dangling: mock.warnings.map(withoutPlace) };
  } catch (error) {
    if (!(error instanceof FixtureMistakes)) throw error;
    if (!isLenient) return tryToLoad(records, { catalogue, profile, references }, true);
    return { isLenient, mistakes: error.mistakes.map(withoutPlace), dangling: [] };
  }
}

/** Removes the place of a line, because the records come from no file. */
function withoutPlace(line: string): string {
  return line.replace(/^fixtures: /, '');
}

/** The types whose strings have a form that no other text fits. */
const FORMAL: readonly TypeName[] = ['date', 'datetime', 'time', 'duration'];

/**
 * Replaces every string with a new one of its type. The name of its field does not matter. Dates, times, and values of a list stay.
 * Equal strings stay equal. No replacement is one of the strings that were replaced. The same records give the same
 * replacements, which follow from the order of the strings only.
 */
function replaceTexts(records: Records, { catalogue, profile }: Contract): Records {
  const originals = new Set([...records.values()].flat().flatMap((record) => Object.values(record)));
  const replaced = new Map<string, string | undefined>();
  let number = 0;
  return new Map([...records].map(([model, all]) => [model, all.map((one) => replaceIn(model, one))]));

  function replaceIn(model: string, record: Fixture): Fixture {
    const made = { ...record };
    for (const field of catalogue.models.get(model)?.fields ?? []) {
      const value = record[field.name];
      if (!isReplaced(field, value)) continue;
      const key = `${field.type} ${value}`;
      if (!replaced.has(key)) replaced.set(key, create(field));
      const other = replaced.get(key);
      if (other === undefined) delete made[field.name];
      else made[field.name] = other;
    }
    return made;
  }

  /** Returns a new string; undefined if all are in use, because the profile allows only few. */
  function create(field: Field): string | undefined {
    if (field.type === 'fkModel') return undefined;
    for (let tries = 0; tries <= originals.size; tries++) {
      number += 1;
      const made = String(WIRE_TYPES[field.type].sample(number, { field, profile }));
      if (!originals.has(made)) return made;
    }
    return undefined;
  }

  function isReplaced(field: Field, value: unknown): value is string {
    if (typeof value !== 'string' || FORMAL.includes(field.type)) return false;
    if (field.type === 'fkModel' && catalogue.models.has(value)) return false;
    const list = valueListOf({ field, profile });
    return !list?.some((choice) => choice.value === value);
  }
}
