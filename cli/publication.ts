import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadFixtures } from '../fixtures/fixtures.ts';
import type { DocumentOptions } from '../generator/generate.ts';
import { OPENAPI_VERSIONS, type OpenApiVersion } from '../generator/version.ts';
import { words } from './options.ts';

/** What a document says beside its contract, as it is asked for. */
export type PublicationOptions = {
  readonly catalogue?: string;
  readonly server?: readonly string[];
  readonly title?: string;
  readonly license?: string;
  readonly contact?: string;
  readonly tags?: 'area' | 'model';
  readonly openapi?: OpenApiVersion;
  readonly models?: readonly string[];
  readonly area?: readonly string[];
};

/** The options that say what a document says beside its contract. */
export function documentOptions(command: Command): Command {
  return command
    .option('--server <url>', 'where the service is; may be given again (default: the mock)', collectUrl)
    .option('--title <text>', 'the title of the document (default: that of the catalogue)')
    .option('--license <id>', 'the SPDX licence, or the address of the terms (default: MIT)')
    .option('--contact <who>', 'a name, an email address or a URL of whoever runs the service')
    .addOption(new Option('--tags <by>', 'what operations are grouped by').choices(['model', 'area']));
}

/** The options of a document of its own. */
export function publicationOptions(command: Command): Command {
  return documentOptions(selectionOptions(command)).addOption(
    new Option('--openapi <version>', 'of the document (default: 3.1)').choices(OPENAPI_VERSIONS),
  );
}

/** The options that say which part of the contract is meant. */
export function selectionOptions(command: Command): Command {
  return command
    .option('--models <names>', 'only these models and the lines in them, separated by commas', words)
    .option('--area <names>', 'only the models of these areas', words);
}

/**
 * The part of a document that the options mean. Its examples are records of the demo club, which a catalogue of one's
 * own has none of.
 */
export function publicationOf(options: PublicationOptions): DocumentOptions {
  const { area, catalogue, contact, license, models, openapi, server, tags, title } = options;
  return {
    ...(catalogue === undefined ? { records: loadFixtures('demo') } : {}),
    ...(server === undefined ? {} : { servers: server }),
    ...(title === undefined ? {} : { title }),
    ...(contact === undefined ? {} : { contact: contactOf(contact) }),
    ...(license === undefined ? {} : { license: licenseOf(license) }),
    ...(tags === undefined ? {} : { tags }),
    ...(openapi === undefined ? {} : { openapi }),
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

function collectUrl(text: string, before: readonly string[] = []): string[] {
  if (isUrl(text) || /^\/[^\s]*$/.test(text)) return [...before, text];
  throw new InvalidArgumentError('Expected a URL such as https://api.example.com, or a path such as /.');
}

function isUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
