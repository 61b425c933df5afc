import { type CollectedFixtures, collectFixtures } from '../fixtures/fixtures.ts';
import { CONTRACT_FORMS, type Contract, type ContractSource, loadContract } from '../spec/contract.ts';
import {
  checkOptions,
  isBoolean,
  isCount,
  isFunction,
  isListOf,
  isObject,
  isString,
  type OptionForm,
} from '../spec/files/check-options.ts';
import type { Exchanged } from './control/exchange-line.ts';
import { type FaultRule, LONGEST_DELAY } from './control/faults/fault-rule.ts';
import { readTime } from './control/sessions/clock.ts';
import type { Ongoing } from './control/sessions/sessions.ts';
import type { State } from './control/sessions/state.ts';
import type { Decoration } from './decoration.ts';
import type { Wanted } from './generated/generated.ts';
import type { Fixtures } from './seed/seed-record.ts';
import type { User } from './users/users.ts';

/** What a mock is made of; all of it may be left out. */
export type MockOptions = ContractSource & {
  /**
   * Records to begin with, by model, in the form of the default profile, or where they are: `demo`, or the paths of
   * files or directories, of which later ones win. None when absent.
   */
  readonly fixtures?: Fixtures | State | string | readonly string[] | undefined;
  /** Records that are made beside them, in Spanish: so many of some models, or of each; `seed` decides which. */
  readonly records?: Wanted | undefined;
  /**
   * Where records, sessions and snapshots are kept beyond the process: the path of a SQLite file, which is made when
   * there is none, or the address of a PostgreSQL database (`postgres://…`). Fixtures and `records` fill a new one alone. In memory when absent.
   */
  readonly data?: string | undefined;
  /** When a write lasts: once the process may die (`normal`, when absent), or once the power may fail too (`full`). */
  readonly dataSync?: 'normal' | 'full' | undefined;
  /** Where pages reach the mock, for the pictures of those records; `http://127.0.0.1:4010` when absent. */
  readonly origin?: string | undefined;
  /** Whether required fields that fixtures lack are filled. */
  readonly lenient?: boolean | undefined;
  /** Whether links of fixtures that lead nowhere are mistakes; they are warnings when absent. */
  readonly checkLinks?: boolean | undefined;
  /** The time that every session begins at, as `2026-01-01T00:00:00Z`, and runs from; the clock's own when absent. */
  readonly now?: Date | string | undefined;
  /** The clock that all sessions run by; the system's when absent. */
  readonly clock?: () => Date;
  /** Who may ask, or the path of a file that says so; whoever has credentials at all when absent. */
  readonly users?: readonly User[] | string | undefined;
  /** The longest body that is taken, in bytes; 1 MiB when absent. */
  readonly bodyLimit?: number;
  /** The heap of the process in MiB beyond which writes are answered with 507; no bound but Node's own when absent. */
  readonly maxMemory?: number | undefined;
  /** How many exchanges each session keeps; 1000 when absent, 0 for none. */
  readonly journal?: number | undefined;
  /** Maximum number of sessions in addition to the shared one; 1000 when absent. A new one never replaces one with writes. */
  readonly maxSessions?: number | undefined;
  /** Milliseconds after which a session that nobody used goes; an hour when absent. */
  readonly sessionIdle?: number | undefined;
  /** The faults that every session begins with. */
  readonly faults?: readonly FaultRule[] | undefined;
  /** Milliseconds before every answer of the contract. */
  readonly latency?: FaultRule['delay'] | undefined;
  /** What generated records, delays and probabilities are drawn from: the same seed gives the same. 1 when absent. */
  readonly seed?: number | undefined;
  /** Whether `/__mock` is there; a token lets others than this machine use it. */
  readonly control?: { readonly token?: string } | false | undefined;
  /** Of a mock whose place this one takes (`ongoingOf`): clocks, faults and journals that go on. */
  readonly ongoing?: Ongoing | undefined;
  /** Told of each exchange with the contract, in all sessions. */
  readonly onExchange?: ((exchange: Exchanged) => void) | undefined;
  /** Told of mistakes in the mock itself, each of which is answered with 500. */
  readonly onError?: (error: unknown) => void;
  /** What stands around the layers of the mock, such as a defect (`defects.ts`). */
  readonly decoration?: Decoration;
};

