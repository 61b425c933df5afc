import { type Command, Option } from 'commander';
import { LOG_FORMS } from './mock/request-log.ts';
import { contractOptions, pointInTime, range, recordCounts, wholeNumber, words } from './options.ts';
import { needsNodeOfPrism } from './prism-node.ts';

/** The verbs that serve: `mock` and `proxy`. */
export function serveCommands(program: Command): void {
  needsNodeOfPrism(contractOptions(program.command('mock')))
    .description('serve the document as a mock that keeps state')
    .option(
      '--port <number>',
      'the port to listen on; 0 takes a free one (default: the variable PORT, or 4010)',
      wholeNumber(0, 65_535),
    )
    .option('--host <name>', 'the address to listen on', '127.0.0.1')
    .option(
      '--fixtures <source>',
      'the records to start with: demo, none, or a YAML or JSON file or a directory of them; of several the later win (default: demo)',
      several,
    )
    .option(
      '--records <counts>',
      'records to make beside them, in Spanish: customer=1000,voucher=5000, or one number for each model',
      recordCounts,
    )
    .option(
      '--data <place>',
      'where records, sessions and snapshots outlive the mock: a SQLite file, or postgres://…; fixtures fill a new one alone',
    )
    .addOption(
      new Option(
        '--data-sync <how>',
        'when a write lasts: once the process may die, or the power may fail too (default: normal)',
      ).choices(['normal', 'full']),
    )
    .option(
      '--watch',
      'read catalogue, profile, fixtures and users again when they change; records, sessions, snapshots, journal, faults and clock stay',
    )
    .option('--lenient', 'fill the required fields that fixtures lack')
    .addOption(
      new Option(
        '--references <how>',
        'links that lead nowhere: warn of those of fixtures, or refuse them, in requests too',
      )
        .choices(['warn', 'check'])
        .default('warn'),
    )
    .option(
      '--now <time>',
      'the time that every session begins at, such as 2025-10-22T09:30:00Z',
      pointInTime,
    )
    .option(
      '--journal <number>',
      'how many exchanges each session keeps; 0 for none (default: 1000)',
      wholeNumber(0, 1_000_000),
    )
    .option(
      '--max-sessions <number>',
      'the one unused longest goes (default: 1000)',
      wholeNumber(1, 1_000_000),
    )
    .option(
      '--max-memory <MiB>',
      'the heap beyond which writes are answered with 507 (default: half of what Node may use)',
      wholeNumber(64, 1_000_000),
    )
    .option('--latency <ms>', 'before every answer, such as 200 or 200..800', range(600_000))
    .option('--fault <file>', 'the faults that every session begins with, a YAML or JSON list')
    .option(
      '--seed <number>',
      'what records, delays and probabilities are drawn from',
      wholeNumber(0, 999_999_999),
    )
    .option(
      '--users <file>',
      'who may use the API: a YAML or JSON list of token, id, readOnly, models, expires',
    )
    .option('--control-token <token>', 'lets others than this machine use /__mock, as a bearer token')
    .option('--no-control', 'no control plane; sessions and pictures stay')
    .option('--allow-host <names>', 'other names that the mock may be asked by, separated by commas', words)
    .option(
      '--cors-origin <origins>',
      'pages beside those of this machine that may send credentials, separated by commas',
      words,
    )
    .addOption(new Option('--log <form>', 'a line for each request').choices(LOG_FORMS).default('text'))
    .option('--quiet', 'no line for each request, as --log none')
    .option('--json', 'print a line of JSON on standard output once it is ready')
    .option('--ready-file <file>', 'write the same to a file, which is there as long as the mock is')
    .option('--defect <name>', 'break the contract on purpose: NAME[:model[.field][=detail]]')
    .option('--list-defects', 'print the defects and do nothing else')
    .action(async (options) => (await import('./mock/mock.ts')).serveMock(options));

  needsNodeOfPrism(contractOptions(program.command('proxy')))
    .description('pass every request on to a real service and report where either side breaks the contract')
    .argument('<upstream>', 'where the service is, such as https://api.example.com')
    .option('--port <number>', 'the port to listen on; 0 takes a free one', wholeNumber(0, 65_535), 4011)
    .option('--host <name>', 'the address to listen on', '127.0.0.1')
    .option('--timeout <ms>', 'how long the service may be silent', wholeNumber(1, 600_000), 60_000)
    .option('--insecure', 'take any TLS certificate')
    .option('--allow-host <names>', 'other names that the proxy may be asked by, separated by commas', words)
    .action(async (url, options) => (await import('./proxy.ts')).serveProxy(url, options));
}

/** An option that may be given several times. */
function several(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
