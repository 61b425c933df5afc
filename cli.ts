#!/usr/bin/env node
/** The command. It reads no other file before it knows that this Node can. */

import module from 'node:module';

/** What needs Prism says so itself: its verbs need Node 24.18. */
const NEEDED = [22, 19] as const;

const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  // A third of the start is compiling, which need not be done each time.
  module.enableCompileCache();
  const { runProcess } = await import('./cli/cli.ts');
  await runProcess();
} else {
  process.stderr.write(
    `record-model: needs Node ${NEEDED.join('.')}.0 or newer; this is ${process.version}\n`,
  );
  process.exitCode = 2;
}
