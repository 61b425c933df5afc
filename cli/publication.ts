import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadFixtures } from '../fixtures/fixtures.ts';
import type { DocumentOptions } from '../generator/generate.ts';
import type { IdFormat, OpenApiVersion } from '../generator/version.ts';
import { repeatable, words } from './options.ts';

/** The flags for the parts of a document that are not in the contract. */
export type PublicationOptions = {
  readonly catalogue?: string;
  readonly server?: readonly string[];
  readonly title?: string;
  readonly license?: string;
  readonly contact?: string;
  readonly tags?: 'area' | 'model';
  readonly openapi?: OpenApiVersion;
  readonly idFormat?: IdFormat;
  readonly compact?: true;
  readonly models?: readonly string[];
  readonly area?: readonly string[];
};

/** Adds the options for the parts of a document that are not in the contract. */
export function documentOptions(command: Command): Command {
  return command
    .optionsGroup('Publication:')
    .option('--title <text>', 'title of the document (default: the title of the catalogue)')
    .option('--server <url>', 'URL of the service; repeatable (default: the mock)', urls)
    .option('--license <id>', 'SPDX license ID, or a URL of the terms (default: MIT)')
    .option('--contact <who>', 'name, email address, or URL of the team that runs the service')
    .addOption(
      new Option('--tags <by>', 'group operations by model or by area (default: model)').choices([
        'model',
        'area',
      ]),
    );
}

/** Adds the options that select a part of the contract. */
export function selectionOptions(command: Command): Command {
  return command
    .option('--models <names>', 'include only these models and their lines, separated by commas', words)
    .option('--area <names>', 'include only the models of these areas, separated by commas', words);
}

/** Returns the document options of a command. The examples are records of the demo club, so another API has none. */
export function publicationOf(options: PublicationOptions): DocumentOptions {
  const { area, catalogue, compact, contact, idFormat, license, models, openapi, server, tags, title } =
    options;
  return {
    ...(catalogue === undefined ? { records: loadFixtures('demo') } : {}),
    ...(server === undefined ? {} : { servers: server }),
    ...(title === undefined ? {} : { title }),
    ...(contact === undefined ? {} : { contact: contactOf(contact) }),
    ...(license === undefined ? {} : { license: licenseOf(license) }),
    ...(tags === undefined ? {} : { tags }),
    ...(openapi === undefined ? {} : { openapi }),
    ...(idFormat === undefined ? {} : { idFormat }),
    ...(compact === undefined ? {} : { compact }),
    selection: { ...(models && { models }), ...(area && { areas: area }) },
  };
}

function contactOf(who: string): { name?: string; email?: string; url?: string } {
  if (isUrl(who)) return { url: who };
  return /^[^\s@]+@[^\s@]+$/.test(who) ? { email: who } : { name: who };
}

function licenseOf(license: string): { name: string; identifier?: string; url?: string } {
  return isUrl(license) ? { name: 'Terms of use', url: license } : { name: license, identifier: license };
}

const urls = repeatable((text) => {
  if (isUrl(text) || /^\/[^\s]*$/.test(text)) return [text];
  throw new InvalidArgumentError('Pass a URL such as https://api.example.com, or a path such as /.');
});

function isUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
