import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Selection } from '../conformance/plan/plan.ts';
import { quote } from '../conformance/results/text.ts';
import { ID_FORMATS, OPENAPI_VERSIONS } from '../generator/version.ts';
import { UsageError } from '../spec/files/usage-error.ts';
import { readTime } from '../spec/types/times.ts';
import { CONFIG_FILE } from './config/keys.ts';

/** The options of the commands, and how their values are read. */

/** The text of an option. An object also has its default, its own values, or the options that it excludes. */
type OptionText =
  | string
  | {
      readonly about: string;
      readonly initial?: string | number;
      readonly values?: (text: string) => unknown;
      readonly excludes?: readonly string[];
    };

/** Options by their flags. */
type OptionTable = Readonly<Record<string, OptionText>>;

/** The options of a command by the headings in its help. */
export type OptionGroups = Readonly<Record<string, OptionTable>>;

/** Adds options to a command. */
export function addOptions(command: Command, groups: OptionGroups): Command {
  for (const [heading, table] of Object.entries(groups))
    for (const [flags, text] of Object.entries(table)) {
      const { about, excludes = [], initial, values } = typeof text === 'string' ? { about: text } : text;
      const option = new Option(flags, about)
        .helpGroup(heading)
        .default(initial)
        .conflicts([...excludes]);
      const accepted = values ?? VALUES[option.name()];
      if (typeof accepted === 'function') option.argParser(accepted);
      else if (accepted !== undefined) option.choices(accepted);
      command.addOption(option);
    }
  return command;
}

/** Options that several commands have: their contract, and what they select of it. */
export type ContractOptions = {
  readonly profile?: string;
  readonly catalogue?: string;
} & Partial<Readonly<Record<'models' | 'area' | 'rule' | 'level' | 'case', readonly string[]>>>;

/** Returns what the options of a command select. */
export function selectionOf({ area, case: cases, level, models, rule }: ContractOptions): Selection {
  return { models, areas: area, rules: rule, levels: level, cases };
}

export const CATALOGUE = {
  '--catalogue <dir>': 'read the models from this directory, for another API',
};

export const CONTRACT = {
  '--profile <file>': 'use the settings in this file; the others keep their defaults',
  ...CATALOGUE,
};

/** Default file for the records that could not be deleted. */
export const MANIFEST = 'record-model-leftovers.json';

/** The choice whether a run can write. */
export const CONSENT = {
  '--read-only': { about: 'send only GET requests', excludes: ['write'] },
  '--write': 'allow writes to a service that is not on this machine, or is behind a proxy',
};

const SECRET = 'Authentication:';

/** How to reach a service, and with which credentials. */
export const ACCESS = {
  [SECRET]: {
    '--bearer <token>': 'send Authorization: Bearer TOKEN (or set RECORD_MODEL_BEARER)',
    '--basic <user:password>': 'send Authorization: Basic … (or set RECORD_MODEL_BASIC)',
    '--api-key <name=value>': 'send this key in this header (or set RECORD_MODEL_API_KEY)',
    '--header <line>': 'send this header with each request, as "Name: value"; repeatable',
    '--cert <file>': 'send this client certificate (PEM)',
    '--key <file>': 'use this key of the client certificate (PEM), unless the certificate has it',
  },
  'Connection:': {
    '--ca <file>': 'trust only these issuers of TLS certificates (PEM)',
    '--timeout <ms>': { about: 'maximum time to wait for a response', initial: 10_000 },
    '--rate <number>': 'maximum number of requests per second',
    '--max-time <seconds>': 'stop after this time and clean up',
    '--insecure': 'accept any TLS certificate',
    '--concurrency <number>': 'maximum number of requests at once (default: 16 on this machine, 4 elsewhere)',
  },
};

/** The same for requests that write, and the records that they create. */
export const WRITING_ACCESS = {
  ...ACCESS,
  'Connection:': {
    ...ACCESS['Connection:'],
    '--list-delay <ms>': 'wait this long after a write before reading a list, for lists that lag behind',
  },
  'Test data:': {
    '--bindings <file>': 'use these IDs of existing records for links, such as product: [101, 102]',
    '--pin <model.field=value>':
      'send only this value, as JSON or a string, or values of this form, such as deposit.balance={from: 1, to: 100}; repeatable',
    '--pins <file>': 'send only the values that this file allows, such as share.number: "####"',
    '--max-records <number>': 'create at most this many records; skip the cases that need more',
    '--seed <number>':
      'choose test values by this seed; the same seed and tag send the same requests (default: 1000)',
    '--tag <text>':
      'put this tag into the strings that are sent, 2 to 12 letters and digits (default: random)',
  },
};

