import type { Command } from 'commander';
import { FORMATS } from '../conformance/report/formats.ts';
import { connectionOptions, MANIFEST } from './connection/connection-options.ts';
import { contractOptions, wholeNumber, words } from './options.ts';

const BASE_URL = 'where the service is, such as http://127.0.0.1:4010';

/** The verbs that call a service: `learn`, `check` and `clean`. */
export function serviceCommands(program: Command): void {
  connectionOptions(program.command('learn'))
    .description('find out the profile of a live service by asking it')
    .argument('<base-url>', BASE_URL)
    .option('-o, --output <file>', 'where to write the profile; - is standard output', '-')
    .option('--catalogue <dir>', 'a directory with a catalogue of your own')
    .action(async (url, options) => (await import('./learn.ts')).learn(url, options));

  connectionOptions(program.command('clean'))
    .description('remove what a check or learn that did not end has left, as its journal says')
    .argument('<journal>', 'the file it left, such as record-model-leftovers-k3f9.jsonl')
    .option('--dry-run', 'say what would be removed, and remove nothing')
    .option('--catalogue <dir>', 'a directory with a catalogue of your own')
    .action(async (file, options) => (await import('./clean.ts')).cleanUp(file, options));

  const check = connectionOptions(contractOptions(program.command('check')))
    .description('call a live service and check every operation, field, flag and value against the source')
    .argument('[base-url]', BASE_URL)
    .option('--models <names>', 'only these models, separated by commas', words)
    .option('--area <names>', 'only the models of these areas', words)
    .option('--rule <ids>', 'only these rules, or groups such as required', words)
    .option('--level <levels>', 'only rules of these levels: stated, assumed, advice', words)
    .option('--list-rules', 'print the rules and do nothing else')
    .option('--case <id>', 'only this case, with its exchanges in full')
    .option('--fail-fast', 'stop after the first failure')
    .option(
      '--explore <number>',
      'try so many random sequences of operations after the cases; by default 200 on this machine, unless rules are chosen, else 0',
      wholeNumber(0, 100_000),
    )
    .option(
      '--min-coverage <percent>',
      'the least share of the operations, and of the fields, that has to be exercised',
      wholeNumber(0, 100),
    )
    .option('--dry-run', 'say which cases would run and what they would send, and send nothing')
    .option('--baseline <file>', 'known failures that do not count until they expire')
    .option('--write-baseline <file>', 'write what fails now as a baseline')
    .option('--manifest <file>', 'where to list records that could not be removed', MANIFEST);
  for (const [name, about] of Object.entries(FORMATS))
    if (name !== 'github') check.option(`--${name} <file>`, `write ${about}`);
  check.action(async (url, options) => (await import('./check/check.ts')).checkService(url, options));
}
