import { expect, test } from 'vitest';
import { useCommand } from '../use-command.ts';
import { startService } from './start-service.ts';
import { baselineOf, planOf, STEPS, type Step } from './steps.ts';

const { closing, directory, run } = useCommand();

type Seen = Step & {
  readonly number: number;
  readonly exit: number;
  /** The first screen, or the error if there is none. */
  readonly screen: string;
  /** How many the run sent; absent if it ended before the first case. */
  readonly requests?: number;
};

test('a team that uses Django reads at each of ten steps what to fix first', async () => {
  directory.write('profile.yaml', 'request.blankStrings: accept\nlist.filter: equality\n');
  directory.write('known.yaml', baselineOf());
  const models = directory.write('models.json', JSON.stringify(planOf()));
  const seen = await Promise.all(STEPS.map((step, index) => look(models, step, index + 1)));
  for (const step of seen) judge(step, seen);
  await expect(seen.map(render).join('\n')).toMatchFileSnapshot('django.txt');
});

async function look(models: string, step: Step, number: number): Promise<Seen> {
  const { close, url } = closing(await startService(number, models));
  const { code, stderr, stdout } = await run('check', url, ...step.flags);
  await close();
  const [screen = ''] = (stdout || stderr).trim().split('\n\n');
  const requests = / (\d+) requests /.exec(screen)?.[1];
  return {
    ...step,
    number,
    exit: code,
    screen: withoutChance(screen),
    ...(requests === undefined ? {} : { requests: Number(requests) }),
  };
}

function judge({ code, exit, first, number, requests, screen }: Seen, seen: readonly Seen[]): void {
  const about = `step ${number}`;
  const lines = screen.split('\n');
  expect(exit, about).toBe(code);
  expect(lines.length, about).toBeLessThanOrEqual(12);
  const cause = lines.find((line) => line.startsWith(code === 2 ? 'record-model: ' : 'Fix first '));
  if (first === undefined) expect(cause, about).toBeUndefined();
  else expect(cause, about).toContain(first);
  const green = seen.find((later) => later.number >= number && later.exit === 0);
  if (code !== 2) expect(requests, about).toBeLessThanOrEqual(2 * (green?.requests ?? 0));
}

/** Returns a screen without the parts that differ between runs. */
function withoutChance(screen: string): string {
  return (
    screen
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
      // A case can need that no other case has records of its model at that moment.
      .replaceAll(/^\d+ pass · \d+ skip/gm, 'N pass · N skip')
      .replaceAll(/\d+ requests · \d+\.\d s/g, 'N requests · N s')
      .replaceAll(/ tag \w+/g, ' tag TAG')
      .replaceAll(/any value but \d+/g, 'any value but N')
      .replaceAll(/\("\d+(\.\d+)?"\)/g, '("N")')
      .replaceAll(/(found status \d+): .*?…/g, '$1: …')
      .replaceAll(/ {2,}((?:unlocks )?\d+ cases? on )/g, '  $1')
  );
}

function render({ exit, flags, number, screen, title }: Seen): string {
  const command = `$ record-model check http://127.0.0.1:PORT ${flags.join(' ')}`;
  return `Step ${number}: ${title}\n${command}\n${screen}\nexit code ${exit}\n`;
}