/** The options of `check`. Each is also a key of record-model.yaml, unless COMMAND_LINE_ONLY in config/keys.ts names it. */
export const CHECK: OptionGroups = {
  'Options:': {
    ...CONTRACT,
    ...CONSENT,
    '--html <file>': 'write the report as one HTML page',
    '--watch':
      'stay running: when the service is back, repeat the failed cases, then run the whole selection',
    '--details': 'also print each cause with its exchange, and the skipped cases',
    '--case <id>':
      'run only this case, or several with one --case each; print the requests and responses in full',
  },
  'Select cases:': {
    '--models <names>': 'run only these models, separated by commas',
    '--area <names>': 'run only the models of these areas, separated by commas',
    '--rule <ids>': 'run only these rules, or groups such as required, separated by commas',
    '--level <levels>': 'run only rules of these levels, separated by commas: stated, assumed, advice',
    '--list-rules': 'list the rules and exit',
    '--dry-run': 'print the number of cases per model and send nothing',
    '--fail-fast': 'stop after the first failure',
    '--explore <number>':
      'try this many random sequences of operations after the cases (default: 0; 150 on this machine, unless --rule, --level, or --case is set)',
  },
  'Results for CI:': {
    '--baseline <file>':
      'excuse the known failures and the models that are not built in this file; fail if one of them is fixed',
    '--write-baseline <file>': {
      about: 'write the failed cases and the models that are not built to this file',
      excludes: ['failFast'],
    },
    '--min-coverage <percent>':
      'fail if the run covers a smaller percentage of the operations or of the fields',
    '--json <file>': 'write all results as JSON (results.schema.json)',
    '--junit <file>': 'write JUnit XML',
    '--markdown <file>': 'write a Markdown summary, short enough for a CI step summary',
    '--har <file>': 'write the requests and responses of failed cases as an HTTP archive (HAR)',
    '--manifest <file>': {
      about: 'list the records that could not be deleted in this file',
      initial: MANIFEST,
    },
  },
  ...WRITING_ACCESS,
};

/**
 * Adds --config and --no-config to a command, and an action that gets the base URL, the options, and the first argument.
 * The base URL and the options come from the command line or else from the file. `baseOf` returns the base URL or target for
 * the first argument, which it is by default. `used` lists the keys for a command that uses only some.
 */
export function withConfig<Options extends object>(
  command: Command,
  load: () => Promise<(base: string | undefined, options: Options, argument: string) => Promise<void>>,
  {
    baseOf = async (argument) => argument,
    used,
  }: {
    readonly baseOf?: (argument: string) => Promise<string>;
    readonly used?: readonly string[];
  } = {},
): Command {
  return command
    .addOption(
      new Option(
        '--config <file>',
        `read options that the command line omits from this file (default: ${CONFIG_FILE} here or in a directory above)`,
      ).helpGroup('Options:'),
    )
    .addOption(new Option('--no-config', `ignore ${CONFIG_FILE}`).helpGroup('Options:'))
    .action(async () => {
      const [argument] = command.args;
      const { listDefects, listRules } = command.opts<{ listDefects?: true; listRules?: true }>();
      const isList = listDefects || listRules;
      const base = argument === undefined ? undefined : await baseOf(argument);
      const url = isList ? base : await (await import('./config/config.ts')).applyConfig(command, base, used);
      const options = { ...command.opts<Options>(), command: commandLine(command) };
      await (await load())(url, options, argument ?? '');
    });
}

/** Returns the base URL. Throws UsageError if neither the command line nor the file has one. */
export function needUrl(base: string | undefined): string {
  if (base !== undefined) return base;
  throw new UsageError(
    `The argument <base-url> is missing. Pass one such as http://127.0.0.1:4010, or add url to ${CONFIG_FILE}.`,
  );
}

/** Adds an example for each line of text to the end of a command's help. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length === 1 ? 'Example:' : 'Examples:';
  return command.addHelpText('after', `\n${title}\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

/** The groups of options that say what one run tests and writes, so that a command for one case lacks them. */
const OF_ONE_RUN: readonly unknown[] = ['Select cases:', 'Results for CI:', 'Options:'];
const OF_EACH_RUN = ['profile', 'catalogue', 'config', 'write'];

function isOfEachRun(option: Option): boolean {
  return !OF_ONE_RUN.includes(option.helpGroupHeading) || OF_EACH_RUN.includes(option.name());
}

/**
 * Returns the command line of a command with the options that `isKept` accepts, by default those that don't belong to one
 * run only. Each secret is a placeholder.
 */
export function commandLine(command: Command, isKept = isOfEachRun): string {
  const parts = command.options.filter(isKept).flatMap((option) => {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') return [];
    if (option.negate !== (command.getOptionValue(name) === false)) return [];
    if (!option.required) return [option.long ?? ''];
    const isSecret = option.helpGroupHeading === SECRET;
    const value: unknown = isSecret ? /<.*>/.exec(option.flags)?.[0] : command.getOptionValue(name);
    return [value].flat().flatMap((one) => [option.long ?? '', asWord(String(one))]);
  });
  const names = [command.parent?.name() ?? '', command.name()];
  return [...names, ...command.args.map(asWord), ...parts].join(' ');
}

/** Returns text as one word of a shell, with quotes if needed. */
export function asWord(text: string): string {
  return /^[\w.:=@%+,/-]+$/.test(text) ? text : quote(text);
}

/** The JSON Schema of the values that a parser accepts. */
export type ValueForm = { readonly type: string; readonly [keyword: string]: unknown };

