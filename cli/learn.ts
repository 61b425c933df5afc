import { renderLearned, renderProfile } from '../conformance/learn/learn.ts';
import { selectedModels } from '../conformance/plan/plan.ts';
import { loadContract } from '../spec/contract.ts';
import { checkFile, saveFile } from '../spec/files/save-file.ts';
import { needUrl } from './config/config-options.ts';
import { connect, sayRemaining } from './connection/connection.ts';
import type { ConnectionOptions } from './connection/connection-options.ts';
import { bindingsOf, learnFrom } from './connection/learn-from.ts';
import { endEarly, hasColors, NOT_CONFORMANT, say } from './terminal/console.ts';
import { isCutShort, isOutOfTime } from './terminal/stopping.ts';
import { terminal } from './terminal/terminal.ts';

/** Learns the profile of a service and writes it. */
export async function learn(
  base: string | undefined,
  options: ConnectionOptions & { output: string; catalogue?: string; models?: string[]; area?: string[] },
): Promise<void> {
  const baseUrl = needUrl(base);
  if (options.output !== '-') checkFile(options.output, '--output');
  const contract = loadContract(options.catalogue === undefined ? {} : { catalogue: options.catalogue });
  const { area, models } = options;
  const selection = { ...(models && { models }), ...(area && { areas: area }) };
  const selected = selectedModels(contract, selection);
  const bindings = bindingsOf(options, contract);
  const connected = await connect(baseUrl, options, contract, endEarly, { selected });
  /** The records that could not be removed if learning ends with an error. */
  let left: readonly string[] = [];
  try {
    const noteLeft = (leftovers: readonly string[]) => {
      left = leftovers;
    };
    const learned = await learnFrom(connected, contract, bindings, noteLeft, selected);
    left = learned.leftovers;
    // A partial profile would look complete, so none is written.
    if (connected.signal.aborted) return endEarly(learned.leftovers, isOutOfTime(connected.signal));
    say(renderLearned(learned, { color: hasColors(process.stderr) }));
    const knows = [...learned.settings.values()].some(({ kind }) => kind === 'found');
    if (learned.warning !== undefined || !knows) {
      say(
        `No profile was written, because the responses of ${connected.target.url} do not look like this API.`,
      );
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
    sayRemaining(connected.journal);
    await connected.target.close();
  }
}
