import { type Command, Option } from 'commander';
import { EXPORT_KINDS, EXPORT_NAMES } from '../generator/export/kinds.ts';
import { contractOptions } from './options.ts';
import { documentOptions, publicationOptions, selectionOptions } from './publication.ts';

/** The verbs that write the contract down, or hold two of them together: `generate`, `export` and `diff`. */
export function writeCommands(program: Command): void {
  publicationOptions(contractOptions(program.command('generate')))
    .description('write the OpenAPI document of the catalogue under a profile')
    .option('-o, --output <file>', 'where to write it; - is standard output', '-')
    .addOption(
      new Option('--format <format>', 'default: by the ending of the file').choices(['yaml', 'json']),
    )
    .option(
      '--check',
      'write nothing; exit 1 unless the file (default: the document of this package) is up to date',
    )
    .action(async (options) => (await import('./generate.ts')).generate(options));

  const exports = program.command('export').description('write the contract in another form than OpenAPI');
  exportCommands(exports);

  program
    .command('diff')
    .description('say what changed from one contract to another, and what of it breaks clients')
    .argument('<old>', 'an OpenAPI document (3.0 or 3.1), a profile, or the directory of a catalogue')
    .argument('<new>', 'the same')
    .option('--profile <file>', 'the profile that catalogues are read under')
    .addOption(new Option('--fail-on <changes>', 'exit 1 when there are such').choices(['breaking', 'any']))
    .action(async (before, after, options) => (await import('./diff.ts')).diff(before, after, options));
}

/** A command for each export. */
function exportCommands(parent: Command): void {
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
    command.action(async (options) => (await import('./export.ts')).writeExport(name, options));
  }
}
