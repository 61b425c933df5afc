import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MODELS, type Model } from '../services/source/source.ts';
import { startProgram } from '../start-program.ts';
import { useCommand } from '../use-command.ts';

/** The models that the team builds first. Their links lead to each other, or are optional. */
const FIRST = ['customer', 'customerTag', 'customerToTag'];

/** The fields that the bugs of steps 6, 7, and 9 concern. */
const BUGS = { cut: 'customer.street', overwritten: 'customerToTag.fkId', mistyped: 'deposit.balance' };

/** A state of the service, and what its check must say. */
type Step = {
  readonly title: string;
  /** The flags after the URL. */
  readonly flags: readonly string[];
  readonly code: number;
  /** The operation or field that comes first; absent if the step is green. */
  readonly first?: string;
};

const PROFILE = ['--profile', 'profile.yaml', '--explore', '0'];
const THREE = [...PROFILE, '--models', FIRST.join(',')];
const WITH_BASELINE = [...PROFILE, '--baseline', 'known.yaml'];

/** A step that is red because of what comes first. */
const red = (title: string, first: string, flags: readonly string[] = THREE): Step => ({
  title,
  flags,
  code: 1,
  first,
});

/** The way from nothing to a complete service. Its steps count from 1. */
const STEPS: readonly Step[] = [
  {
    title: 'nothing is built',
    flags: PROFILE,
    // The suite takes it for a wrong base URL.
    code: 2,
    first: 'GET http://127.0.0.1:PORT/api/model/accessControlLog',
  },
  red('three models can be listed and retrieved', 'POST /api/model/customer returns 405'),
  red('records can be created', 'POST /api/model/customer/{id} returns 405'),
  red('records can be updated, but with PUT', 'POST /api/model/customer/{id} returns 405'),
  red('records can be updated with POST', 'DELETE /api/model/customer/{id} returns 405'),
  red(
    'records can be deleted, but one string is cut at 20 characters',
    `${BUGS.cut} is cut at 20 characters`,
  ),
  red('no string is cut, but an update overwrites a readonly field', BUGS.overwritten),
  { title: 'three models are complete', flags: WITH_BASELINE, code: 0 },
  red('all models are built, but one field has the wrong type', BUGS.mistyped, PROFILE),
  { title: 'all models are complete', flags: PROFILE, code: 0 },
];

/** Returns a baseline that lists the models that the team does not build first. */
function baselineOf(): string {
  const later = [...MODELS.keys()].filter((name) => !FIRST.includes(name));
  return later.map((name) => `- notBuilt: ${name}\n`).join('');
}

/** The file for `--models` of the services. */
type Plan = typeof BUGS & { readonly first: readonly string[]; readonly models: readonly Model[] };

/** Returns the models of the source and the places of the bugs, for services that import neither. */
function planOf(): Plan {
  return { ...BUGS, first: FIRST, models: [...MODELS.values()] };
}

const { directory, run } = useCommand();

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
  await using service = await startService(number, models);
  const { code, stderr, stdout } = await run('check', service.url, ...step.flags);
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

const named = process.env.DJANGO_PYTHON || undefined;
const python = (named === undefined ? ['python3', '/usr/bin/python3'] : [named]).find(
  (interpreter) => spawnSync(interpreter, ['-c', 'import django']).status === 0,
);

const HOW =
  'install it with: apt-get install -y python3-django — or set DJANGO_PYTHON to a Python that can import it';

/** Starts the Django service at a step in a process; throws with how to get Django if it is missing. */
async function startService(step: number, models: string) {
  if (python === undefined) throw new Error(`${named ?? 'python3'} can't import django; ${HOW}`);
  const service = join(import.meta.dirname, 'django_service.py');
  const flags = ['--step', String(step), '--port', '0', '--models', models];
  return startProgram(python, [service, ...flags], /(http:\S+)\n/);
}
