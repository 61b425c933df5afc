/** Foreign services for tests of the suite. They are written from only the source, and share no code with the kit. */
import type { Defect } from './defects/defect.ts';
import { DEFECTS } from './defects/defects.ts';
import { describeOptions, drawOptions, eachOption, type PlainOptions, readOptions } from './plain/options.ts';
import { startPlain, TOKEN } from './plain/plain.ts';
import type { Service, ServiceOptions } from './service.ts';

export type ForeignService = {
  readonly name: string;
  readonly start: (options?: ServiceOptions) => Promise<Service>;
  /** The defects that have an effect in it. */
  readonly defects: readonly Defect[];
  /** Flags for the command. */
  readonly args?: readonly string[];
};

/** Like many backends over SQL: a delete marks the record, whose name stays taken, or is refused while others need it. */
const OVER_SQL = [
  ...['bool=int', 'datetime=space', 'unique=names', 'linksLead=to records', 'referred=restrict'],
  ...['envelope=data', 'paging=$limit', 'size=20', 'total=body', 'filter=equality', 'errors=simple'],
  ...['unknownFields=ignore', 'noOperation=404', 'deletedReadable=false'],
];

/** No link is a text, points in time are whole seconds without a zone, and names are unique. */
const NOT_OVER_SQL = [
  'text-in-link',
  'update-moves-created',
  'time-zone-dropped',
  'update-hits-namesake',
  'delete-takes-namesakes',
];

export const FOREIGN_SERVICES: readonly ForeignService[] = [
  {
    ...plainWith(readOptions(OVER_SQL)),
    name: 'sql',
    defects: DEFECTS.filter(({ name }) => !NOT_OVER_SQL.includes(name)),
  },
  { name: 'plain', start: startPlain, defects: DEFECTS },
];

/** The plain service in a random dialect. */
export type Dialect = ForeignService & {
  /** The number of runs that it takes at once: with lines in the newest invoice, whosever it is, each run disturbs another. */
  readonly runs: 1 | 2;
};

/** Returns the plain service in a random dialect. */
export function drawDialect(seed: number): Dialect {
  const dialect = drawOptions(seed);
  return { ...plainWith(dialect, `${seed} `), runs: dialect.loneLines === 'join the newest' ? 1 : 2 };
}

/** The plain service in each dialect that differs from the usual one in one thing. */
export function eachDialect(): ForeignService[] {
  return eachOption().map((dialect) => plainWith(dialect));
}

function plainWith(dialect: PlainOptions, seed = ''): ForeignService {
  return {
    name: `plain ${seed}(${describeOptions(dialect)})`,
    start: (options) => startPlain({ ...options, dialect }),
    defects: DEFECTS,
    args: dialect.auth === 'bearer' ? ['--bearer', TOKEN] : [],
  };
}
