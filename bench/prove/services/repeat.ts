import { startExpress } from '../../../testing/services/express/express.ts';
import type { Service } from '../../../testing/services/service.ts';
import { describeSaid, type Kit, type Said } from './kit.ts';

/** The result of several runs on one database. */
export type RepeatVerdict = { readonly runs: number; readonly problems: readonly string[] };

/**
 * Checks one service again and again: names that stay taken by what is deleted, and a database that grows. The verdict
 * has to be the same each time, and nothing may be left behind.
 */
export async function tryRepeated(
  kit: Kit,
  runs: number,
  args: readonly string[] = [],
): Promise<RepeatVerdict> {
  const service = await startExpress();
  const problems: string[] = [];
  const before = service.live();
  try {
    let first: string | undefined;
    for (let run = 1; run <= runs; run++) {
      const said = await kit.check(service.url, args);
      const verdict = describeVerdict(said);
      first ??= verdict;
      if (said.code !== 0) problems.push(`run ${run}: ${describeSaid(said)}`);
      else if (verdict !== first) problems.push(`run ${run} is ${verdict}; expected ${first} as in run 1`);
      problems.push(...compare(service, before).map((line) => `run ${run}: ${line}`));
    }
    return { runs, problems };
  } finally {
    await service.close();
  }
}

/** `exit 0: 8010 pass, 120 skip` */
function describeVerdict({ cases, code }: Said): string {
  const counts = new Map<string, number>();
  for (const { level, outcome } of cases) {
    const what = level === 'advice' ? `advice ${outcome}` : outcome;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return `exit ${code}: ${[...counts]
    .toSorted()
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')}`;
}

/** Returns the differences to the records before the run, except those that the run reported. */
export function compare(
  service: Service,
  before: readonly string[],
  isSaid: (id: string) => boolean = () => false,
): string[] {
  const now = new Set(service.live());
  const then = new Set(before);
  const gone = before.filter((id) => !now.has(id));
  const left = [...now].filter((id) => !then.has(id) && !isSaid(id));
  return [
    ...(gone.length > 0 ? [`${gone.length} records are gone, such as ${gone.slice(0, 5).join(', ')}`] : []),
    ...(left.length > 0
      ? [`${left.length} records are left behind, such as ${left.slice(0, 5).join(', ')}`]
      : []),
  ];
}

/** Whether a run reported a record as left behind: itself, its parent, or a record of its model with an unknown ID. */
export function isNamed(record: string, left: readonly string[]): boolean {
  const [name = ''] = record.split('/');
  return left.some((one) => {
    const [model = '', id = ''] = one.split('/');
    if (one === record || name === `${model}Line`) return true;
    return name === model && !/^\d+$/.test(id);
  });
}
