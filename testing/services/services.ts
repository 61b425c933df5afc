/** Foreign services for tests of the suite. They are written from only the source, and share no code with the kit. */
import type { Defect } from './defects/defect.ts';
import { DEFECTS } from './defects/defects.ts';
import { startExpress } from './express/express.ts';
import { startFastify } from './fastify/fastify.ts';
import { startJsonServer } from './json-server/json-server.ts';
import { describeOptions, drawOptions, eachOption, type PlainOptions } from './plain/options.ts';
import { startPlain, TOKEN } from './plain/plain.ts';
import type { Service, ServiceOptions } from './service.ts';
import { MODELS } from './source/source.ts';
import { type Disturbance, startUnstable, type UnstableOptions } from './unstable/unstable.ts';

export type ZooService = {
  readonly name: string;
  readonly start: (options?: ServiceOptions) => Promise<Service>;
  /** The defects that have an effect in it. */
  readonly defects: readonly Defect[];
  /** Flags for the command. */
  readonly args?: readonly string[];
};

/** SQLite stores other values in text columns as JSON strings. */
const NOT_IN_SQLITE = ['object-in-text'];
/**
 * Ajv coerces null, and texts of digits, and refuses before there is a record to keep anything in; a delete says yes
 * and nothing else, which it may of what never was too.
 */
const NOT_IN_FASTIFY = [
  ...NOT_IN_SQLITE,
  'null-for-required-text',
  'texts-in-list-of-ids',
  'unknown-id-delete-answers',
  'refused-update-keeps-rest',
];
/**
 * A foreign key refuses what is no id; points in time are whole seconds without a zone, and no second goes by before an
 * update; names are unique.
 */
const NOT_IN_EXPRESS = [
  ...NOT_IN_SQLITE,
  'text-in-link',
  'update-moves-created',
  'time-zone-dropped',
  'update-hits-namesake',
  'delete-takes-namesakes',
];
/**
 * A list is whole unless a page is asked for, and only then it has a total; a list of the first three goes on where it
 * is asked for in parts.
 */
const NOT_IN_JSON_SERVER = [
  'total-counts-the-page',
  'page-shows-first-twice',
  'page-misses-one',
  'list-hides-new',
];

export const ZOO: readonly ZooService[] = [
  { name: 'fastify', start: startFastify, defects: allBut(NOT_IN_FASTIFY) },
  { name: 'express', start: startExpress, defects: allBut(NOT_IN_EXPRESS) },
  { name: 'json-server', start: startJsonServer, defects: allBut(NOT_IN_JSON_SERVER) },
  { name: 'plain', start: startPlain, defects: DEFECTS },
];

/** The plain service in a random dialect, and the same service with one model that returns another status. */
export type Dialect = ZooService & {
  readonly deviation: {
    readonly setting: string;
    readonly model: string;
    readonly start: () => Promise<Service>;
  };
};

/** Returns the plain service in a random dialect. */
export function drawDialect(seed: number): Dialect {
  const dialect = drawOptions(seed);
  const names = [...MODELS.keys()].filter((name) => name !== 'subscriptionTask');
  const [status, other] = (
    [
      ['created', dialect.created === 201 ? 200 : 201],
      ['updated', dialect.updated === 200 ? 202 : 200],
      ['deleted', dialect.deleted === 200 ? 202 : 200],
    ] as const
  )[seed % 3] ?? ['created', 200];
  const model = names[seed % names.length] ?? '';
  return {
    ...plainWith(dialect, `${seed} `),
    deviation: {
      setting: `status.${status}`,
      model,
      start: () => startPlain({ dialect, oddModel: { at: model, dialect: { ...dialect, [status]: other } } }),
    },
  };
}

/** The plain service in each dialect that differs from the usual one in one thing. */
export function eachDialect(): ZooService[] {
  return eachOption().map((dialect) => plainWith(dialect));
}

function plainWith(dialect: PlainOptions, seed = ''): ZooService {
  return {
    name: `plain ${seed}(${describeOptions(dialect)})`,
    start: (options) => startPlain({ ...options, dialect }),
    defects: DEFECTS,
    args: dialect.auth === 'bearer' ? ['--bearer', TOKEN] : [],
  };
}

/** One of the zoo behind an unstable proxy. */
export function behind(
  disturbances: readonly Disturbance[],
  { args = [], defects, name, start }: ZooService,
  unstable: UnstableOptions = {},
): ZooService {
  return {
    name: `${name} behind ${disturbances.join(' and ')}`,
    start: async (options) => {
      const service = await startUnstable(await start(options), disturbances, unstable);
      // The base URL that a redirect leads to, which the kit asks for.
      return disturbances.includes('redirect') ? { ...service, url: `${service.url}/v2` } : service;
    },
    defects,
    args,
  };
}

function allBut(names: readonly string[]): Defect[] {
  return DEFECTS.filter(({ name }) => !names.includes(name));
}
