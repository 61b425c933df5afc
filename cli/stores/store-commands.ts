import { type Command, Option } from 'commander';
import { contractOptions, words } from '../options.ts';

const PLACE = 'where mock --data keeps its records: a file, or postgres://…';

/** The verbs for stores that no mock has open: `dump` and `load`. */
export function storeCommands(program: Command): void {
  contractOptions(program.command('dump'))
    .description('write the records of a store as fixtures')
    .argument('<data>', PLACE)
    .option('-o, --output <file>', 'where to write them (.yaml, .yml, .json); - is standard output', '-')
    .option('--session <name>', 'the session whose records are meant (default: the one that all share)')
    .option('--models <names>', 'only these models, separated by commas', words)
    .action(async (data, options) => (await import('./stores.ts')).dump(data, options));

  contractOptions(program.command('load'))
    .description('put fixtures in a store: what all share, and what sessions begin with')
    .argument('<data>', PLACE)
    .argument('<fixtures...>', 'demo, or YAML or JSON files or directories of them; of several the later win')
    .option('--replace', 'remove the records that are there')
    .option('--lenient', 'fill the required fields that fixtures lack')
    .addOption(
      new Option('--references <how>', 'links that lead nowhere: warn of them, or refuse them')
        .choices(['warn', 'check'])
        .default('warn'),
    )
    .action(async (data, fixtures, options) => (await import('./stores.ts')).load(data, fixtures, options));
}
