import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const named = process.env.DJANGO_PYTHON || undefined;
const python = (named === undefined ? ['python3', '/usr/bin/python3'] : [named]).find(
  (interpreter) => spawnSync(interpreter, ['-c', 'import django']).status === 0,
);

/** Whether Django is missing. Its tests are then skipped, except in continuous integration. */
export const NO_DJANGO = python === undefined && process.env.CI !== 'true';

const HOW =
  'install it with: apt-get install -y python3-django — or set DJANGO_PYTHON to a Python that can import it';

if (NO_DJANGO) console.warn(`skipped: ${named ?? 'python3'} can't import django; ${HOW}`);

export type Framework = 'express' | 'django';

/** Starts a service at a step in a process; throws with how to get Django if it is missing. */
export async function startService(
  framework: Framework,
  step: number,
  models: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const [command, file] =
    framework === 'express' ? [process.execPath, 'express-service.ts'] : [python, 'django_service.py'];
  if (command === undefined) throw new Error(`${named ?? 'python3'} can't import django; ${HOW}`);
  const flags = ['--step', String(step), '--port', '0', '--models', models];
  const child = spawn(command, [join(import.meta.dirname, file), ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (printed: Buffer) => resolve(String(printed).trim()));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it was ready`)));
  });
  return {
    url,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
