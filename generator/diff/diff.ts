import { compareSchemes, compareSecurity, compareServers } from './access.ts';
import type { Change, Note } from './change.ts';
import { isEqual, type Json, list, members, namesOf, resolve, shown } from './json.ts';
import { createMessageDiff } from './message-diff.ts';
import { compareRest } from './words.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** Members that are compared in detail. All others are compared as a whole. */
const ROOT = ['openapi', 'info', 'paths', 'components', 'security', 'servers'];
const OPERATION = ['operationId', 'parameters', 'requestBody', 'responses', 'security', 'servers'];

/**
 * Returns the changes from one OpenAPI document (3.0 or 3.1) to another, in their order, without descriptions and examples.
 * It is pure and accepts documents of any shape. No library fits: openapi-diff fails on circular references, and oasdiff
 * is written in Go.
 */
export function diffDocuments(before: Json, after: Json): Change[] {
  const changes = new Map<string, Change>();
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
      if (!isEqual(had[name], has[name]))
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
      return Object.entries(rest)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, operation]) => {
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

/** Returns a setting in words. A setting can depend on another one, and is missing if it does not apply. */
function setting(value: unknown): string {
  return value === undefined ? 'does not apply' : shown(value);
}

function settingsOf(document: Json): Json {
  return Object.fromEntries(
    list(document['x-assumptions']).map((one) => [String(members(one).setting), members(one).value]),
  );
}
