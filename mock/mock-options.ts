import type { Fixtures } from '../fixtures/fixtures.ts';
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
import { readTime } from '../spec/types/times.ts';
import type { FaultRule } from './control/faults/fault-rule.ts';
import type { Exchanged } from './control/request-log/request-log-view.ts';
import type { State } from './control/sessions/state.ts';
import type { Decoration } from './decoration.ts';
import type { ForwardOptions } from './forwarding/forwarding.ts';
import type { Wanted } from './generated/generated.ts';
import { LONGEST_DELAY } from './prism/prism.ts';
import type { Routes } from './routes.ts';
import type { User } from './users/users.ts';

/** Options of a mock. All are optional. */
export type MockOptions = ContractSource & {
  /**
   * The first records, by model, in the form of the default profile; or `demo`; or paths of files and directories, of
   * which later ones win. By default there are none.
   */
  readonly fixtures?: Fixtures | State | string | readonly string[] | undefined;
  /** The number of records to generate in addition, for some models or for each. `seed` determines them. */
  readonly records?: Wanted | undefined;
  /**
   * Where records, sessions, and snapshots are stored: the path of a SQLite file, which the mock creates if there is
   * none, or the address of a PostgreSQL database (`postgres://…`). Fixtures and `records` fill only a new one. Without
   * `data`, the mock keeps everything in memory.
   */
  readonly data?: string | undefined;
  /**
   * `normal` (default): an acknowledged write survives the end of the process. `full`: also a power failure.
   */
  readonly dataSync?: 'normal' | 'full' | undefined;
  /** The origin in image URLs of generated and demo records. The default is `http://127.0.0.1:4010`. */
  readonly origin?: string | undefined;
  /** Whether the mock fills in required fields that fixtures, or the records of `setState`, lack. */
  readonly lenient?: boolean | undefined;
  /** Whether links of fixtures to missing records are mistakes. By default they are warnings. */
  readonly checkLinks?: boolean | undefined;
  /** The time at the start of each session, such as `2026-01-01T00:00:00Z`. The default is the time of `clock`. */
  readonly now?: Date | string | undefined;
  /** The clock of all sessions. The default is that of the system. */
  readonly clock?: () => Date;
  /** The users with their rights, or the path of a file with them. If absent, any credentials are accepted. */
  readonly users?: readonly User[] | string | undefined;
  /** The maximum length of a body, in bytes. The default is 1 MiB. */
  readonly bodyLimit?: number;
  /** The heap of the process, in MiB, above which writes get 507. By default, only Node limits the heap. */
  readonly maxMemory?: number | undefined;
  /** The number of exchanges that each session keeps. The default is 1000; 0 keeps none. */
  readonly requestLog?: number | undefined;
  /**
   * Maximum number of sessions in addition to the shared one; 1000 when absent. A new one never replaces one with
   * writes.
   */
  readonly maxSessions?: number | undefined;
  /** Milliseconds without use after which a session is dropped. The default is an hour. */
  readonly sessionIdle?: number | undefined;
  /** The faults at the start of each session. */
  readonly faults?: readonly FaultRule[] | undefined;
  /** Milliseconds before each response of the API. */
  readonly latency?: FaultRule['delay'] | undefined;
  /** The seed of generated records, delays, and probabilities. The default is 1. */
  readonly seed?: number | undefined;
  /** Whether the mock serves `/__mock`. With a token, other machines can use it. */
  readonly control?: { readonly token?: string } | false | undefined;
  /** The service that answers some models, or all, in place of the mock. */
  readonly forward?: ForwardOptions | undefined;
  /**
   * Endpoints that the API lacks, such as a login: `{ 'POST /api/login': (request) => Response.json({ token: 'a' }) }`.
   * The request log, faults, and sessions apply to them.
   */
  readonly routes?: Routes | undefined;
  /** Called from time to time while new data is filled. */
  readonly onFill?: ((progress: { readonly records: number; readonly total: number }) => void) | undefined;
  /** Called for each exchange of the API, in all sessions. */
  readonly onExchange?: ((exchange: Exchanged) => void) | undefined;
  /** Called for each error inside the mock. The client gets a 500. */
  readonly onError?: (error: unknown) => void;
  /** Wrappers around the layers of the mock, such as a defect (`defects.ts`). */
  readonly decoration?: Decoration;
};

/** Adds the demo records, which fit only the built-in catalogue. Other fixtures replace them. */
export function withDemoRecords(options: MockOptions): MockOptions {
  return options.catalogue ? options : { ...options, fixtures: options.fixtures ?? 'demo' };
}

const isNumberFrom = (least: number) => (value: unknown) => typeof value === 'number' && value >= least;
const isMilliseconds = (value: unknown): value is number => isCount(value) && Number(value) <= LONGEST_DELAY;

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
  requestLog: ['a whole number from 0', isCount],
  maxSessions: ['a whole number from 0', isCount],
  sessionIdle: ['a number of milliseconds from 0', isNumberFrom(0)],
  faults: ['a list of faults', Array.isArray],
  latency: [
    `milliseconds from 0 to ${LONGEST_DELAY}, or { min, max }`,
    (value) =>
      isMilliseconds(value) ||
      (isObject(value) && isMilliseconds(value.min) && isMilliseconds(value.max) && value.min <= value.max),
  ],
  seed: ['a whole number', Number.isSafeInteger],
  control: [
    '{ token } or false',
    (value) => value === false || (isObject(value) && (value.token === undefined || isString(value.token))),
  ],
  forward: ['an object with the url of a service', (value) => isObject(value) && isString(value.url)],
  routes: [
    'functions by method and path, such as { "POST /api/login": (request) => new Response() }',
    (value) => isObject(value) && Object.values(value).every(isFunction),
  ],
  onFill: ['a function', isFunction],
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

/** Returns the first records by model, and the mistakes in their files. */
export function completeFixtures(fixtures: MockOptions['fixtures'] = []): CollectedFixtures {
  if (typeof fixtures === 'string') return collectFixtures([fixtures]);
  if (Array.isArray(fixtures)) return collectFixtures(fixtures);
  const records = fixtures instanceof Map ? fixtures : new Map(Object.entries(fixtures));
  return { fixtures: records, mistakes: [] };
}