const FORMS = new Map<unknown, ValueForm>();

function describedBy<Parser>(form: ValueForm, parse: Parser): Parser {
  FORMS.set(parse, form);
  return parse;
}

/** Returns the form of an option's values; undefined if any text can be one. */
export function formOf({ parseArg }: Option): ValueForm | undefined {
  return FORMS.get(parseArg);
}

type ListParser = (text: string, before?: readonly string[]) => string[];

/** Returns a parser for an option that can be repeated; `read` returns the values of one occurrence. */
export function repeatable(read: (text: string) => readonly string[]): ListParser {
  return describedBy({ type: 'array' }, (text, before = []) => [...before, ...read(text)]);
}

/** Parses words separated by commas. */
export const words = repeatable((text) => text.split(',').map((word) => word.trim()));

/** Parses one value per occurrence. */
export const values = repeatable((text) => [text]);

/** Makes a second value for the same option an error, because commander would silently use the last one. */
export function refuseRepeats(command: Command): void {
  for (const option of command.options) {
    const { long, required } = option;
    if (!required || long === undefined || formOf(option)?.type === 'array') continue;
    let times = 0;
    command.on(`option:${option.name()}`, () => {
      if (++times > 1) command.error(`Option ${long} can be used only once. Remove one of its values.`);
    });
  }
}

/** Returns a parser for one whole number, or two with `..` between them, up to `most`. */
export function range(most: number): (text: string) => { min: number; max: number } {
  return (text) => {
    const [, from = '', to = from] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
    const [min, max] = [Number(from), Number(to)];
    if (from !== '' && min <= max && max <= most) return { min, max };
    throw new InvalidArgumentError(`Pass a whole number up to ${most}, or a range such as 200..800.`);
  };
}

/** Parses a day or a time. */
export function pointInTime(text: string): Date {
  const time = readTime(text);
  if (time) return time;
  throw new InvalidArgumentError('Pass a day or a time from 1970 to 9999, such as 2025-10-22T09:30:00Z.');
}

/** Returns a parser for whole numbers from `least` to `most`. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  const expected = `a whole number from ${least} to ${most}`;
  return describedBy({ type: 'integer', minimum: least, maximum: most, 'x-expected': expected }, (text) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
    throw new InvalidArgumentError(`Pass ${expected}.`);
  });
}

const TAG = {
  type: 'string',
  pattern: '^[A-Za-z0-9]{2,12}$',
  'x-expected': '2 to 12 letters and digits',
} as const;

/** Parses a tag of records. */
export const tag = describedBy(TAG, (text: string) => {
  if (new RegExp(TAG.pattern).test(text)) return text;
  throw new InvalidArgumentError(`Pass ${TAG['x-expected']}.`);
});

/** Parses a number of records per model, such as `customer=1000,voucher=5000`, or one number for every model. */
export function recordCounts(text: string): number | Record<string, number> {
  if (COUNT.test(text)) return Number(text);
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  if (pairs.every(([name, count, ...rest]) => name && COUNT.test(count ?? '') && rest.length === 0))
    return Object.fromEntries(pairs.map(([name, count]) => [name, Number(count)]));
  throw new InvalidArgumentError(
    'Pass whole numbers per model, such as customer=1000,voucher=5000, or one number for every model.',
  );
}

const COUNT = /^\d{1,9}$/;

const urls = repeatable((text) => {
  if (isUrl(text) || /^\/[^\s]*$/.test(text)) return [text];
  throw new InvalidArgumentError('Pass a URL such as https://api.example.com, or a path such as /.');
});

export function isUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The words that an option accepts, or the parser of its values, by its name. All others accept any text. */
const VALUES: Readonly<Record<string, readonly string[] | ((text: string) => unknown)>> = {
  'allow-host': words,
  area: words,
  'cors-origin': words,
  level: words,
  models: words,
  rule: words,
  case: values,
  fixtures: values,
  header: values,
  pin: values,
  server: urls,
  concurrency: wholeNumber(1, 100),
  explore: wholeNumber(0, 100_000),
  limit: wholeNumber(0, 1_000_000),
  'list-delay': wholeNumber(1, 60_000),
  'max-memory': wholeNumber(64, 1_000_000),
  'max-records': wholeNumber(1, 1_000_000),
  'max-sessions': wholeNumber(1, 1_000_000),
  'max-time': wholeNumber(1, 1_000_000),
  'min-coverage': wholeNumber(0, 100),
  port: wholeNumber(0, 65_535),
  rate: wholeNumber(1, 100_000),
  'request-log': wholeNumber(0, 1_000_000),
  seed: wholeNumber(0, 400_000),
  timeout: wholeNumber(1, 600_000),
  latency: range(600_000),
  now: pointInTime,
  records: recordCounts,
  tag,
  'data-sync': ['normal', 'full'],
  'fail-on': ['breaking', 'any'],
  format: ['yaml', 'json'],
  'id-format': ID_FORMATS,
  log: ['text', 'json', 'none'],
  openapi: OPENAPI_VERSIONS,
  references: ['warn', 'check'],
  tags: ['model', 'area'],
};
