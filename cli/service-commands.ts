import type { Command } from 'commander';
import { FORMATS } from '../conformance/report/report.ts';
import { accessOptions, consentOptions, MANIFEST, requestOptions } from './connection/connection-options.ts';
import { catalogueOption, examples, profileOption, wholeNumber, words } from './options.ts';

const BASE_URL = 'base URL of the service, such as http://127.0.0.1:4010';

/** Adds the verbs that call a service: `check`, `learn`, and `clean`. */
export function serviceCommands(program: Command): void {
  program.commandsGroup('Check a service:');
  const check = program
    .command('check')
    .summary('check a live service against the contract')
    .description('check a live service against the contract; without --profile, learn its profile first')
    .argument('[base-url]', BASE_URL);
  consentOptions(profileOption(check))
    .option('--html <file>', `write ${FORMATS.html}`)
    .option('--case <id>', 'run only this case and print its requests and responses in full');
  catalogueOption(check)
    .optionsGroup('Select cases:')
    .option('--models <names>', 'run only these models, separated by commas', words)
    .option('--area <names>', 'run only the models of these areas, separated by commas', words)
    .option('--rule <ids>', 'run only these rules, or groups such as required, separated by commas', words)
    .option(
      '--level <levels>',
      'run only rules of these levels, separated by commas: stated, assumed, advice',
      words,
    )
    .option('--list-rules', 'list the rules and exit')
    .option('--dry-run', 'print the number of cases per model and send nothing')
    .option(
      '--watch',
      'stay running: when the service is back, repeat the failed cases, then run the whole selection',
    )
    .option('--fail-fast', 'stop after the first failure')
    .option(
      '--explore <number>',
      'try this many random sequences of operations after the cases (default: 0; 200 on this machine, unless --rule, --level, or --case is set)',
      wholeNumber(0, 100_000),
    )
    .optionsGroup('Results for CI:')
    .option('--baseline <file>', 'excuse the known failures in this file until they expire')
    .option('--write-baseline <file>', 'write the current failures to this file')
    .option(
      '--built <file>',
      'keep the list of built models in this file; accept that others are not built; fail if a listed one is not',
    )
    .option(
      '--min-coverage <percent>',
      'fail if the run covers a smaller percentage of the operations or of the fields',
      wholeNumber(0, 100),
    );
  for (const [name, about] of Object.entries(FORMATS))
    if (name !== 'github' && name !== 'html') check.option(`--${name} <file>`, `write ${about}`);
  check.option('--manifest <file>', 'list the records that could not be removed in this file', MANIFEST);
  requestOptions(accessOptions(check)).action(async (url, options) =>
    (await import('./check/check.ts')).checkService(url, options),
  );
  examples(
    check,
    'record-model check http://127.0.0.1:4010',
    'record-model check https://staging.example.com --write --profile my-service.yaml --html report.html',
  );

  const learn = program
    .command('learn')
    .description('detect the profile of a live service')
    .argument('<base-url>', BASE_URL)
    .option('-o, --output <file>', 'write the profile to this file; - is standard output', '-')
    .option('--models <names>', 'prefer these models for the requests, separated by commas', words)
    .option('--area <names>', 'prefer the models of these areas, separated by commas', words);
  requestOptions(accessOptions(catalogueOption(consentOptions(learn)))).action(async (url, options) =>
    (await import('./learn.ts')).learn(url, options),
  );
  examples(learn, 'record-model learn http://127.0.0.1:4010 -o my-service.yaml');

  const clean = program
    .command('clean')
    .description('delete the records that an interrupted run left behind')
    .argument('<journal>', 'journal of that run, such as record-model-leftovers-k3f9.jsonl')
    .option('--dry-run', 'print what would be deleted; send only GET requests')
    .option('--write', 'allow deletes on a service that is not on this machine, or is behind a proxy');
  accessOptions(catalogueOption(clean)).action(async (file, options) =>
    (await import('./clean.ts')).cleanUp(file, options),
  );
  examples(clean, 'record-model clean record-model-leftovers-k3f9.jsonl --dry-run');
}
