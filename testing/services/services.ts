/** The zoo: services for the suite to be held against, written from the source alone, with no code of the kit. */
import type { Defect } from './defects/defect.ts';
import { DEFECTS } from './defects/defects.ts';
import { startExpress } from './express/express.ts';
import { startFastify } from './fastify/fastify.ts';
import { startJsonServer } from './json-server/json-server.ts';
import { startPlain } from './plain/plain.ts';
import type { Service, ServiceOptions } from './service.ts';

export type ZooService = {
  readonly name: string;
  readonly start: (options?: ServiceOptions) => Promise<Service>;
  /** Those that show in it. */
  readonly defects: readonly Defect[];
};

/** Ajv coerces null, and what it coerces is no text. */
const NOT_IN_FASTIFY = ['null-for-required-text'];
/** A list is whole unless a page is asked for, and only then it has a total. */
const NOT_IN_JSON_SERVER = ['total-counts-the-page', 'page-shows-first-twice'];

export const ZOO: readonly ZooService[] = [
  { name: 'fastify', start: startFastify, defects: allBut(NOT_IN_FASTIFY) },
  { name: 'express', start: startExpress, defects: DEFECTS },
  { name: 'json-server', start: startJsonServer, defects: allBut(NOT_IN_JSON_SERVER) },
  { name: 'plain', start: startPlain, defects: DEFECTS },
];

function allBut(names: readonly string[]): Defect[] {
  return DEFECTS.filter(({ name }) => !names.includes(name));
}
