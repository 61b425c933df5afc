import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExportName } from '../generator/export/entities.ts';
import { exportContract } from '../generator/export/export.ts';
import { swaggerUiFile } from '../generator/export/swagger-ui.ts';
import { loadContract } from '../spec/contract.ts';
import { saveFile } from '../spec/files/save-file.ts';
import { UsageError, whyFailed } from '../spec/files/usage-error.ts';
import { checkEnding, writeOutput } from './output.ts';
import { type PublicationOptions, publicationOf } from './publication.ts';
import { say } from './terminal/terminal.ts';

/** Writes an export to a file, a directory, or standard output. */
export async function writeExport(
  name: ExportName,
  options: PublicationOptions & { output: string },
): Promise<void> {
  const { output } = options;
  checkEnding(output, `export ${name}`);
  const written = await exportContract(name, loadContract(options), {
    ...publicationOf(options),
    renderer: loadRenderer,
  });
  if (typeof written === 'string') writeOutput(output, written);
  else saveAll(output, written);
}

function saveAll(directory: string, files: ReadonlyMap<string, string>): void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new UsageError(
      `The directory ${directory} can't be created because ${whyFailed(error)}. Pass another directory to -o.`,
    );
  }
  for (const [name, text] of files) saveFile(join(directory, name), text);
  say(`Wrote ${files.size} files to ${directory}`);
}

/** Reads Swagger UI. */
function loadRenderer(): { script: string; style: string } {
  const read = (name: string) => readFileSync(swaggerUiFile(name), 'utf8');
  return { script: read('swagger-ui-bundle.js'), style: read('swagger-ui.css') };
}
