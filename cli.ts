#!/usr/bin/env node
/** The command. It checks the version of Node before it loads any other file. */

/** The oldest Node that runs all commands. */
const NEEDED = [22, 19] as const;

/**
 * Flags of V8 for a short run, which ends before most of TurboFan's work pays off. A Node that doesn't know them would
 * print an error, and Node 22 would be slower.
 */
const FLAGS = ['--invocation-count-for-turbofan=30000', '--always-sparkplug'];
const HAS_FLAGS = 24;

const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  const isShort = process.argv[2] === 'check' && major === HAS_FLAGS;
  const load = process.getBuiltinModule;
  if (isShort) for (const flag of FLAGS) load('node:v8').setFlagsFromString(flag);
  // Compiling takes a third of the start, so the code is cached, separately for each set of flags.
  const { enableCompileCache } = load('node:module');
  // Deno lacks it.
  enableCompileCache?.(
    isShort ? load('node:path').join(load('node:os').tmpdir(), 'node-compile-cache', 'check') : undefined,
  );
  const { runProcess } = await import('./cli/cli.ts');
  await runProcess();
} else {
  process.stderr.write(
    `record-model: needs Node ${NEEDED.join('.')}.0 or newer; this is ${process.version}\n`,
  );
  process.exitCode = 2;
}
