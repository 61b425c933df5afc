#!/usr/bin/env node
/** The command. It reads no other file before it knows that this Node can. */

const NEEDED = [24, 18] as const;

const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) await import('./cli/program.ts');
else {
  process.stderr.write(
    `record-model: needs Node ${NEEDED.join('.')}.0 or newer; this is ${process.version}\n`,
  );
  process.exitCode = 2;
}
