import { quote } from '../../conformance/results/text.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Contract } from '../../spec/contract.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';
import { headerIn, placeIn } from '../../spec/profile/profile.ts';

/**
 * Returns a request that works as printed: a list with records, with the required credentials and version. It prefers a
 * model with a required string, because such records are easy to recognize.
 */
export function hintOf(
  url: string,
  { catalogue, profile }: Contract,
  /** The models that have records. */
  filled: readonly string[],
  users: string | undefined,
): string {
  const user = users === undefined ? undefined : readUser(users);
  const lists = [...catalogue.models.values()].filter(({ operations }) => operations.includes('list'));
  const open = lists.filter(({ name }) => user?.models?.includes(name) ?? true);
  const withRecords = open.filter(({ name }) => filled.includes(name));
  const model = withRecords.find(hasRequiredText) ?? withRecords[0] ?? open[0] ?? lists[0];
  const place = placeIn(profile.version);
  const isQuery = place?.in === 'query';
  const query = isQuery ? `?${place.name}=${catalogue.version}` : '';
  const header = (name: string, value: string) => `-H ${quote(`${name}: ${value}`)} `;
  const version = place?.in === 'header' ? header(place.name, catalogue.version) : '';
  const address = `${url}${catalogue.base}/${model?.name ?? ''}${query}`;
  const key = headerIn(profile.auth);
  const known: Readonly<Record<string, string>> = {
    bearer: header('authorization', `Bearer ${user?.token ?? 'demo'}`),
    basic: `-u ${quote(user?.token ?? 'demo:demo')} `,
  };
  const credentials = key === undefined ? (known[profile.auth] ?? '') : header(key, user?.token ?? 'demo');
  return `curl ${credentials}${version}${isQuery ? quote(address) : address}`;
}

function hasRequiredText({ fields }: Model): boolean {
  return fields.some(
    ({ common, readonly, required, type }) => type === 'string' && required && !readonly && !common,
  );
}

type Person = { readonly token: string; readonly models?: readonly string[]; readonly expires?: string };

/** Returns the first user whose credentials do not expire, or else the first user. */
function readUser(path: string): Person | undefined {
  const users = readYamlFile(path).value as readonly Person[];
  return users.find(({ expires }) => expires === undefined) ?? users[0];
}
