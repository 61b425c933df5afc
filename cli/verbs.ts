import type { Command, Option } from 'commander';
import type { ExportName } from '../generator/export/export.ts';
import {
  ACCESS,
  addOptions,
  CATALOGUE,
  CHECK,
  CONSENT,
  CONTRACT,
  commandLine,
  examples,
  type OptionGroups,
  WRITING_ACCESS,
  wholeNumber,
  withConfig,
} from './options.ts';
import { ENDINGS } from './output.ts';

const BASE_URL =
  'base URL of the service, such as http://127.0.0.1:4010, or a target in record-model.yaml (default: url in that file)';

const STORE = 'data of mock --data: a SQLite file, or postgres://…';

const OUTPUT = {
  '-o, --output <file>': {
    about: 'write to this file (.yaml, .yml, .json); - is standard output',
    initial: '-',
  },
};

const SELECTION = {
  '--models <names>': 'include only these models and their lines, separated by commas',
  '--area <names>': 'include only the models of these areas, separated by commas',
};

/** The options for the parts of a document that are not in the contract. */
const PUBLICATION = {
  'Publication:': {
    '--title <text>': 'title of the document (default: the title of the catalogue)',
    '--server <url>': 'URL of the service; repeatable (default: the mock)',
    '--license <id>': 'SPDX license ID, or a URL of the terms (default: MIT)',
    '--contact <who>': 'name, email address, or URL of the team that runs the service',
    '--tags <by>': 'group operations by model or by area (default: model)',
  },
};

const MOCK: OptionGroups = {
  'Options:': {
    '--port <number>': 'listen on this port; 0 picks a free one (default: the variable PORT, or 4010)',
    '--fixtures <source>':
      'load records at start: demo, none, a YAML or JSON file, or a directory; repeatable, and later sources win (default: demo)',
    '--records <counts>':
      'generate more records: customer=1000,voucher=5000, or one number for every model except lines; strings are Spanish',
    '--data <place>':
      'keep records, sessions, and snapshots in a SQLite file, or in PostgreSQL (postgres://…); fixtures apply only to a new one (or set RECORD_MODEL_DATA)',
    ...CONTRACT,
  },
  'Records and time:': {
    '--watch': 'reload fixtures, profile, catalogue, and users when their files change; keep changed records',
    '--lenient': 'fill in required fields that fixtures leave out',
    '--references <how>': {
      about:
        'handle links to missing records: warn about those in fixtures, or check and reject them, in requests too',
      initial: 'warn',
    },
    '--now <time>': 'start the clock of each session at this time, such as 2025-10-22T09:30:00Z',
    '--seed <number>': {
      about: 'choose generated records, random delays, and random faults by this seed (default: 1)',
      values: wholeNumber(0, 999_999_999),
    },
    '--data-sync <how>':
      'make each write in a SQLite file survive a crash of the mock (normal), or also a power failure (full) (default: normal)',
  },
  'Access:': {
    '--host <name>': { about: 'listen on this address', initial: '127.0.0.1' },
    '--users <file>':
      'accept only these users: a YAML or JSON list with token, id, readOnly, models, expires; the profile must set auth',
    '--control-token <token>':
      'let other machines use the control API with this bearer token (or set RECORD_MODEL_CONTROL_TOKEN)',
    '--no-control': 'turn off the control API (/__mock); sessions and images still work',
    '--allow-host <names>': 'accept these hostnames too, separated by commas',
    '--origin <url>': 'use this address in the URLs of images',
    '--cors-origin <origins>':
      'let pages from these origins use the API, separated by commas; pages from localhost always can',
  },
  'Forwarding:': {
    '--forward <url>':
      'forward requests to the service at this URL, such as https://api.example.com, instead of answering them',
    '--models <names>': 'forward only these models, separated by commas, or all (default: all)',
    '--write': 'forward writes too; by default, the mock rejects writes to forwarded models',
    '--timeout <ms>': 'maximum time that the service can stay silent (default: 60000)',
    '--insecure': 'accept any TLS certificate of the service',
  },
  'Limits:': {
    '--request-log <number>':
      'number of requests that each session keeps in its request log; 0 turns it off (default: 1000)',
    '--max-sessions <number>':
      'maximum number of sessions; a new one replaces the least recently used one without changes (default: 1000)',
    '--max-memory <MiB>':
      'reject new and larger records with 507 while the heap is larger than this (default: half of what Node can use)',
  },
  'Failures on purpose:': {
    '--latency <ms>': 'delay each response by this time, such as 200, or 200..800 for a random time',
    '--fault <file>': 'start each session with the faults in this YAML or JSON list',
    '--defect <name>': 'break the contract in one way: NAME[:model[.field][=detail]]',
    '--list-defects': 'list the defects and exit',
  },
  'Output:': {
    '--log <form>': { about: 'print one line per request', initial: 'text' },
    '--quiet': 'print no line per request; the same as --log none',
    '--json': 'print one line of JSON to standard output when the mock is ready',
    '--ready-file <file>': 'write that JSON to a file when the mock is ready; delete it at the end',
  },
};

