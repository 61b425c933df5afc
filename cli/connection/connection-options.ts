import type { Command } from 'commander';
import { tag, values, wholeNumber } from '../options.ts';

/** How to reach a service, and with which credentials. */
export type AccessOptions = {
  bearer?: string;
  basic?: string;
  apiKey?: string;
  header?: string[];
  cert?: string;
  key?: string;
  ca?: string;
  timeout: number;
  rate?: number;
  insecure?: true;
  readOnly?: true;
  write?: true;
  maxTime?: number;
};

export type ConnectionOptions = AccessOptions & {
  listDelay?: number;
  concurrency?: number;
  seed?: number;
  tag?: string;
  maxRecords?: number;
  pin?: string[];
  pins?: string;
  bindings?: string;
  case?: string[];
  manifest?: string;
};

/** Adds the choice whether a run can write. */
export function consentOptions(command: Command): Command {
  return command
    .option('--read-only', 'send only GET requests')
    .option('--write', 'allow writes to a service that is not on this machine, or is behind a proxy');
}

/** Adds credentials and connection settings, each under its heading. */
export function accessOptions(command: Command): Command {
  return command
    .optionsGroup('Authentication:')
    .option('--bearer <token>', 'send Authorization: Bearer TOKEN (or set RECORD_MODEL_BEARER)')
    .option('--basic <user:password>', 'send Authorization: Basic … (or set RECORD_MODEL_BASIC)')
    .option('--api-key <name=value>', 'send this key in this header (or set RECORD_MODEL_API_KEY)')
    .option('--header <line>', 'send this header with each request, as "Name: value"; repeatable', values)
    .option('--cert <file>', 'send this client certificate (PEM)')
    .option('--key <file>', 'use this key of the client certificate (PEM), unless the certificate has it')
    .optionsGroup('Connection:')
    .option('--ca <file>', 'trust only these issuers of TLS certificates (PEM)')
    .option('--timeout <ms>', 'maximum time to wait for a response', wholeNumber(1, 600_000), 10_000)
    .option('--rate <number>', 'maximum number of requests per second', wholeNumber(1, 100_000))
    .option('--max-time <seconds>', 'stop after this time and clean up', wholeNumber(1, 1_000_000))
    .option('--insecure', 'accept any TLS certificate');
}

/** Adds the settings of the requests and the records, each under its heading. */
export function requestOptions(command: Command): Command {
  return command
    .option(
      '--concurrency <number>',
      'maximum number of requests at once (default: 16 on this machine, 4 elsewhere)',
      wholeNumber(1, 100),
    )
    .option(
      '--list-delay <ms>',
      'wait this long after a write before reading a list, for lists that lag behind',
      wholeNumber(1, 60_000),
    )
    .optionsGroup('Test data:')
    .option('--bindings <file>', 'use these IDs of existing records for links, such as product: [101, 102]')
    .option(
      '--pin <model.field=value>',
      'send only this value, as JSON or a string, or values of this form, such as deposit.balance={from: 1, to: 100}; repeatable',
      values,
    )
    .option('--pins <file>', 'send only the values that this file allows, such as share.number: "####"')
    .option(
      '--max-records <number>',
      'create at most this many records; skip the cases that need more',
      wholeNumber(1, 1_000_000),
    )
    .option(
      '--seed <number>',
      'choose test values by this seed; the same seed and tag send the same requests (default: 1000)',
      wholeNumber(0, 400_000),
    )
    .option(
      '--tag <text>',
      'put this tag into the strings that are sent, 2 to 12 letters and digits (default: random)',
      tag,
    );
}

/** Default file for the records that could not be deleted. */
export const MANIFEST = 'record-model-leftovers.json';
