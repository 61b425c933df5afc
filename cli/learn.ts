import { renderLearned, renderProfile } from '../conformance/learn/learn.ts';
import { loadContract } from '../spec/contract.ts';
import { checkFile } from '../spec/files/save-file.ts';
import { type ConnectionOptions, learnFrom, useService } from './connection/connection.ts';
import { type ContractOptions, needUrl, selectionOf } from './options.ts';
import { writeOutput } from './output.ts';
import { hasColors, NOT_CONFORMANT, say, terminal } from './terminal/terminal.ts';

/** Learns the profile of a service and writes it. */
export async function learn(
  base: string | undefined,
  options: ContractOptions & ConnectionOptions & { output: string },
): Promise<void> {
  const baseUrl = needUrl(base);
  const { output } = options;
  if (output !== '-') checkFile(output, '--output');
  const selection = selectionOf(options);
  await useService(
    baseUrl,
    options,
    loadContract(options),
    async (service) => {
      const learned = await learnFrom(service);
      say(renderLearned(learned, { color: hasColors(terminal().stderr) }));
      const knows = [...learned.settings.values()].some(({ kind }) => kind === 'found');
      // A partial profile would look complete, so none is written.
      if (learned.warning === undefined && knows) return writeOutput(output, renderProfile(learned));
      say(
        `No profile was written, because the responses of ${service.target.url} do not look like this API.`,
      );
      terminal().exitCode = NOT_CONFORMANT;
    },
    { selection },
  );
}