/** The formats other than OpenAPI. */
const EXPORTS: Readonly<Record<ExportName, string>> = {
  types: 'TypeScript declarations: models by name, and paths for openapi-fetch',
  schemas: 'JSON Schemas (2020-12), one file per model for read, create, and update',
  html: 'one HTML page to read and try the API; it loads nothing from other hosts',
  diagram: 'a Mermaid diagram of the models and their links',
};

/** Adds all verbs. The code of a verb is loaded when it runs. */
export function addVerbs(program: Command): void {
  program.commandsGroup('Serve:');
  const mock = verb(program, 'mock', 'start a mock server that stores what clients write', MOCK);
  withConfig(mock, async () => (await import('./mock/mock.ts')).serveMock, {
    used: ['profile', 'catalogue'],
  });
  examples(
    mock,
    'record-model mock --records customer=300 --seed 42',
    'record-model mock --profile my-service.yaml --data mock.db',
    'record-model mock --forward https://api.example.com --models brand,customer',
  );
  addServiceVerbs(program.commandsGroup('Check a service:'));
  addContractVerbs(program.commandsGroup('Write the contract:'));
  addStoreVerbs(program.commandsGroup('Move mock data:'));
}

function verb(parent: Command, name: string, about: string, options: OptionGroups = {}): Command {
  return addOptions(parent.command(name).description(about), options);
}

/** Adds the verbs that call a service, and `init`, which writes their options. */
function addServiceVerbs(program: Command): void {
  const check = verb(
    program,
    'check',
    'check a live service against the contract; without --profile, learn its profile first',
    CHECK,
  );
  withConfig(
    check.argument('[base-url]', BASE_URL),
    async () => (await import('./check/check.ts')).checkService,
  );
  examples(
    check,
    'record-model check http://127.0.0.1:4010',
    'record-model check https://staging.example.com --write --profile my-service.yaml --html report.html',
  );

  const compare = verb(
    program,
    'compare',
    'show what changed from one run of check to another; exit with 1 if there are new failures',
    {
      'Options:': {
        '--markdown <file>': 'write the changes as Markdown for a pull request; - is standard output',
      },
    },
  )
    .argument('<old>', 'results of the earlier run, from check --json')
    .argument('<new>', 'results of the later run')
    .action(async (old, later, options) => (await import('./compare.ts')).compare(old, later, options));
  examples(compare, 'record-model compare monday.json today.json');

  const learn = verb(program, 'learn', 'detect the profile of a live service', {
    'Options:': {
      '-o, --output <file>': { about: 'write the profile to this file; - is standard output', initial: '-' },
      '--models <names>': 'prefer these models for the requests, separated by commas',
      '--area <names>': 'prefer the models of these areas, separated by commas',
      ...CONSENT,
      ...CATALOGUE,
    },
    ...WRITING_ACCESS,
  });
  withConfig(learn.argument('[base-url]', BASE_URL), async () => (await import('./learn.ts')).learn);
  examples(learn, 'record-model learn http://127.0.0.1:4010 -o my-service.yaml');

  const about = 'read the records of a live service into a fixtures file for the mock';
  const capture = verb(program, 'capture', about, {
    'Options:': {
      ...OUTPUT,
      '--models <names>': 'read only these models, separated by commas, and records they link to',
      '--area <names>': 'read only the models of these areas, separated by commas',
      '--limit <number>': {
        about: 'maximum number of records per model, without those that others link to; 0 reads all',
        initial: 100,
      },
      '--keep-strings': 'keep all strings as they are, with the names and addresses of people',
      ...CONTRACT,
    },
    ...ACCESS,
  });
  withConfig(
    capture.argument('[base-url]', BASE_URL),
    async () => (await import('./capture/capture.ts')).capture,
  );
  examples(
    capture,
    'record-model capture https://api.example.com --profile my-service.yaml -o fixtures.yaml',
  );

  const clean = verb(program, 'clean', 'delete the records that an interrupted run left behind', {
    'Options:': {
      '--dry-run': { about: 'print what would be deleted; send only GET requests', excludes: ['write'] },
      '--write': 'allow deletes on a service that is not on this machine, or is behind a proxy',
      ...CATALOGUE,
    },
    ...ACCESS,
  }).argument('<journal>', 'list of records that the run created, such as record-model-leftovers-k3f9.jsonl');
  withConfig(clean, async () => (await import('./clean.ts')).cleanUp, {
    baseOf: async (file) => (await import('../conformance/records/journal.ts')).targetOf(file),
  });
  examples(clean, 'record-model clean record-model-leftovers-k3f9.jsonl --dry-run');

  const init = verb(
    program,
    'init',
    'write record-model.yaml, with the options of the commands that use a service',
  )
    .argument('[base-url]', 'base URL of the service (default: http://127.0.0.1:4010)')
    .action(async (url) => (await import('./init.ts')).init(url));
  examples(init, 'record-model init http://127.0.0.1:4010');
}

