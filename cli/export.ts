import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { EXPORT_KINDS, EXPORT_NAMES, type ExportName } from '../generator/export/kinds.ts';
import { loadContract } from '../spec/contract.ts';
import { kitFile } from '../spec/files/kit-file.ts';
import { saveFile } from '../spec/files/save-file.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { checkEnding } from './endings.ts';
import { type ContractOptions, contractOptions } from './options.ts';
import { documentOptions, type PublicationOptions, publicationOf, selectionOptions } from './publication.ts';
import { say } from './terminal/console.ts';
import { terminal } from './terminal/terminal.ts';

type ExportFlags = ContractOptions & PublicationOptions & { output: string };

/** A command for each export. */
export function exportCommands(parent: Command): void {
  for (const name of EXPORT_NAMES) {
    const { about, endings, publishes } = EXPORT_KINDS[name];
    const command = selectionOptions(contractOptions(parent.command(name))).description(`write ${about}`);
    if (publishes) documentOptions(command);
    if (endings.length === 0) command.requiredOption('-o, --output <dir>', 'the directory to write to');
    else
      command.option(
        '-o, --output <file>',
        `where to write it (${endings.join(', ')}); - is standard output`,
        '-',
      );
    command.action((options: ExportFlags) => writeExport(name, options));
  }
}

async function writeExport(name: ExportName, options: ExportFlags): Promise<void> {
  const { output } = options;
  checkEnding(output, `export ${name}`);
  const { exportContract } = await import('../generator/export/export.ts');
  const written = await exportContract(name, loadContract(options), {
    ...publicationOf(options),
    diagram: /\.(mmd|mermaid)$/i.test(output) ? 'mermaid' : 'svg',
    renderer: loadRenderer,
  });
  if (typeof written !== 'string') saveAll(output, written);
  else if (output === '-') terminal().stdout.write(written);
  else saveFile(output, written);
}

function saveAll(directory: string, files: ReadonlyMap<string, string>): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${directory} can't be made (${code}); expected a directory to write to`);
  }
  for (const [name, text] of files) saveFile(join(directory, name), text);
  say(`${files.size} files written to ${directory}`);
}

/** Swagger UI lies beside the built code; a clone has it among its packages. */
function loadRenderer(): { script: string; style: string } {
  const built = kitFile('dist/swagger-ui');
  const directory = existsSync(built) ? built : kitFile('node_modules/swagger-ui-dist');
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  return { script: read('swagger-ui-bundle.js'), style: read('swagger-ui.css') };
}
