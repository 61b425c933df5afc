import { compareSchemes, compareSecurity, compareServers } from './access.ts';
import type { Change, Note } from './change.ts';
import { isEqual, type Json, list, members, namesOf, resolve, shown } from './json.ts';
import { createSchemaDiff } from './schema-diff.ts';
import { compareRest } from './words.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/** What is compared word by word; all others as a whole. */
const ROOT = ['openapi', 'info', 'paths', 'components', 'security', 'servers'];
const OPERATION = ['operationId', 'parameters', 'requestBody', 'responses', 'security', 'servers'];
const PARAMETER = ['name', 'in', 'required', 'schema', 'content'];

/**
 * What changed from one OpenAPI document (3.0 or 3.1) to another, in their order. Descriptions and examples do not count.
 * Pure; takes documents of any shape.
 */
export function diffDocuments(before: Json, after: Json): Change[] {
  const changes = new Map<string, Change>();
  const note: Note = (place, what, breaking) => {
    changes.set(`${place}\n${what}`, { place, what, breaking });
  };
  const compareSchema = createSchemaDiff({ before, after }, note);
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
        note('x-assumptions', `${name} ${shown(had[name])} → ${shown(has[name])}`, false);
  }

  function compareOperation(was: Json, is: Json, name: string): void {
    const place = String(is.operationId ?? was.operationId ?? name);
    if (Object.keys(is).length === 0) note(place, `is gone (${was['x-name']})`, true);
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
    compareParameters(was, is, place);
    compareBody(resolve(was.requestBody, before), resolve(is.requestBody, after), place);
    compareAnswers(members(was.responses), members(is.responses), place);
  }

  function compareParameters(was: Json, is: Json, place: string): void {
    const [had, has] = [parametersOf(was, before), parametersOf(is, after)];
    for (const name of namesOf(had, has)) {
      const [old, now] = [members(had[name]), members(has[name])];
      const at = `${place} ${now.in ?? old.in} ${now.name ?? old.name}`;
      if (!Object.hasOwn(has, name)) note(at, 'is gone', true);
      else if (!Object.hasOwn(had, name))
        note(at, now.required === true ? 'is new, and required' : 'is new', now.required === true);
      else {
        if ((old.required === true) !== (now.required === true))
          note(at, now.required === true ? 'is required now' : 'is optional now', now.required === true);
        // Clients fill in a path by its places.
        if (old.name !== now.name) note(at, `was called ${shown(old.name)}`, false);
        compareRest(old, now, PARAMETER, note, at);
        compareContent(members(old.content), members(now.content), 'request', at);
        compareSchema({ before: old.schema ?? {}, after: now.schema ?? {} }, 'request', at);
      }
    }
  }

  function compareBody(was: Json, is: Json, place: string): void {
    if (was.content === undefined && is.content === undefined) return;
    const at = `${place} body`;
    if ((was.required === true) !== (is.required === true))
      note(at, is.required === true ? 'is required now' : 'is optional now', is.required === true);
    compareRest(was, is, ['required', 'content'], note, at);
    compareContent(members(was.content), members(is.content), 'request', at);
  }

  function compareAnswers(was: Json, is: Json, place: string): void {
    for (const status of namesOf(was, is)) {
      const at = `${place} ${status}`;
      const isSuccess = /^2/.test(status);
      if (!Object.hasOwn(is, status)) note(at, 'is answered no more', isSuccess);
      else if (!Object.hasOwn(was, status)) note(at, 'is answered too', isSuccess);
      else {
        const [old, now] = [resolve(was[status], before), resolve(is[status], after)];
        compareRest(old, now, ['content', 'headers'], note, at);
        compareHeaders(members(old.headers), members(now.headers), at);
        compareContent(members(old.content), members(now.content), 'answer', at);
      }
    }
  }

  function compareHeaders(was: Json, is: Json, place: string): void {
    const [had, has] = [lowerCased(was), lowerCased(is)];
    for (const name of namesOf(had, has)) {
      const at = `${place} header ${name}`;
      const [old, now] = [resolve(had[name], before), resolve(has[name], after)];
      if (!Object.hasOwn(has, name)) note(at, 'is gone', true);
      else if (!Object.hasOwn(had, name)) note(at, 'is new', false);
      else {
        if ((old.required === true) !== (now.required === true))
          note(
            at,
            now.required === true ? 'is always there now' : 'may be missing now',
            now.required !== true,
          );
        compareRest(old, now, ['required', 'schema'], note, at);
        compareSchema({ before: old.schema ?? {}, after: now.schema ?? {} }, 'answer', at);
      }
    }
  }

  function compareContent(was: Json, is: Json, direction: 'request' | 'answer', at: string): void {
    for (const type of namesOf(was, is)) {
      if (!Object.hasOwn(is, type)) note(at, `${type} is gone`, true);
      else if (!Object.hasOwn(was, type)) note(at, `${type} is new`, false);
      else {
        const [old, now] = [members(was[type]), members(is[type])];
        compareRest(old, now, ['schema'], note, `${at} ${type}`);
        const schemas = { before: old.schema ?? {}, after: now.schema ?? {} };
        compareSchema(schemas, direction, `${at} ${direction}`);
      }
    }
  }
}

/** The operations of a document by method and path, whatever the parameters in the path are called. */
function operationsOf(document: Json): Json {
  const paths = Object.entries(members(document.paths));
  const shapes = Map.groupBy(paths, ([path]) => shapeOf(path));
  return Object.fromEntries(
    paths.flatMap(([path, item]) => {
      const { parameters = [], ...rest } = resolve(item, document);
      const shape = shapes.get(shapeOf(path))?.length === 1 ? shapeOf(path) : path;
      // What the path says, it says of each of its operations.
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

/** The parameters of an operation, by where they stand and what they are called; those of the path by their place. */
function parametersOf(operation: Json, document: Json): Json {
  const places = [...String(operation['x-name']).matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  return Object.fromEntries(
    list(operation.parameters).map((one) => {
      const parameter = resolve(one, document);
      const { in: where, name } = parameter;
      const place = where === 'path' ? places.indexOf(String(name)) : -1;
      return [`${where} ${place < 0 ? name : `{${place}}`}`, withDefaults(parameter)];
    }),
  );
}

/** How values are written when nothing is said (OpenAPI, "Parameter Object"). */
function withDefaults(parameter: Json): Json {
  const style = ['query', 'cookie'].includes(String(parameter.in)) ? 'form' : 'simple';
  return { style, explode: (parameter.style ?? style) === 'form', ...parameter };
}

function lowerCased(headers: Json): Json {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function settingsOf(document: Json): Json {
  return Object.fromEntries(
    list(document['x-assumptions']).map((one) => [String(members(one).setting), members(one).value]),
  );
}
