import { type Command, Option } from 'commander';
import { catalogueOption, examples, profileOption, words } from '../options.ts';

const PLACE = 'data of mock --data: a SQLite file, or postgres://…';

/** Adds the verbs for data that no mock is using: `dump` and `load`. */
export function storeCommands(program: Command): void {
  program.commandsGroup('Move mock data:');
  const dump = program
    .command('dump')
    .description('write the records of a mock as fixtures')
    .argument('<data>', PLACE)
    .option('-o, --output <file>', 'write to this file (.yaml, .yml, .json); - is standard output', '-')
    .option('--session <name>', 'write the records of this session (default: the shared session)')
    .option('--models <names>', 'write only these models, separated by commas', words);
  catalogueOption(profileOption(dump)).action(async (data, options) =>
    (await import('./stores.ts')).dump(data, options),
  );
  examples(dump, 'record-model dump mock.db -o club.yaml');

  const load = program
    .command('load')
    .description('load fixtures into the data of a mock; new sessions start from them')
    .argument('<data>', PLACE)
    .argument('<fixtures...>', 'demo, YAML or JSON files, or directories of them; later ones win')
    .option('--replace', 'delete the existing records first')
    .option('--lenient', 'fill in required fields that fixtures leave out')
    .addOption(
      new Option('--references <how>', 'warn about links to missing records, or check and reject them')
        .choices(['warn', 'check'])
        .default('warn'),
    );
  catalogueOption(profileOption(load)).action(async (data, fixtures, options) =>
    (await import('./stores.ts')).load(data, fixtures, options),
  );
  examples(load, 'record-model load mock.db club.yaml --replace');
}