/** Adds the demo records, which fit only the built-in catalogue. Other fixtures replace them. */
export function withDemoRecords(options: MockOptions): MockOptions {
  return options.catalogue ? options : { ...options, fixtures: options.fixtures ?? 'demo' };
}

const isNumberFrom = (least: number) => (value: unknown) => typeof value === 'number' && value >= least;
const isMilliseconds = (value: unknown): value is number => isCount(value) && Number(value) <= LONGEST_DELAY;

/** What each option expects. */
const FORMS: Readonly<Record<keyof MockOptions, OptionForm>> = {
  ...CONTRACT_FORMS,
  fixtures: [
    'demo, paths, or records by model',
    (value) => isString(value) || isListOf(isString)(value) || isObject(value),
  ],
  records: [
    'a whole number from 0, or one for each of some models',
    (value) => isCount(value) || (isObject(value) && Object.values(value).every(isCount)),
  ],
  data: ['the path of a file or the address of a database', isString],
  dataSync: ['normal or full', (value) => value === 'normal' || value === 'full'],
  origin: [
    'a URL such as http://127.0.0.1:4010',
    (value) => isString(value) && /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
  ],
  lenient: ['true or false', isBoolean],
  checkLinks: ['true or false', isBoolean],
  now: [
    'a Date or a time from 1970 to 9999, such as 2026-01-01T00:00:00Z',
    (value) => (isString(value) || value instanceof Date) && readTime(value) !== undefined,
  ],
  clock: ['a function that returns a Date', isFunction],
  users: ['a list of users or the path of a file', (value) => isString(value) || Array.isArray(value)],
  bodyLimit: ['a whole number from 0', isCount],
  maxMemory: ['a number above 0', isNumberFrom(Number.MIN_VALUE)],
  journal: ['a whole number from 0', isCount],
  maxSessions: ['a whole number from 0', isCount],
  sessionIdle: ['a number of milliseconds from 0', isNumberFrom(0)],
  faults: ['a list of faults', Array.isArray],
  latency: [
    `milliseconds from 0 to ${LONGEST_DELAY}, or { min, max }`,
    (value) => isMilliseconds(value) || (isObject(value) && isRange(value)),
  ],
  seed: ['a whole number', Number.isSafeInteger],
  control: [
    '{ token } or false',
    (value) => value === false || (isObject(value) && (value.token === undefined || isString(value.token))),
  ],
  ongoing: ['a Map', (value) => value instanceof Map],
  onExchange: ['a function', isFunction],
  onError: ['a function', isFunction],
  decoration: ['an object', isObject],
};

/** The options of a mock, checked, with its contract and the time of its start. */
export type ReadOptions = Omit<MockOptions, keyof ContractSource | 'now'> & {
  readonly now?: Date | undefined;
};

/** Throws UsageError for an unknown option, and for a value that doesn't fit. */
export function readOptions(given: MockOptions): readonly [ReadOptions, Contract] {
  checkOptions(given, FORMS);
  const { catalogue, now, profile, references, ...options } = given;
  return [
    { ...options, now: now === undefined ? undefined : readTime(now) },
    loadContract({ catalogue, profile, references }),
  ];
}

function isRange({ max, min }: Readonly<Record<string, unknown>>): boolean {
  return isMilliseconds(min) && isMilliseconds(max) && min <= max;
}

/** The records to begin with, by model, and what is wrong with the files they are from. */
export function completeFixtures(fixtures: MockOptions['fixtures'] = []): CollectedFixtures {
  if (typeof fixtures === 'string') return collectFixtures([fixtures]);
  if (Array.isArray(fixtures)) return collectFixtures(fixtures);
  const records = fixtures instanceof Map ? fixtures : new Map(Object.entries(fixtures));
  return { fixtures: records, mistakes: [] };
}

/** Two starts give the same bytes: what has no date of its own was created on the day of the version. */
export function startOf({ clock, now }: ReadOptions, version: string): Date {
  if (now) return now;
  if (clock) return clock();
  const day = new Date(version);
  return Number.isNaN(day.getTime()) ? new Date(0) : day;
}
