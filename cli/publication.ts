import { loadFixtures } from '../fixtures/fixtures.ts';
import type { DocumentOptions } from '../generator/generate.ts';
import { type ContractOptions, isUrl, type SelectionOptions, selectionOf } from './options.ts';

/** The options for the parts of a document that are not in the contract. */
export type PublicationOptions = ContractOptions &
  SelectionOptions &
  Pick<DocumentOptions, 'title' | 'tags' | 'openapi' | 'idFormat' | 'compact'> & {
    readonly server?: readonly string[];
    readonly license?: string;
    readonly contact?: string;
  };

/** Returns the document options of a command. The examples are records of the demo club, so another API has none. */
export function publicationOf(options: PublicationOptions): DocumentOptions {
  const { catalogue, compact, contact, idFormat, license, openapi, server, tags, title } = options;
  return {
    ...{ compact, idFormat, openapi, tags, title, servers: server },
    records: catalogue === undefined ? loadFixtures('demo') : undefined,
    contact: contact === undefined ? undefined : contactOf(contact),
    license: license === undefined ? undefined : licenseOf(license),
    selection: selectionOf(options),
  };
}

function contactOf(who: string): { name?: string; email?: string; url?: string } {
  if (isUrl(who)) return { url: who };
  return /^[^\s@]+@[^\s@]+$/.test(who) ? { email: who } : { name: who };
}

function licenseOf(license: string): { name: string; identifier?: string; url?: string } {
  return isUrl(license) ? { name: 'Terms of use', url: license } : { name: license, identifier: license };
}
