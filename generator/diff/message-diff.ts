import { moved, type Note } from './change.ts';
import { type Json, list, members, namesOf, resolve, shown } from './json.ts';
import { createSchemaDiff, type Direction, type Documents } from './schema-diff.ts';
import { compareRest } from './words.ts';

/** What is compared word by word; all others as a whole. */
const PARAMETER = ['name', 'in', 'required', 'schema', 'content'];

/** Compares what two operations take and answer: parameters, body, answers with their headers. */
export function createMessageDiff({ before, after }: Documents, note: Note) {
  const compareSchema = createSchemaDiff({ before, after }, note);
  return (was: Json, is: Json, place: string): void => {
    compareParameters(was, is, place);
    compareBody(resolve(was.requestBody, before), resolve(is.requestBody, after), place);
    compareAnswers(members(was.responses), members(is.responses), place);
  };

  function compareParameters(was: Json, is: Json, place: string): void {
    const [had, has] = [parametersOf(was, before), parametersOf(is, after)];
    for (const name of namesOf(had, has)) {
      const [old, now] = [members(had[name]), members(has[name])];
      const at = `${place} ${now.in ?? old.in} ${now.name ?? old.name}`;
      const isNeeded = now.required === true;
      const isNew = isNeeded ? 'is new and required' : 'is new';
      const tell = (what: string, breaks: boolean) => () => note(at, what, breaks);
      if (moved(had, has, name, tell('is removed', true), tell(isNew, isNeeded))) continue;
      compareRequired(old, now, at);
      // Clients fill in a path by its places.
      if (old.name !== now.name) note(at, `was called ${shown(old.name)}`, false);
      compareRest(old, now, PARAMETER, note, at);
      compareContent(members(old.content), members(now.content), 'request', at);
      compareSchema({ before: old.schema ?? {}, after: now.schema ?? {} }, 'request', at);
    }
  }

  function compareRequired(was: Json, is: Json, at: string): void {
    const isNeeded = is.required === true;
    if ((was.required === true) !== isNeeded)
      note(at, isNeeded ? 'is required now' : 'is optional now', isNeeded);
  }

  function compareBody(was: Json, is: Json, place: string): void {
    if (was.content === undefined && is.content === undefined) return;
    const at = `${place} body`;
    compareRequired(was, is, at);
    compareRest(was, is, ['required', 'content'], note, at);
    compareContent(members(was.content), members(is.content), 'request', at);
  }

  function compareAnswers(was: Json, is: Json, place: string): void {
    for (const status of namesOf(was, is)) {
      const at = `${place} ${status}`;
      const isSuccess = status.startsWith('2');
      const tell = (what: string) => () => note(at, what, isSuccess);
      if (moved(was, is, status, tell('is no longer returned'), tell('is also returned now'))) continue;
      const [old, now] = [resolve(was[status], before), resolve(is[status], after)];
      compareRest(old, now, ['content', 'headers'], note, at);
      compareHeaders(members(old.headers), members(now.headers), at);
      compareContent(members(old.content), members(now.content), 'response', at);
    }
  }

  function compareHeaders(was: Json, is: Json, place: string): void {
    const [had, has] = [lowerCased(was), lowerCased(is)];
    for (const name of namesOf(had, has)) {
      const at = `${place} header ${name}`;
      const tell = (what: string, breaks: boolean) => () => note(at, what, breaks);
      if (moved(had, has, name, tell('is removed', true), tell('is new', false))) continue;
      const [old, now] = [resolve(had[name], before), resolve(has[name], after)];
      const isSure = now.required === true;
      if ((old.required === true) !== isSure)
        note(at, isSure ? 'is always present now' : 'might be missing now', !isSure);
      compareRest(old, now, ['required', 'schema'], note, at);
      compareSchema({ before: old.schema ?? {}, after: now.schema ?? {} }, 'response', at);
    }
  }

  function compareContent(was: Json, is: Json, direction: Direction, at: string): void {
    for (const type of namesOf(was, is)) {
      const tell = (what: string, breaks: boolean) => () => note(at, `${type} is ${what}`, breaks);
      if (moved(was, is, type, tell('removed', true), tell('new', false))) continue;
      const [old, now] = [members(was[type]), members(is[type])];
      compareRest(old, now, ['schema'], note, `${at} ${type}`);
      compareSchema({ before: old.schema ?? {}, after: now.schema ?? {} }, direction, `${at} ${direction}`);
    }
  }
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
