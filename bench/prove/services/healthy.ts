import { opened } from '../../../testing/services/http-server.ts';
import type { Dialect, ZooService } from '../../../testing/services/services.ts';
import { compare, describeSaid, type Kit, type Said } from './kit.ts';

/** One line for each false alarm of the kit on a conforming service, and the number of judged cases. */
export type HealthyVerdict = { readonly problems: readonly string[]; readonly cases: number };

const TIMES = 2;

/** Both ways, twice in a row on the same records: `check` alone, and `check` under what `learn` wrote. */
export async function tryHealthy(
  kit: Kit,
  { args: told = [], name, start }: ZooService,
  { more = [], times = TIMES }: { readonly more?: readonly string[]; readonly times?: number } = {},
): Promise<HealthyVerdict> {
  await using service = await opened(start());
  const problems: string[] = [];
  let cases = 0;
  const before = service.live();
  // Parents that the service created for lines are listed, and stay.
  const listed = new Set<string>();
  const look = (what: string, { text }: Said) => {
    for (const [record] of text.matchAll(/\w+\/\d+/g)) listed.add(record);
    const left = compare(service, before, (record) => listed.has(record));
    problems.push(...left.map((line) => `${name}, ${what}: ${line}`));
  };
  const profile = profileOf(name);
  for (let time = 1; time <= times; time++) {
    const learned = await kit.learn(service.url, profile, told);
    if (learned.code !== 0) problems.push(`${name}, learn: ${describeSaid(learned)}`);
    look('after learn', learned);
    for (const args of [['--profile', kit.file(profile)], []]) {
      const what = `${args.length > 0 ? 'by the learned file' : 'check alone'}, run ${time}`;
      const said = await kit.check(service.url, [...told, ...more, ...args]);
      cases += said.cases.length;
      if (said.code !== 0) problems.push(`${name}, ${what}: ${describeSaid(said)}`);
      look(what, said);
    }
  }
  return { problems, cases };
}

/**
 * Two runs at once under the file that `learn` wrote must pass. The same file must fail for the service with a deviation,
 * and name it. Returns the mistakes.
 */
export async function tryLearned(
  kit: Kit,
  { args: told = [], deviation, name, runs, start }: Dialect,
): Promise<string[]> {
  const { model, setting } = deviation;
  await using service = await opened(start());
  await using odd = await opened(deviation.start());
  const profile = profileOf(name);
  const learned = await kit.learn(service.url, profile, told);
  if (learned.code !== 0) return [`${name}, learn: ${describeSaid(learned)}`];
  const args = [...told, '--profile', kit.file(profile)];
  const said = await Promise.all(Array.from({ length: runs }, () => kit.check(service.url, args)));
  const failed = said.filter(({ code }) => code !== 0);
  const noticed = await kit.check(odd.url, [...args, '--models', model]);
  const isNamed = noticed.cases.some(
    ({ id, outcome }) => outcome === 'fail' && id.startsWith(`profile.${setting}:${model}`),
  );
  return [
    ...failed.map((said) => `${name}, ${runs} at once: ${describeSaid(said)}`),
    ...(noticed.code === 1 && isNamed
      ? []
      : [`${name}, ${model} with another ${setting}: ${describeSaid(noticed)}`]),
  ];
}

/** The name of the profile file that `learn` writes for a service. */
export function profileOf(name: string): string {
  return `${name.split(' ').slice(0, 2).join('-')}.yaml`;
}
