import { type Command, Option } from 'commander';
import { withConfig } from './config/config-options.ts';
import type { MockCommand } from './mock/mock.ts';
import { LOG_FORMS } from './mock/request-log.ts';
import {
  catalogueOption,
  examples,
  pointInTime,
  profileOption,
  range,
  recordCounts,
  values,
  wholeNumber,
  words,
} from './options.ts';

/** The keys of the configuration file that apply to a mock. */
const CONTRACT_KEYS = ['profile', 'catalogue'];

/** Adds the verb that starts a server. */
export function serveCommands(program: Command): void {
  program.commandsGroup('Serve:');
  const mock = program
    .command('mock')
    .description('start a mock server that stores what clients write')
    .option(
      '--port <number>',
      'listen on this port; 0 picks a free one (default: the variable PORT, or 4010)',
      wholeNumber(0, 65_535),
    )
    .option(
      '--fixtures <source>',
      'load records at start: demo, none, a YAML or JSON file, or a directory; repeatable, and later sources win (default: demo)',
      values,
    )
    .option(
      '--records <counts>',
      'generate more records: customer=1000,voucher=5000, or one number for every model except lines; strings are Spanish',
      recordCounts,
    )
    .option(
      '--data <place>',
      'keep records, sessions, and snapshots in a SQLite file, or in PostgreSQL (postgres://…); fixtures apply only to a new one (or set RECORD_MODEL_DATA)',
    );
  profileOption(mock)
    .optionsGroup('Records and time:')
    .option(
      '--watch',
      'reload fixtures, profile, catalogue, and users when their files change; keep changed records',
    )
    .option('--lenient', 'fill in required fields that fixtures leave out')
    .addOption(
      new Option(
        '--references <how>',
        'handle links to missing records: warn about those in fixtures, or check and reject them, in requests too',
      )
        .choices(['warn', 'check'])
        .default('warn'),
    )
    .option(
      '--now <time>',
      'start the clock of each session at this time, such as 2025-10-22T09:30:00Z',
      pointInTime,
    )
    .option(
      '--seed <number>',
      'choose generated records, random delays, and random faults by this seed (default: 1)',
      wholeNumber(0, 999_999_999),
    )
    .addOption(
      new Option(
        '--data-sync <how>',
        'make each write in a SQLite file survive a crash of the mock (normal), or also a power failure (full) (default: normal)',
      ).choices(['normal', 'full']),
    );
  catalogueOption(mock)
    .optionsGroup('Access:')
    .option('--host <name>', 'listen on this address', '127.0.0.1')
    .option(
      '--users <file>',
      'accept only these users: a YAML or JSON list with token, id, readOnly, models, expires; the profile must set auth',
    )
    .option(
      '--control-token <token>',
      'let other machines use the control API with this bearer token (or set RECORD_MODEL_CONTROL_TOKEN)',
    )
    .option('--no-control', 'turn off the control API (/__mock); sessions and images still work')
    .option('--allow-host <names>', 'accept these hostnames too, separated by commas', words)
    .option('--origin <url>', 'use this address in the URLs of images')
    .option(
      '--cors-origin <origins>',
      'let pages from these origins use the API, separated by commas; pages from localhost always can',
      words,
    )
    .optionsGroup('Forwarding:')
    .option(
      '--forward <url>',
      'forward requests to the service at this URL, such as https://api.example.com, instead of answering them',
    )
    .option(
      '--models <names>',
      'forward only these models, separated by commas, or all (default: all)',
      words,
    )
    .option('--write', 'forward writes too; by default, the mock rejects writes to forwarded models')
    .option(
      '--timeout <ms>',
      'maximum time that the service can stay silent (default: 60000)',
      wholeNumber(1, 600_000),
    )
    .option('--insecure', 'accept any TLS certificate of the service')
    .optionsGroup('Limits:')
    .option(
      '--request-log <number>',
      'number of requests that each session keeps in its request log; 0 turns it off (default: 1000)',
      wholeNumber(0, 1_000_000),
    )
    .option(
      '--max-sessions <number>',
      'maximum number of sessions; a new one replaces the least recently used one without changes (default: 1000)',
      wholeNumber(1, 1_000_000),
    )
    .option(
      '--max-memory <MiB>',
      'reject new and larger records with 507 while the heap is larger than this (default: half of what Node can use)',
      wholeNumber(64, 1_000_000),
    )
    .optionsGroup('Failures on purpose:')
    .option(
      '--latency <ms>',
      'delay each response by this time, such as 200, or 200..800 for a random time',
      range(600_000),
    )
    .option('--fault <file>', 'start each session with the faults in this YAML or JSON list')
    .option('--defect <name>', 'break the contract in one way: NAME[:model[.field][=detail]]')
    .option('--list-defects', 'list the defects and exit')
    .optionsGroup('Output:')
    .addOption(new Option('--log <form>', 'print one line per request').choices(LOG_FORMS).default('text'))
    .option('--quiet', 'print no line per request; the same as --log none')
    .option('--json', 'print one line of JSON to standard output when the mock is ready')
    .option('--ready-file <file>', 'write that JSON to a file when the mock is ready; delete it at the end');
  withConfig(
    mock,
    async () => {
      const { serveMock } = await import('./mock/mock.ts');
      return (_url, options: MockCommand) => serveMock(options);
    },
    { used: CONTRACT_KEYS },
  );
  examples(
    mock,
    'record-model mock --records customer=300 --seed 42',
    'record-model mock --profile my-service.yaml --data mock.db',
    'record-model mock --forward https://api.example.com --models brand,customer',
  );
}
