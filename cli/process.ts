import { main } from './program.ts';
import { say, UNREACHABLE } from './terminal/console.ts';

/** Runs the command that this process was started with. */
export async function runProcess(): Promise<void> {
  let isCutOff = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as head, is no fault.
    if (error.code === 'EPIPE' || isCutOff) return;
    isCutOff = true;
    say(`record-model: standard output can't be written: ${error.message}`);
    process.exitCode ||= UNREACHABLE;
  });
  // There is nobody left to tell.
  process.stderr.on('error', () => {});
  await main(process.argv.slice(2));
}
