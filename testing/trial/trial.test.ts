import { describe, expect, test } from 'vitest';
import { useCommand } from '../use-command.ts';
import { NO_DJANGO, startService } from './start-service.ts';
import { planOf, STEPS, type Step } from './steps.ts';

const { closing, directory, run } = useCommand();

type Seen = Step & {
  readonly number: number;
  readonly exit: number;
  readonly screen: string;
  /** How many the run sent; undefined if it ended before the first case. */
  readonly requests: number | undefined;
};

/** The first steps have no files, so they run next to the others, of which each keeps the list of built models. */
const ALONE = STEPS.findIndex(({ flags }) => flags.includes('--built'));

describe.each([
  ['express', false],
  ['django', NO_DJANGO],
] as const)('a team that builds its service with %s', (framework, isMissing) => {
  test.skipIf(isMissing)('reads at each of ten steps what to do next', async () => {
    directory.write('profile.yaml', '{}\n');
    const models = directory.write('models.json', JSON.stringify(planOf()));
    const seen = await takeSteps((step) => look(framework, step, models));
    for (const { code, exit, first, number, screen } of seen) {
      expect([number, exit]).toEqual([number, code]);
      expect(screen.split('\n').length).toBeLessThanOrEqual(12);
      if (code === 1) expect(screen).toMatch(/^Fix first /m);
      if (first === undefined) expect(screen).not.toMatch(/^Fix first /m);
      else
        expect(screen.split('\n').find((line) => /^(Fix first|record-model:) /.test(line))).toContain(first);
    }
    for (const { code, number, requests } of seen.filter(({ code }) => code === 1)) {
      const green = seen.find((step) => step.number > number && step.exit === 0);
      expect([number, code, requests ?? 0]).toEqual([number, code, expect.any(Number)]);
      expect(requests).toBeLessThanOrEqual(2 * (green?.requests ?? 0));
    }
    await expect(seen.map(render).join('\n')).toMatchFileSnapshot(`${framework}.txt`);
  });
});

async function takeSteps(look: (step: number) => Promise<Seen>): Promise<Seen[]> {
  const numbers = STEPS.map((_, index) => index + 1);
  const withoutList = Promise.all(numbers.slice(0, ALONE).map(look));
  const withList: Seen[] = [];
  for (const number of numbers.slice(ALONE)) withList.push(await look(number));
  return [...(await withoutList), ...withList];
}

/** Starts the service of a step, checks it, and takes the first screen, or the error if there is none. */
async function look(framework: 'express' | 'django', number: number, models: string): Promise<Seen> {
  const step = STEPS[number - 1];
  if (!step) throw new Error(`there is no step ${number}`);
  const { close, url } = closing(await startService(framework, number, models));
  const { code, stderr, stdout } = await run('check', url, ...step.flags);
  await close();
  const [screen = ''] = (stdout === '' ? stderr : stdout).trim().split('\n\n');
  const requests = / (\d+) requests /.exec(screen)?.[1];
  return {
    ...step,
    number,
    exit: code,
    screen: withoutChance(screen),
    requests: requests === undefined ? undefined : Number(requests),
  };
}

/** Returns a screen without what differs from run to run. */
function withoutChance(screen: string): string {
  return screen
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\d+ requests · \d+\.\d s/g, 'N requests · N s')
    .replaceAll(/ tag \w+/g, ' tag TAG')
    .replaceAll(/(found status \d+): .*?…/g, '$1: …')
    .replaceAll(/ {2,}((?:unlocks )?\d+ cases? on )/g, '  $1')
    .replaceAll(/\d{6,}(, f[^ ]*…)?/g, 'N');
}

function render({ exit, flags, number, screen, title }: Seen): string {
  const command = `$ record-model check http://127.0.0.1:PORT ${flags.join(' ')}`;
  return `Step ${number}: ${title}\n${command}\n${screen}\nexit code ${exit}\n`;
}
