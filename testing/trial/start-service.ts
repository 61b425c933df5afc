import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const named = process.env.DJANGO_PYTHON || undefined;
const python = (named === undefined ? ['python3', '/usr/bin/python3'] : [named]).find(
  (interpreter) => spawnSync(interpreter, ['-c', 'import django']).status === 0,
);

const HOW =
  'install it with: apt-get install -y python3-django — or set DJANGO_PYTHON to a Python that can import it';

/** Starts the Django service at a step in a process; throws with how to get Django if it is missing. */
export async function startService(
  step: number,
  models: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  if (python === undefined) throw new Error(`${named ?? 'python3'} can't import django; ${HOW}`);
  const flags = ['--step', String(step), '--port', '0', '--models', models];
  const child = spawn(python, [join(import.meta.dirname, 'django_service.py'), ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (printed: Buffer) => resolve(String(printed).trim()));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it was ready`)));
  });
  return {
    url,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
