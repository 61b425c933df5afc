import { type Command, Option } from 'commander';
import { EXPORT_KINDS, EXPORT_NAMES } from '../generator/export/export-kinds.ts';
import { ID_FORMATS, OPENAPI_VERSIONS } from '../generator/version.ts';
import { catalogueOption, examples, profileOption } from './options.ts';
import { documentOptions, selectionOptions } from './publication.ts';

/** Adds the verbs that write or compare contracts: `generate`, `export`, and `diff`. */
export function writeCommands(program: Command): void {
  program.commandsGroup('Write the contract:');
  const generate = program
    .command('generate')
    .description('write the OpenAPI document')
    .option('-o, --output <file>', 'write to this file (.yaml, .yml, .json); - is standard output', '-')
    .addOption(
      new Option('--openapi <version>', 'version of OpenAPI (default: 3.1)').choices(OPENAPI_VERSIONS),
    )
    .addOption(
      new Option(
        '--id-format <format>',
        'format of IDs (default: int64, which some tools turn into a BigInt)',
      ).choices(ID_FORMATS),
    )
    .option('--compact', 'leave out examples, links, and extensions (x-…)');
  selectionOptions(profileOption(generate))
    .option(
      '--check',
      'write nothing; exit with 1 unless the file is up to date (without -o: the document of this package)',
    )
    .addOption(
      new Option('--format <format>', 'file format (default: by the ending of the file)').choices([
        'yaml',
        'json',
      ]),
    );
  documentOptions(catalogueOption(generate)).action(async (options) =>
    (await import('./generate.ts')).generate(options),
  );
  examples(generate, 'record-model generate -o openapi.yaml');

  const parent = program
    .command('export')
    .helpCommand(false)
    .usage('<format> [options]')
    .commandsGroup('Formats:')
    .description('write the contract for other tools: TypeScript, JSON Schema, HTML, diagrams');
  for (const name of EXPORT_NAMES) addExport(parent, name);
  examples(parent, 'record-model export types -o api.d.ts', 'record-model export html -o api.html');

  const diff = program
    .command('diff')
    .description('compare two contracts and report which changes break clients')
    .argument('<old>', 'OpenAPI document (3.0 or 3.1), profile, or directory of a catalogue')
    .argument('<new>', 'what to compare it with; the same kinds')
    .addOption(
      new Option('--fail-on <changes>', 'exit with 1 if there are breaking changes, or any changes').choices([
        'breaking',
        'any',
      ]),
    )
    .option('--verbose', 'print each change; by default, similar changes share a line')
    .option('--profile <file>', 'read catalogues under this profile')
    .action(async (before, after, options) => (await import('./diff.ts')).diff(before, after, options));
  examples(diff, 'record-model diff old.yaml new.yaml --fail-on breaking');
}

function addExport(parent: Command, name: (typeof EXPORT_NAMES)[number]): void {
  const { about, endings, example, publishes } = EXPORT_KINDS[name];
  const command = parent.command(name).description(`write ${about}`);
  if (endings.length === 0) command.requiredOption('-o, --output <dir>', 'write to this directory');
  else
    command.option(
      '-o, --output <file>',
      `write to this file (${endings.join(', ')}); - is standard output`,
      '-',
    );
  catalogueOption(selectionOptions(profileOption(command)));
  if (publishes) documentOptions(command);
  command.action(async (options) => (await import('./export.ts')).writeExport(name, options));
  examples(command, `record-model export ${name} -o ${example}`);
}
