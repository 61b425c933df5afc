import type { Command } from 'commander';
import { UsageError } from '../spec/files/usage-error.ts';

const [MAJOR, MINOR] = [24, 18];

/** Prism promises to run on no older Node than this; what needs no Prism does (cli.ts). */
export function needsNodeOfPrism(command: Command): Command {
  return command.hook('preAction', () => {
    const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
    if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return;
    throw new UsageError(
      `${command.name()} needs Node ${MAJOR}.${MINOR}.0 or newer, for Prism; this is ${process.version}. generate, export, diff, check, learn and clean run on it`,
    );
  });
}
