import type { Change, Note } from './change.ts';
import { isEqual, type Json, list, members, namesOf, resolve, shown } from './json.ts';
import { createSchemaDiff } from './schema-diff.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

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
    if (!isEqual(before.security, after.security)) {
      const asks = list(after.security).length > 0;
      note('security', asks ? 'other credentials are asked for' : 'no credentials are asked for', asks);
    }
    const [had, has] = [settingsOf(before), settingsOf(after)];
    for (const name of namesOf(had, has))
      if (!isEqual(had[name], has[name]))
        note('x-assumptions', `${name} ${shown(had[name])} → ${shown(has[name])}`, false);
  }

  function compareOperation(was: Json, is: Json, name: string): void {
    const place = String(is.operationId ?? was.operationId ?? name);
    if (Object.keys(is).length === 0) note(place, `is gone (${name})`, true);
    else if (Object.keys(was).length === 0) note(place, `is new (${name})`, false);
    else compareBoth(was, is, place);
  }

  function compareBoth(was: Json, is: Json, place: string): void {
    if (was.operationId !== is.operationId)
      note(place, `operationId ${shown(was.operationId)} → ${shown(is.operationId)}`, false);
    compareParameters(was, is, place);
    compareBody(resolve(was.requestBody, before), resolve(is.requestBody, after), place);
    compareAnswers(members(was.responses), members(is.responses), place);
  }

  function compareParameters(was: Json, is: Json, place: string): void {
    const [had, has] = [parametersOf(was, before), parametersOf(is, after)];
    for (const name of namesOf(had, has)) {
      const [old, now] = [members(had[name]), members(has[name])];
      const at = `${place} ${name}`;
      if (!Object.hasOwn(has, name)) note(at, 'is gone', true);
      else if (!Object.hasOwn(had, name))
        note(at, now.required === true ? 'is new, and required' : 'is new', now.required === true);
      else {
        if ((old.required === true) !== (now.required === true))
          note(at, now.required === true ? 'is required now' : 'is optional now', now.required === true);
        compareSchema({ before: old.schema, after: now.schema }, 'request', at);
      }
    }
  }

  function compareBody(was: Json, is: Json, place: string): void {
    if (was.content === undefined && is.content === undefined) return;
    const at = `${place} body`;
    if ((was.required === true) !== (is.required === true))
      note(at, is.required === true ? 'is required now' : 'is optional now', is.required === true);
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
        compareContent(members(old.content), members(now.content), 'answer', at);
      }
    }
  }

  function compareContent(was: Json, is: Json, direction: 'request' | 'answer', at: string): void {
    for (const type of namesOf(was, is)) {
      if (!Object.hasOwn(is, type)) note(at, `${type} is gone`, true);
      else if (!Object.hasOwn(was, type)) note(at, `${type} is new`, false);
      else
        compareSchema(
          { before: members(was[type]).schema, after: members(is[type]).schema },
          direction,
          `${at} ${direction}`,
        );
    }
  }
}

/** The operations of a document by method and path. */
function operationsOf(document: Json): Json {
  return Object.fromEntries(
    Object.entries(members(document.paths)).flatMap(([path, item]) => {
      const { parameters = [], ...methods } = resolve(item, document);
      return Object.entries(methods)
        .filter(([method]) => METHODS.includes(method))
        .map(([method, operation]) => {
          const own = members(operation);
          const all = [...list(parameters), ...list(own.parameters)];
          return [`${method.toUpperCase()} ${path}`, { ...own, parameters: all }] as const;
        });
    }),
  );
}

/** The parameters of an operation, by where they stand and what they are called. */
function parametersOf(operation: Json, document: Json): Json {
  return Object.fromEntries(
    list(operation.parameters).map((one) => {
      const parameter = resolve(one, document);
      return [`${parameter.in} ${parameter.name}`, parameter];
    }),
  );
}

function settingsOf(document: Json): Json {
  return Object.fromEntries(
    list(document['x-assumptions']).map((one) => [String(members(one).setting), members(one).value]),
  );
}
