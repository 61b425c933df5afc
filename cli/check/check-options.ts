import { Command } from 'commander';
import { FORMATS } from '../../conformance/report/report.ts';
import { accessOptions, consentOptions, MANIFEST, requestOptions } from '../connection/connection-options.ts';
import { catalogueOption, profileOption, values, wholeNumber, words } from '../options.ts';

/**
 * Adds the options of `check`. Each is also a key of record-model.yaml, unless `COMMAND_LINE_ONLY` in cli/config/keys.ts
 * names it.
 */
export function checkOptions(check = new Command()): Command {
  consentOptions(profileOption(check))
    .option('--html <file>', `write ${FORMATS.html}`)
    .option(
      '--watch',
      'stay running: when the service is back, repeat the failed cases, then run the whole selection',
    )
    .option('--details', 'also print each cause with its exchange, and the skipped cases')
    .option(
      '--case <id>',
      'run only this case, or several with one --case each; print the requests and responses in full',
      values,
    );
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
    .option('--fail-fast', 'stop after the first failure')
    .option(
      '--explore <number>',
      'try this many random sequences of operations after the cases (default: 0; 150 on this machine, unless --rule, --level, or --case is set)',
      wholeNumber(0, 100_000),
    )
    .optionsGroup('Results for CI:')
    .option(
      '--baseline <file>',
      'excuse the known failures and the models that are not built in this file; fail if one of them is fixed',
    )
    .option(
      '--write-baseline <file>',
      'write the failed cases and the models that are not built to this file',
    )
    .option(
      '--min-coverage <percent>',
      'fail if the run covers a smaller percentage of the operations or of the fields',
      wholeNumber(0, 100),
    );
  for (const [name, about] of Object.entries(FORMATS))
    if (name !== 'github' && name !== 'html') check.option(`--${name} <file>`, `write ${about}`);
  check.option('--manifest <file>', 'list the records that could not be deleted in this file', MANIFEST);
  return requestOptions(accessOptions(check));
}
