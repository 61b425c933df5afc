import { renderLearned, renderProfile } from '../conformance/learn/render-learned.ts';
import { loadContract } from '../spec/contract.ts';
import { checkFile, saveFile } from '../spec/files/save-file.ts';
import { connect } from './connection/connection.ts';
import type { ConnectionOptions } from './connection/connection-options.ts';
import { bindingsOf, learnFrom } from './connection/learn-from.ts';
import { endEarly, hasColors, NOT_CONFORMANT, say } from './terminal/console.ts';
import { isCutShort, isOutOfTime } from './terminal/stopping.ts';
import { terminal } from './terminal/terminal.ts';

/** Finds out a profile and writes it. */
export async function learn(
  baseUrl: string,
  options: ConnectionOptions & { output: string; catalogue?: string },
): Promise<void> {
  if (options.output !== '-') checkFile(options.output, '--output');
  const contract = loadContract(options.catalogue === undefined ? {} : { catalogue: options.catalogue });
  const bindings = bindingsOf(options, contract);
  const connected = await connect(baseUrl, options, contract, endEarly);
  /** What learning could not remove, where it ends with an error. */
  let left: readonly string[] = [];
  try {
    const learned = await learnFrom(connected, contract, bindings, (leftovers) => {
      left = leftovers;
    });
    left = learned.leftovers;
    // Half a profile would look like a whole one.
    if (connected.signal.aborted) return endEarly(learned.leftovers, isOutOfTime(connected.signal));
    say(renderLearned(learned, { color: hasColors(process.stderr) }));
    const knows = [...learned.settings.values()].some(({ kind }) => kind === 'found');
    if (learned.doubt !== undefined || !knows) {
      say('No profile is written: what answers there shows none of this interface');
      terminal().exitCode = NOT_CONFORMANT;
      return;
    }
    const text = renderProfile(learned);
    if (options.output === '-') terminal().stdout.write(text);
    else saveFile(options.output, text);
  } catch (error) {
    if (!isCutShort(error, connected.signal)) throw error;
    endEarly(left, isOutOfTime(connected.signal));
  } finally {
    connected.journal.finish(left);
    await connected.target.close();
  }
}
