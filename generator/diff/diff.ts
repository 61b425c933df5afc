import { isDeepStrictEqual } from 'node:util';
import { createMessageDiff } from './message-diff.ts';
import {
  bare,
  compareRest,
  type DocumentChange,
  includes,
  type Json,
  list,
  members,
  moved,
  type Note,
  namesOf,
  resolve,
  shown,
} from './words.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Members that are compared in detail. All others are compared as a whole. */
const ROOT = ['openapi', 'info', 'paths', 'components', 'security', 'servers'];
const OPERATION = ['operationId', 'parameters', 'requestBody', 'responses', 'security', 'servers'];

/**
 * Returns the changes from one OpenAPI document (3.0 or 3.1) to another, in their order, without descriptions and examples.
 * It is pure and accepts documents of any shape. No library fits: openapi-diff fails on circular references, and oasdiff
 * is written in Go.
 */
export function diffDocuments(before: Json, after: Json): DocumentChange[] {
  const changes = new Map<string, DocumentChange>();
  const note: Note = (place, what, breaking, isSetting) => {
    changes.set(`${place}\n${what}`, { place, what, breaking, ...(isSetting && { isSetting }) });
  };
  const compareMessages = createMessageDiff({ before, after }, note);
  compareWhole();
  const [were, are] = [operationsOf(before), operationsOf(after)];
  for (const name of namesOf(were, are)) compareOperation(members(were[name]), members(are[name]), name);
  return [...changes.values()];

  function compareWhole(): void {
    const version = (document: Json) => members(document.info).version;
    if (version(before) !== version(after))
      note('info', `version ${shown(version(before))} → ${shown(version(after))}`, false);
    compareSecurity(before.security, after.security, note, 'security');
    compareSchemes(before, after, note);
    compareServers(before.servers, after.servers, note, 'servers');
    compareRest(before, after, ROOT, note, 'document');
    const [had, has] = [settingsOf(before), settingsOf(after)];
    for (const name of namesOf(had, has))
      if (!isDeepStrictEqual(had[name], has[name]))
        note(name, `${setting(had[name])} → ${setting(has[name])}`, false, true);
  }

  function compareOperation(was: Json, is: Json, name: string): void {
    const place = String(is.operationId ?? was.operationId ?? name);
    if (Object.keys(is).length === 0) note(place, `is removed (${was['x-name']})`, true);
    else if (Object.keys(was).length === 0) note(place, `is new (${is['x-name']})`, false);
    else compareBoth(was, is, place);
  }

  function compareBoth(was: Json, is: Json, place: string): void {
    if (was.operationId !== is.operationId)
      note(place, `operationId ${shown(was.operationId)} → ${shown(is.operationId)}`, false);
    if (was.security !== undefined || is.security !== undefined)
      compareSecurity(was.security ?? before.security, is.security ?? after.security, note, place);
    if (was.servers !== undefined || is.servers !== undefined)
      compareServers(was.servers ?? before.servers, is.servers ?? after.servers, note, place);
    compareRest(was, is, OPERATION, note, place);
    compareMessages(was, is, place);
  }
}

/** Returns the operations by method and path, without the names of path parameters. */
function operationsOf(document: Json): Json {
  const paths = Object.entries(members(document.paths));
  const shapes = Map.groupBy(paths, ([path]) => shapeOf(path));
  return Object.fromEntries(
    paths.flatMap(([path, item]) => {
      const { parameters = [], ...rest } = resolve(item, document);
      const shape = shapes.get(shapeOf(path))?.length === 1 ? shapeOf(path) : path;
      // Members of the path apply to each of its operations.
      const common = Object.entries(rest).filter(([word]) => !METHODS.includes(word));
      const operations = Object.entries(rest).filter(([word]) => METHODS.includes(word));
      return operations.map(([method, operation]) => {
        const own = members(operation);
        const all = [...list(parameters), ...list(own.parameters)];
        const name = `${method.toUpperCase()} ${path}`;
        const whole = { ...Object.fromEntries(common), ...own, parameters: all, 'x-name': name };
        return [`${method.toUpperCase()} ${shape}`, whole] as const;
      });
    }),
  );
}

function shapeOf(path: string): string {
  return path.replaceAll(/\{[^{}]*\}/g, '{}');
}

/** Returns a setting in words. A document can lack it. */
function setting(value: unknown): string {
  return value === undefined ? 'no setting' : shown(value);
}

function settingsOf(document: Json): Json {
  return Object.fromEntries(
    list(document['x-assumptions']).map((one) => [String(members(one).setting), members(one).value]),
  );
}

/**
 * Compares the credentials that a client must send. The change is breaking if credentials that were enough are not
 * enough now.
 */
function compareSecurity(before: unknown, after: unknown, note: Note, place: string): void {
  const [were, are] = [waysOf(before), waysOf(after)];
  if (were.every((way) => includes(are, way)) && are.every((way) => includes(were, way))) return;
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
function compareSchemes(before: Json, after: Json, note: Note): void {
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
function compareServers(before: unknown, after: unknown, note: Note, place: string): void {
  const [were, are] = [serversOf(before), serversOf(after)];
  for (const server of were) if (!includes(are, server)) note(place, `${urlOf(server)} is removed`, true);
  for (const server of are) if (!includes(were, server)) note(place, `${urlOf(server)} is new`, false);
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
