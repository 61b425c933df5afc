import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MODELS } from '../services/source/source.ts';
import { startProgram } from '../start-program.ts';
import { useCommand } from '../use-command.ts';

/** The models that the team builds first. Their links lead to each other, or are optional. */
const FIRST = ['customer', 'customerTag', 'customerToTag'];

/** The fields that the bugs of steps 6, 7, and 9 concern. */
const BUGS = { cut: 'customer.street', overwritten: 'customerToTag.fkId', mistyped: 'deposit.balance' };

const PROFILE = ['--profile', 'profile.yaml', '--explore', '0'];
const THREE = [...PROFILE, '--models', FIRST.join(',')];

/**
 * The way from nothing to a complete service, from step 1: the state of the service, the exit code of its check, the
 * operation or field that comes first, and the flags of the check.
 */
const STEPS: readonly (readonly [
  title: string,
  code: number,
  first?: string | undefined,
  flags?: string[],
])[] = [
  // The suite takes it for a wrong base URL.
  ['nothing is built', 2, 'GET http://127.0.0.1:PORT/api/model/accessControlLog', PROFILE],
  ['three models can be listed and retrieved', 1, 'POST /api/model/customer returns 405'],
  ['records can be created', 1, 'POST /api/model/customer/{id} returns 405'],
  ['records can be updated, but with PUT', 1, 'POST /api/model/customer/{id} returns 405'],
  ['records can be updated with POST', 1, 'DELETE /api/model/customer/{id} returns 405'],
  ['records can be deleted, but one string is cut', 1, `${BUGS.cut} is cut at 20 characters`],
  ['no string is cut, but an update overwrites a readonly field', 1, BUGS.overwritten],
  ['three models are complete', 0, undefined, [...PROFILE, '--baseline', 'known.yaml']],
  ['all models are built, but one field has the wrong type', 1, BUGS.mistyped, PROFILE],
  ['all models are complete', 0, undefined, PROFILE],
];

/** Returns a baseline that lists the models that the team does not build first. */
function baselineOf(): string {
  const later = [...MODELS.keys()].filter((name) => !FIRST.includes(name));
  return later.map((name) => `- notBuilt: ${name}\n`).join('');
}

const { directory, run } = useCommand();

test('for a team that uses Django, check shows at each of ten steps what to fix first', async () => {
  directory.write('profile.yaml', 'request.blankStrings: accept\nlist.filter: equality\n');
  directory.write('known.yaml', baselineOf());
  // The services import neither the models of the source nor the places of the bugs.
  const plan = { ...BUGS, first: FIRST, models: [...MODELS.values()] };
  const models = directory.write('models.json', JSON.stringify(plan));
  const seen = await Promise.all(STEPS.map(([, , , flags], index) => look(models, index + 1, flags)));
  for (const [index, [title, code, first]] of STEPS.entries()) {
    const { exit = -1, requests = 0, screen = '' } = seen[index] ?? {};
    const lines = screen.split('\n');
    expect(exit, title).toBe(code);
    expect(lines.length, title).toBeLessThanOrEqual(12);
    const cause = lines.find((line) => line.startsWith(code === 2 ? 'record-model: ' : 'Fix first '));
    if (first === undefined) expect(cause, title).toBeUndefined();
    else expect(cause, title).toContain(first);
    const green = seen.slice(index).find((later) => later.exit === 0);
    expect(requests, title).toBeLessThanOrEqual(2 * (green?.requests ?? 0));
  }
});

/** Returns the exit code of a check at a step, the first screen or the error, and the number of requests. */
async function look(models: string, step: number, flags: readonly string[] = THREE) {
  await using service = await startService(step, models);
  const { code: exit, stderr, stdout } = await run('check', service.url, ...flags);
  const [first = ''] = (stdout || stderr).trim().split('\n\n');
  const screen = first.replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');
  return { exit, screen, requests: Number(/ (\d+) requests /.exec(screen)?.[1] ?? 0) };
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
