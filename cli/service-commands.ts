import type { Command } from 'commander';
import { checkOptions } from './check/check-options.ts';
import { withConfig } from './config/config-options.ts';
import { accessOptions, consentOptions, requestOptions } from './connection/connection-options.ts';
import { catalogueOption, examples, profileOption, wholeNumber, words } from './options.ts';

const BASE_URL =
  'base URL of the service, such as http://127.0.0.1:4010, or a target in record-model.yaml (default: url in that file)';

/** Adds the verbs that call a service: `check`, `learn`, `capture`, and `clean`; and `init`, which writes their options. */
export function serviceCommands(program: Command): void {
  program.commandsGroup('Check a service:');
  const check = program
    .command('check')
    .summary('check a live service against the contract')
    .description('check a live service against the contract; without --profile, learn its profile first')
    .argument('[base-url]', BASE_URL);
  withConfig(checkOptions(check), async () => (await import('./check/check.ts')).checkService);
  examples(
    check,
    'record-model check http://127.0.0.1:4010',
    'record-model check https://staging.example.com --write --profile my-service.yaml --html report.html',
  );

  const compare = program
    .command('compare')
    .description('show what changed from one run of check to another; exit with 1 if there are new failures')
    .argument('<old>', 'results of the earlier run, from check --json')
    .argument('<new>', 'results of the later run')
    .option('--markdown <file>', 'write the changes as Markdown for a pull request; - is standard output')
    .action(async (...args) => (await import('./compare.ts')).compare(args[0], args[1], args[2]));
  examples(compare, 'record-model compare monday.json today.json');

  const learn = program
    .command('learn')
    .description('detect the profile of a live service')
    .argument('[base-url]', BASE_URL)
    .option('-o, --output <file>', 'write the profile to this file; - is standard output', '-')
    .option('--models <names>', 'prefer these models for the requests, separated by commas', words)
    .option('--area <names>', 'prefer the models of these areas, separated by commas', words);
  withConfig(
    requestOptions(accessOptions(catalogueOption(consentOptions(learn)))),
    async () => (await import('./learn.ts')).learn,
  );
  examples(learn, 'record-model learn http://127.0.0.1:4010 -o my-service.yaml');

  const capture = program
    .command('capture')
    .description('read the records of a live service into a fixtures file for the mock')
    .argument('[base-url]', BASE_URL)
    .option(
      '-o, --output <file>',
      'write the fixtures to this file (.yaml, .yml, .json); - is standard output',
      '-',
    )
    .option(
      '--models <names>',
      'read only these models, separated by commas, and records they link to',
      words,
    )
    .option('--area <names>', 'read only the models of these areas, separated by commas', words)
    .option(
      '--limit <number>',
      'maximum number of records per model, without those that others link to; 0 reads all',
      wholeNumber(0, 1_000_000),
      100,
    )
    .option('--keep-strings', 'keep all strings as they are, with the names and addresses of people')
    .option(
      '--concurrency <number>',
      'maximum number of requests at once (default: 16 on this machine, 4 elsewhere)',
      wholeNumber(1, 100),
    );
  withConfig(
    accessOptions(catalogueOption(profileOption(capture))),
    async () => (await import('./capture/capture.ts')).capture,
  );
  examples(
    capture,
    'record-model capture https://api.example.com --profile my-service.yaml -o fixtures.yaml',
  );

  const clean = program
    .command('clean')
    .description('delete the records that an interrupted run left behind')
    .argument('<journal>', 'list of records that the run created, such as record-model-leftovers-k3f9.jsonl')
    .option('--dry-run', 'print what would be deleted; send only GET requests')
    .option('--write', 'allow deletes on a service that is not on this machine, or is behind a proxy');
  withConfig(accessOptions(catalogueOption(clean)), async () => (await import('./clean.ts')).cleanUp, {
    baseOf: async (file) => (await import('../conformance/records/journal.ts')).targetOf(file),
  });
  examples(clean, 'record-model clean record-model-leftovers-k3f9.jsonl --dry-run');

  const init = program
    .command('init')
    .description('write record-model.yaml, with the options of the commands that use a service')
    .argument('[base-url]', 'base URL of the service (default: http://127.0.0.1:4010)')
    .action(async (url) => (await import('./init.ts')).init(url));
  examples(init, 'record-model init http://127.0.0.1:4010');
}
