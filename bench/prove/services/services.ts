import { ZOO, type ZooService } from '../../../testing/services/services.ts';
import { drawSample } from '../trials.ts';
import { type DefectVerdict, tryDefect } from './defects.ts';
import { tryHealthy } from './healthy.ts';
import { createKit, type Kit } from './kit.ts';

export type ZooOptions = {
  /** Only these services. */
  readonly names?: readonly string[];
  /** Only this defect. */
  readonly defect?: string;
  /** So many defects of each service, by lot. */
  readonly sample?: number;
  readonly seed: number;
  /** Takes each line of progress. */
  readonly say: (line: string) => void;
};

/** What came of one service. */
export type ZooRow = {
  readonly name: string;
  readonly healthy: readonly string[];
  readonly cases: number;
  readonly defects: readonly DefectVerdict[];
};

/** Holds the kit against the services of the zoo, healthy and with one defect after the other. */
export async function proveServices(options: ZooOptions): Promise<readonly ZooRow[]> {
  const kit = createKit();
  const rows: ZooRow[] = [];
  try {
    for (const service of ZOO) {
      if (options.names && !options.names.includes(service.name)) continue;
      rows.push(await proveService(kit, service, options));
      const row = rows.at(-1);
      if (row) options.say(describeRow(row));
    }
    return rows;
  } finally {
    kit.close();
  }
}

async function proveService(kit: Kit, service: ZooService, options: ZooOptions): Promise<ZooRow> {
  const { problems, cases } = await tryHealthy(kit, service);
  const wanted = service.defects.filter(
    ({ name }) => options.defect === undefined || name === options.defect,
  );
  const drawn = options.sample === undefined ? wanted : drawSample(wanted, options.sample, options.seed);
  const defects: DefectVerdict[] = [];
  for (const defect of drawn) {
    const verdict = await tryDefect(kit, service, defect, kit.file(`${service.name}.yaml`));
    defects.push(verdict);
    if (!verdict.caught) options.say(`survived ${verdict.name}: ${verdict.instead}`);
  }
  return { name: service.name, healthy: problems, cases, defects };
}

/** `fastify      healthy in 32052 cases   defects: 120 of 121 caught` */
export function describeRow({ cases, defects, healthy, name }: ZooRow): string {
  const caught = defects.filter((verdict) => verdict.caught).length;
  const state =
    healthy.length === 0 ? `healthy in ${cases} cases` : `${healthy.length} false alarms in ${cases} cases`;
  return `${name.padEnd(12)} ${state.padEnd(34)} defects: ${caught} of ${defects.length} caught`;
}

/** What stands against the kit, a line each. */
export function zooProblems(rows: readonly ZooRow[]): string[] {
  return rows.flatMap(({ defects, healthy }) => [
    ...healthy,
    ...defects.filter(({ caught }) => !caught).map(({ instead, name }) => `survived ${name}: ${instead}`),
  ]);
}
