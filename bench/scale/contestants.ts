import { join } from 'node:path';
import { MOCKOON, type Paths, PLAIN } from './requests.ts';

const ROOT = join(import.meta.dirname, '../..');
const BIN = join(ROOT, 'node_modules/.bin');

/** What a server is started with. */
export type Place = {
  readonly port: number;
  /** The warehouses, as JSON: `{ warehouse: […] }`. */
  readonly records: string;
  /** A directory of its own. */
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
  /** The most records it is asked to hold; static mocks hold none, and json-server writes all of them at each write. */
  readonly most: number;
  /** Whether it needs a database. */
  readonly database?: true;
};

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
  { name: 'memory', command: (place) => ours(place), paths: PLAIN, most: NO_LIMIT },
  { name: 'memory, in-process fetch', paths: PLAIN, most: NO_LIMIT },
  {
    name: 'SQLite',
    command: (place) => ours(place, '--data', join(place.directory, 'mock.db')),
    paths: PLAIN,
    most: NO_LIMIT,
  },
  {
    name: 'PostgreSQL',
    command: (place) => ours(place, '--data', place.database),
    paths: PLAIN,
    most: 100_000,
    database: true,
  },
  {
    name: 'PostgreSQL, 3 replicas',
    command: (place) => ours(place, '--data', place.database),
    paths: PLAIN,
    replicas: 3,
    most: 100_000,
    database: true,
  },
  {
    name: 'Prism, stock',
    command: ({ port }) => [
      join(BIN, 'prism'),
      ...['mock', '-p', String(port), '-v', 'silent', join(ROOT, 'dist/openapi.json')],
    ],
    paths: PLAIN,
    most: 20,
  },
  {
    name: 'json-server 0.17',
    command: ({ port, records }) => [
      join(BIN, 'json-server'),
      ...['--quiet', '--port', String(port), '--host', '127.0.0.1', records],
    ],
    paths: {
      collection: '/warehouse',
      list: '_limit=20&_page=1',
      page: 'comments=s7&_sort=name&_order=desc&_limit=20',
      update: 'PUT',
    },
    most: 10_000,
  },
  {
    name: 'Mockoon',
    command: ({ port, records }) => [
      process.execPath,
      join(import.meta.dirname, 'others/mockoon.js'),
      String(port),
      records,
    ],
    paths: MOCKOON,
    most: 100_000,
  },
  {
    name: 'Scalar mock',
    command: ({ port }) => [
      process.execPath,
      join(import.meta.dirname, 'others/scalar.js'),
      String(port),
      join(ROOT, 'dist/openapi.json'),
    ],
    paths: PLAIN,
    most: 20,
  },
];
