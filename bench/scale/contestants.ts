import { join } from 'node:path';
import { type Column, type Paths, PLAIN } from './requests.ts';

const ROOT = join(import.meta.dirname, '../..');
const BIN = join(ROOT, 'node_modules/.bin');

/** The input for the start of a server. */
export type Place = {
  readonly port: number;
  /** The warehouses, as JSON: `{ warehouse: […] }`. */
  readonly records: string;
  /** A separate directory. */
  readonly directory: string;
  /** The address of an empty database, where it asks for one; replicas share it. */
  readonly database: string;
};

export type Contestant = {
  readonly name: string;
  /** The words of one process, the program first; none for the mock in the process of the benchmark. */
  readonly command?: (place: Place) => readonly string[];
  readonly paths: Paths;
  /** How many processes share the load; 1 when absent. */
  readonly replicas?: number;
  /** The most records it is asked to hold; stock Prism holds none. */
  readonly most: number;
  /** The fewest records it is compared with; 0 when absent. */
  readonly fewest?: number;
  /** The number of records that it holds, independent of the others. */
  readonly holds?: number;
  /** Whether it needs a database. */
  readonly database?: true;
  /** Its goals: the minimum ratios to the first server. */
  readonly asked?: Partial<Record<Column, number>>;
};

export const MEMORY = 'memory';
export const MEMORY_WITH_LOG = 'memory, request log as text';
export const MEMORY_OF_FEW = 'memory, 20 records';
export const ONE_REPLICA = 'PostgreSQL';
export const THREE_REPLICAS = 'PostgreSQL, 3 replicas';

const CLI = join(ROOT, 'dist/cli.js');
const ours = ({ port, records }: Place, ...more: string[]) => [
  ...[process.execPath, CLI, 'mock', '--quiet', '--port', String(port), '--fixtures', records],
  ...more,
];
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** The first is what the others are compared with. */
export const CONTESTANTS: readonly Contestant[] = [
  {
    name: 'bare node:http',
    command: ({ port, records }) => [
      process.execPath,
      join(import.meta.dirname, 'bare.ts'),
      String(port),
      records,
    ],
    paths: PLAIN,
    most: NO_LIMIT,
  },
  {
    name: MEMORY_WITH_LOG,
    command: (place) => ours(place).filter((word) => word !== '--quiet'),
    paths: PLAIN,
    most: NO_LIMIT,
    asked: { retrieve: 0.75, 'list of 20': 0.75, create: 0.5 },
  },
  {
    name: MEMORY,
    command: (place) => ours(place),
    paths: PLAIN,
    most: NO_LIMIT,
    asked: { retrieve: 0.7, 'list of 20': 0.75, create: 0.55, update: 0.5 },
  },
  {
    name: MEMORY_OF_FEW,
    command: (place) => ours(place),
    paths: PLAIN,
    most: NO_LIMIT,
    fewest: 1_000_000,
    holds: 20,
  },
  { name: 'memory, in-process fetch', paths: PLAIN, most: NO_LIMIT },
  {
    name: 'SQLite',
    command: (place) => ours(place, '--data', join(place.directory, 'mock.db')),
    paths: PLAIN,
    most: NO_LIMIT,
    asked: { retrieve: 0.4, create: 0.25 },
  },
  {
    name: ONE_REPLICA,
    command: (place) => ours(place, '--data', place.database),
    paths: PLAIN,
    most: NO_LIMIT,
    database: true,
  },
  {
    name: THREE_REPLICAS,
    command: (place) => ours(place, '--data', place.database),
    paths: PLAIN,
    replicas: 3,
    most: NO_LIMIT,
    database: true,
  },
  {
    name: 'Prism, stock',
    command: ({ port }) => [
      join(BIN, 'prism'),
      'mock',
      '-p',
      String(port),
      '-v',
      'silent',
      join(ROOT, 'dist/openapi.json'),
    ],
    paths: PLAIN,
    most: 20,
  },
];
