import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../stores/postgres.ts';
import { fileNameOf, patternOf, type Step, stepsOf, trimEnds } from './console-block.ts';
import { type Block, ROOT } from './markdown.ts';

type Server = Step & {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Fulfilled when the process has ended and all its output is read. */
  readonly closed: Promise<unknown>;
};

/** The ports that pages name; each session replaces them with free ones. */
const PORTS = ['4010', '4011', '4012', '5173'];

const PROGRAM_FOLDER = '.programs';

/** Commands that serve until a signal comes. The session runs them in the background. */
const SERVER = /^(?:npm start|npx record-model mock) *(?!.*--list-defects)/;

/** The shell prints this line, with the exit code, after the output of each command. */
const END = '-- end of command --';
const FINISHED = new RegExp(`^([\\s\\S]*?)\\n?${END} (\\d+)\\n`);

/**
 * Programs that a page finds in place of `npx`, `npm`, and `node`. They run the built command, which starts three times
 * as fast as its source.
 */
const PROGRAMS = {
  npx: `[ "$1" != record-model ] && exec ${quote(join(ROOT, 'node_modules/.bin'))}/"$@"
shift
exec ${quote(process.execPath)} ${quote(join(ROOT, 'dist/cli.js'))} "$@"`,
  npm: `shift
exec "$(dirname "$0")/npx" record-model mock "$@"`,
  node: `exec ${quote(process.execPath)} "$@"`,
};

/**
 * Runs the console blocks of a page in one directory, in order, and writes its files. Returns one message for each
 * command whose output or exit code differs from the page.
 */
export async function runPage(directory: string, blocks: readonly Block[]): Promise<string[]> {
  const ports = new Map<string, string>();
  for (const port of PORTS) ports.set(port, String(await freePort()));
  const toFree = (text: string) => replacePorts(text, [...ports]);
  const toShown = (text: string) =>
    replacePorts(
      text,
      [...ports].map(([shown, free]) => [free, shown]),
    );
  const servers = new Map<string, Server>();
  const problems: string[] = [];
  writePrograms(directory);
  const shell = startShell(directory);
  const judge = (file: string, { line, command, shown }: Step, output: string, isPrefix = false) => {
    if (!patternOf(shown, isPrefix).test(trimEnds(toShown(output))))
      problems.push(`${file}:${line}: $ ${command}\nprinted:\n${trimEnds(toShown(output))}`);
  };
  const stop = async (file: string, port: string) => {
    const server = servers.get(port);
    if (!server) return;
    servers.delete(port);
    server.child.kill('SIGINT');
    await server.closed;
    judge(file, server, server.output(), true);
  };
  const file = blocks[0]?.file ?? '';

  try {
    for (const block of blocks) {
      const name = fileNameOf(block);
      if (name !== undefined) {
        mkdirSync(join(directory, dirname(name)), { recursive: true });
        writeFileSync(join(directory, name), `${toFree(block.lines.join('\n'))}\n`);
      }
      if (block.language !== 'console') continue;
      const steps = stepsOf(block);
      for (const [index, step] of steps.entries()) {
        if (SERVER.test(step.command)) {
          const port = portOf(step.command);
          await stop(file, port);
          servers.set(port, await startServer(directory, step, toFree, ports.get(port) ?? port));
          continue;
        }
        const { code, output } = await shell.run(toFree(step.command));
        judge(file, step, output);
        const isExpected = steps[index + 1]?.command === 'echo $?';
        if (code !== 0 && !isExpected)
          problems.push(`${file}:${step.line}: $ ${step.command}\nexit code ${code}`);
      }
    }
  } finally {
    shell.child.kill();
    for (const port of [...servers.keys()]) await stop(file, port);
  }
  return problems;
}

function writePrograms(directory: string): void {
  mkdirSync(join(directory, PROGRAM_FOLDER));
  for (const [name, text] of Object.entries(PROGRAMS))
    writeFileSync(join(directory, PROGRAM_FOLDER, name), `#!/bin/bash\n${text}\n`, { mode: 0o755 });
}

function startShell(cwd: string) {
  const child = spawn('bash', [], { cwd, stdio: ['pipe', 'pipe', 'inherit'], env: environment(cwd) });
  child.stdin.write('exec 2>&1\n');
  let buffered = '';
  let arrived = () => {};
  child.stdout.on('data', (chunk: Buffer) => {
    buffered += chunk;
    arrived();
  });
  child.on('exit', () => arrived());
  let last = 0;
  const run = async (command: string) => {
    // A second command restores the exit code, so that `echo $?` prints it.
    // With the shell's own input, a killed command could leave it unreadable for the shell.
    child.stdin.write(`(exit ${last})\n{ ${command}\n} </dev/null\nprintf '\\n${END} %d\\n' $?\n`);
    for (;;) {
      const [whole, output = '', code = ''] = FINISHED.exec(buffered) ?? [];
      if (whole !== undefined) {
        buffered = buffered.slice(whole.length);
        last = Number(code);
        return { code: last, output: `${output}\n` };
      }
      if (child.exitCode !== null) throw new Error(`bash ended during: ${command}`);
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  };
  return { child, run };
}

async function startServer(
  cwd: string,
  step: Step,
  toFree: (text: string) => string,
  port: string,
): Promise<Server> {
  const command = step.command.includes('--port') ? step.command : `${step.command} --port ${port}`;
  const program = `exec 2>&1; exec ${toFree(command)}`;
  const child = spawn('bash', ['-c', program], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment(cwd),
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  const closed = once(child, 'close');
  // A server listens a moment before it prints that it does.
  const isReady = async () => output.includes('\n') && (await isListening(Number(port)));
  for (let tries = 0; tries < 600 && child.exitCode === null && !(await isReady()); tries++) await wait(50);
  return { ...step, child, output: () => output, closed };
}

/** Only what the commands need, so that variables of a CI system change no output. */
function environment(cwd: string): NodeJS.ProcessEnv {
  return {
    PATH: `${join(cwd, PROGRAM_FOLDER)}:${process.env.PATH}`,
    NO_COLOR: '1',
    HOME: process.env.HOME,
    LANG: 'C.UTF-8',
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled'),
  };
}

function portOf(command: string): string {
  return /--port (\d+)/.exec(command)?.[1] ?? '4010';
}

function replacePorts(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((changed, [from, to]) => changed.replace(new RegExp(`\\b${from}\\b`, 'g'), to), text);
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
