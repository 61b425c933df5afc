import type { ZooService } from '../../../testing/services/services.ts';
import { describeSaid, type Kit } from './kit.ts';

/** What stands against the kit on a service that breaks nothing, a line each; `cases` were judged. */
export type HealthyVerdict = { readonly problems: readonly string[]; readonly cases: number };

const TIMES = 2;

/** Both ways, twice in a row on the same records: `check` alone, and `check` under what `learn` wrote. */
export async function tryHealthy(kit: Kit, { name, start }: ZooService): Promise<HealthyVerdict> {
  const service = await start();
  const problems: string[] = [];
  let cases = 0;
  const before = service.live();
  const look = (what: string) => {
    const left = service.live();
    const lost = before.filter((id) => !left.includes(id));
    const more = left.filter((id) => !before.includes(id));
    if (lost.length > 0) problems.push(`${name}, ${what}: gone ${lost.slice(0, 5).join(', ')}`);
    if (more.length > 0)
      problems.push(`${name}, ${what}: ${more.length} left behind, such as ${more.slice(0, 5).join(', ')}`);
  };
  try {
    const profile = `${name}.yaml`;
    for (let time = 1; time <= TIMES; time++) {
      const learned = await kit.learn(service.url, profile);
      if (learned.code !== 0) problems.push(`${name}, learn: ${describeSaid(learned)}`);
      look('after learn');
      for (const args of [['--profile', kit.file(profile)], []]) {
        const what = `${args.length > 0 ? 'by the learned file' : 'check alone'}, run ${time}`;
        const said = await kit.check(service.url, args);
        cases += said.cases.length;
        if (said.code !== 0) problems.push(`${name}, ${what}: ${describeSaid(said)}`);
        look(what);
      }
    }
    return { problems, cases };
  } finally {
    await service.close();
  }
}
