import type { ZooService } from '../../../testing/services/services.ts';
import { describeSaid, type Kit } from './kit.ts';
import { compare } from './repeat.ts';

/** One line for each false alarm of the kit on a conforming service, and the number of judged cases. */
export type HealthyVerdict = { readonly problems: readonly string[]; readonly cases: number };

const TIMES = 2;

/** Both ways, twice in a row on the same records: `check` alone, and `check` under what `learn` wrote. */
export async function tryHealthy(
  kit: Kit,
  { args: told = [], name, start }: ZooService,
  { more = [], times = TIMES }: { readonly more?: readonly string[]; readonly times?: number } = {},
): Promise<HealthyVerdict> {
  const service = await start();
  const problems: string[] = [];
  let cases = 0;
  const before = service.live();
  const look = (what: string) =>
    problems.push(...compare(service, before).map((line) => `${name}, ${what}: ${line}`));
  try {
    const profile = profileOf(name);
    for (let time = 1; time <= times; time++) {
      const learned = await kit.learn(service.url, profile, told);
      if (learned.code !== 0) problems.push(`${name}, learn: ${describeSaid(learned)}`);
      look('after learn');
      for (const args of [['--profile', kit.file(profile)], []]) {
        const what = `${args.length > 0 ? 'by the learned file' : 'check alone'}, run ${time}`;
        const said = await kit.check(service.url, [...told, ...more, ...args]);
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

/** The name of the profile file that `learn` writes for a service. */
export function profileOf(name: string): string {
  return `${name.split(' ').slice(0, 2).join('-')}.yaml`;
}
