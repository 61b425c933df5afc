import { type Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from '../options.ts';

export type ConnectionOptions = {
  readOnly?: true;
  write?: true;
  bearer?: string;
  basic?: string;
  apiKey?: string;
  header?: string[];
  timeout: number;
  rate?: number;
  settle?: number;
  concurrency?: number;
  seed: number;
  maxTime?: number;
  tag?: string;
  maxRecords?: number;
  pin?: string[];
  insecure?: true;
  bindings?: string;
  case?: string;
  manifest?: string;
};

/** The options of the verbs that call a service. */
export function connectionOptions(command: Command): Command {
  return command
    .option('--read-only', 'send no request but GET')
    .option('--write', 'let records be made, changed and removed on another machine, or through a proxy')
    .option('--bearer <token>', 'send Authorization: Bearer TOKEN (or set RECORD_MODEL_BEARER)')
    .option('--basic <user:password>', 'send Authorization: Basic … (or set RECORD_MODEL_BASIC)')
    .option('--api-key <name=value>', 'send the key in this header (or set RECORD_MODEL_API_KEY)')
    .option(
      '--header <line>',
      'send this header too, as "Name: value"; may be given again',
      (line: string, before: string[] = []) => [...before, line],
    )
    .option('--timeout <ms>', 'how long an answer may take', wholeNumber(1, 600_000), 10_000)
    .option('--rate <number>', 'the greatest number of requests a second', wholeNumber(1, 100_000))
    .option(
      '--settle <ms>',
      'how long after a write a list is asked for, where lists come from a replica',
      wholeNumber(1, 60_000),
    )
    .option(
      '--concurrency <number>',
      'how many requests may be under way at once (default: 16 on this machine, 4 elsewhere)',
      wholeNumber(1, 100),
    )
    .option(
      '--seed <number>',
      'fixes the samples; the same seed and tag send the same requests',
      wholeNumber(0, 400_000),
      1000,
    )
    .option(
      '--max-time <seconds>',
      'end in this time, with what was made removed; what was not tried makes the run inconclusive',
      wholeNumber(1, 1_000_000),
    )
    .option(
      '--tag <text>',
      'stands in the texts that are sent, 2 to 12 letters and digits (default: random)',
      tagOf,
    )
    .option(
      '--pin <model.field=value>',
      'send this value, as JSON or text, in all that is made, such as customer.disableNotifications=true; may be given again',
      (pin: string, before: string[] = []) => [...before, pin],
    )
    .option(
      '--max-records <number>',
      'the most records that are made; cases that need more are skipped',
      wholeNumber(1, 1_000_000),
    )
    .option('--bindings <file>', 'ids of things that are there already, such as product: [101, 102]')
    .option('--insecure', 'take any TLS certificate');
}

/** Where records that could not be removed are listed. */
export const MANIFEST = 'record-model-leftovers.json';

function tagOf(text: string): string {
  if (/^[a-z0-9]{2,12}$/i.test(text)) return text;
  throw new InvalidArgumentError('expected 2 to 12 letters and digits');
}
