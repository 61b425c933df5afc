import type { Command } from 'commander';
import { UsageError } from '../spec/files/usage-error.ts';

const [MAJOR, MINOR] = [24, 18];

/** Makes a verb that needs Prism fail on a Node that Prism does not support. The other verbs run on Node 22 (cli.ts). */
export function needsNodeOfPrism(command: Command): Command {
  return command.hook('preAction', () => {
    const [major = 0, minor = 0] = process.version.slice(1).split('.').map(Number);
    if (major > MAJOR || (major === MAJOR && minor >= MINOR)) return;
    throw new UsageError(
      `"${command.name()}" needs Node ${MAJOR}.${MINOR}.0 or newer, because Prism does. This is Node ${process.version}, which runs all commands except mock and proxy.`,
    );
  });
}
