import { moved, type Note } from './change.ts';
import { isEqual, type Json, list, members, namesOf, resolve, shown } from './json.ts';
import { bare, compareRest } from './words.ts';

/**
 * Compares what a client must show. It breaks where a way in that was enough is so no more: one of the new ways must
 * ask for nothing beyond it.
 */
export function compareSecurity(before: unknown, after: unknown, note: Note, place: string): void {
  const [were, are] = [waysOf(before), waysOf(after)];
  const isIn = (ways: readonly Json[], way: Json) => ways.some((one) => isEqual(one, way));
  if (were.every((way) => isIn(are, way)) && are.every((way) => isIn(were, way))) return;
  const breaks = were.some((way) => !are.some((now) => isEnough(way, now)));
  const asks = are.every((way) => Object.keys(way).length > 0);
  const what = breaks ? 'requires other credentials now' : 'also accepts other credentials now';
  note(place, asks ? what : 'requires no credentials now', breaks);
}

/** No requirement at all is one that asks for nothing. */
function waysOf(security: unknown): Json[] {
  const ways = list(security).map(members);
  return ways.length === 0 ? [{}] : ways;
}

function isEnough(held: Json, asked: Json): boolean {
  return Object.entries(asked).every(
    ([scheme, scopes]) =>
      Object.hasOwn(held, scheme) && list(scopes).every((scope) => list(held[scheme]).includes(scope)),
  );
}

/** Compares how credentials are shown. Whether one is asked for, the requirements say. */
export function compareSchemes(before: Json, after: Json, note: Note): void {
  const schemesOf = (document: Json) => members(members(document.components).securitySchemes);
  const [were, are] = [schemesOf(before), schemesOf(after)];
  for (const name of namesOf(were, are)) {
    const place = `securitySchemes ${name}`;
    const tell = (what: string) => () => note(place, what, false);
    if (moved(were, are, name, tell('is removed'), tell('is new'))) continue;
    compareRest(resolve(were[name], before), resolve(are[name], after), [], note, place);
  }
}

/** Compares where the service is. */
export function compareServers(before: unknown, after: unknown, note: Note, place: string): void {
  const [were, are] = [serversOf(before), serversOf(after)];
  const isIn = (servers: readonly unknown[], server: unknown) => servers.some((one) => isEqual(one, server));
  for (const server of were) if (!isIn(are, server)) note(place, `${urlOf(server)} is removed`, true);
  for (const server of are) if (!isIn(were, server)) note(place, `${urlOf(server)} is new`, false);
}

/** The default is the root of where the document is (OpenAPI, "OpenAPI Object"). */
function serversOf(servers: unknown): unknown[] {
  const all = list(servers).map((server) => bare(server));
  return all.length === 0 ? [{ url: '/' }] : all;
}

function urlOf(server: unknown): string {
  const { url, ...rest } = members(server);
  return Object.keys(rest).length === 0 ? shown(url) : shown(server);
}
