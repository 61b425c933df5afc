import type { Contract } from '../../spec/contract.ts';
import { readYamlFile } from '../../spec/files/yaml-file.ts';

/** A request that works as printed: of a list that has records, with the credentials and the version it needs. */
export function hintOf(
  url: string,
  { catalogue, profile }: Contract,
  /** The models whose lists have records. */
  filled: readonly string[],
  users: string | undefined,
): string {
  const user = users === undefined ? undefined : readUser(users);
  const lists = [...catalogue.models.values()].filter(({ operations }) => operations.includes('list'));
  const open = lists.filter(({ name }) => user?.models?.includes(name) ?? true);
  const model = open.find(({ name }) => filled.includes(name)) ?? open[0] ?? lists[0];
  const isQuery = profile['version.in'] === 'query';
  const query = isQuery ? `?${profile['version.name']}=${catalogue.version}` : '';
  const header = (name: string, value: string) => `-H ${quote(`${name}: ${value}`)} `;
  const version =
    profile['version.in'] === 'header' ? header(profile['version.name'], catalogue.version) : '';
  const address = `${url}${catalogue.base}/${model?.name ?? ''}${query}`;
  const credentials = {
    none: '',
    bearer: header('authorization', `Bearer ${user?.token ?? 'demo'}`),
    basic: `-u ${quote(user?.token ?? 'demo:demo')} `,
    apiKey: header(profile['auth.header'], user?.token ?? 'demo'),
  }[profile['auth.scheme']];
  return `curl ${credentials}${version}${isQuery ? quote(address) : address}`;
}

/** A word for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

type Person = { readonly token: string; readonly models?: readonly string[]; readonly expires?: string };

/** Somebody whose credentials are good for a while: the first without an end, or else the first. */
function readUser(path: string): Person | undefined {
  const users = readYamlFile(path).value as readonly Person[];
  return users.find(({ expires }) => expires === undefined) ?? users[0];
}