/** Adds the verbs that write or compare contracts. */
function addContractVerbs(program: Command): void {
  const generate = verb(program, 'generate', 'write the OpenAPI document', {
    'Options:': {
      ...OUTPUT,
      '--openapi <version>': 'version of OpenAPI (default: 3.1)',
      '--id-format <format>': 'format of IDs (default: int64, which some tools turn into a BigInt)',
      '--compact': 'leave out examples, links, and extensions (x-…)',
      ...CONTRACT,
      ...SELECTION,
      '--check':
        'write nothing; exit with 1 unless the file is up to date (without -o: the document of this package)',
      '--format <format>': 'file format (default: by the ending of the file)',
    },
    ...PUBLICATION,
  }).action(async (options, command) =>
    (await import('./generate.ts')).generate(options, commandLine(command, isOfDocument)),
  );
  examples(generate, 'record-model generate -o openapi.yaml');

  const parent = program
    .command('export')
    .helpCommand(false)
    .usage('<format> [options]')
    .commandsGroup('Formats:')
    .description('write the contract for other tools: TypeScript, JSON Schema, HTML, diagrams');
  for (const [name, about] of Object.entries(EXPORTS)) {
    const endings = ENDINGS[`export ${name}`] ?? [];
    const format = verb(parent, name, `write ${about}`, {
      'Options:': { ...CONTRACT, ...SELECTION },
      ...(name === 'html' ? PUBLICATION : {}),
    }).action(async (options) => (await import('./generate.ts')).writeExport(name as ExportName, options));
    if (endings.length === 0) format.requiredOption('-o, --output <dir>', 'write to this directory');
    else
      format.option(
        '-o, --output <file>',
        `write to this file (${endings.join(', ')}); - is standard output`,
        '-',
      );
    examples(format, `record-model export ${name} -o api${endings[0] ?? ''}`);
  }
  examples(parent, 'record-model export types -o api.d.ts', 'record-model export html -o api.html');

  const diff = verb(program, 'diff', 'compare two contracts and report which changes break clients', {
    'Options:': {
      '--fail-on <changes>': 'exit with 1 if there are breaking changes, or any changes',
      '--verbose': 'print each change; by default, similar changes share a line',
      '--profile <file>': 'read catalogues under this profile',
    },
  })
    .argument('<old>', 'OpenAPI document (3.0 or 3.1), profile, or directory of a catalogue')
    .argument('<new>', 'what to compare it with; the same kinds')
    .action(async (old, fresh, options) => (await import('./diff.ts')).diff(old, fresh, options));
  examples(diff, 'record-model diff old.yaml new.yaml --fail-on breaking');
}

/** Whether an option of `generate` changes the document. */
function isOfDocument({ long }: Option): boolean {
  return long !== '--output' && long !== '--check';
}

/** Adds the verbs for data that no mock is using. */
function addStoreVerbs(program: Command): void {
  const dump = verb(program, 'dump', 'write the records of a mock as fixtures', {
    'Options:': {
      ...OUTPUT,
      '--session <name>': 'write the records of this session (default: the shared session)',
      '--models <names>': 'write only these models, separated by commas',
      ...CONTRACT,
    },
  })
    .argument('<data>', STORE)
    .action(async (data, options) => (await import('./stores.ts')).dump(data, options));
  examples(dump, 'record-model dump mock.db -o club.yaml');

  const about = 'load fixtures into the data of a mock; new sessions start from them';
  const load = verb(program, 'load', about, {
    'Options:': {
      '--replace': 'delete the existing records first',
      '--lenient': 'fill in required fields that fixtures leave out',
      '--references <how>': {
        about: 'warn about links to missing records, or check and reject them',
        initial: 'warn',
      },
      ...CONTRACT,
    },
  })
    .argument('<data>', STORE)
    .argument('<fixtures...>', 'demo, YAML or JSON files, or directories of them; later ones win')
    .action(async (data, fixtures, options) => (await import('./stores.ts')).load(data, fixtures, options));
  examples(load, 'record-model load mock.db club.yaml --replace');
}
