/** Foreign services for tests of the suite. They are written from only the source, and share no code with the kit. */
import type { Defect } from './defects/defect.ts';
import { DEFECTS } from './defects/defects.ts';
import { describeOptions, drawOptions, eachOption, type PlainOptions, readOptions } from './plain/options.ts';
import { startPlain, TOKEN } from './plain/plain.ts';
import type { Service, ServiceOptions } from './service.ts';
import { MODELS } from './source/source.ts';

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

/** The plain service in a random dialect, and the same service with one model that returns another status. */
export type Dialect = ForeignService & {
  /** The number of runs that it takes at once: with lines in the newest invoice, whosever it is, each run disturbs another. */
  readonly runs: 1 | 2;
  readonly deviation: {
    readonly setting: string;
    readonly model: string;
    readonly start: () => Promise<Service>;
  };
};

/** Returns the plain service in a random dialect. */
export function drawDialect(seed: number): Dialect {
  const dialect = drawOptions(seed);
  // The kit has no form for numbers that are shown as texts, so models that need them are not judged.
  const isUnread = ({ type }: { readonly type: string }) =>
    dialect.shows === 'decimals as texts' && /^(currency|percent)$/.test(type);
  const names = [...MODELS.values()]
    .filter(({ fields, name }) => name !== 'subscriptionTask' && !fields.some(isUnread))
    .map(({ name }) => name);
  const [status, other] = (
    [
      ['created', dialect.created === 201 ? 200 : 201],
      ['updated', dialect.updated === 200 ? 202 : 200],
      ['deleted', dialect.deleted === 200 ? 202 : 200],
    ] as const
  )[seed % 3] ?? ['created', 200];
  // An update that changes nothing shows no other status where it is refused.
  const shows = (name: string) =>
    status !== 'updated' ||
    dialect.noChange !== 'refused' ||
    MODELS.get(name)?.fields.some(({ readonly }) => !readonly) === true;
  const shown = names.filter(shows);
  const model = shown[seed % shown.length] ?? '';
  return {
    ...plainWith(dialect, `${seed} `),
    runs: dialect.loneLines === 'join the newest' ? 1 : 2,
    deviation: {
      setting: `status.${status}`,
      model,
      start: () => startPlain({ dialect, oddModel: { at: model, dialect: { ...dialect, [status]: other } } }),
    },
  };
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
