import {
  filterFields,
  filterOperators,
  firstPage,
  listParameterNames,
  MOST_SORTS,
  MOST_VALUES,
  operatorParameter,
  operatorsOf,
  sortFields,
} from '../../spec/binding.ts';
import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { closest } from '../../spec/files/usage-error.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, pagesOf, placeIn, sortingIn } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { ListQuery } from '../engine/engine.ts';
import type { Violation } from '../engine/violation.ts';
import type { Filter, Sort } from '../store/store.ts';
import { createValueValidators, readTextValue } from './body.ts';
import { describeUnknown, show } from './messages.ts';

/** Maximum length of a searched part of a string. */
export const LONGEST_PART = 200;

const ONE_SORT = 'must be the name of a sortable field, optionally with - in front';
const SORTS = `must be at most ${MOST_SORTS} names of sortable fields, separated by commas, each optionally with - in front`;

type Parameter =
  | { readonly kind: 'count'; readonly least: number; readonly use: 'offset' | 'page' | 'size' }
  | { readonly kind: 'sort' }
  | { readonly kind: 'filter'; readonly field: Field; readonly operator: Filter['operator'] }
  | { readonly kind: 'version' };

/** Reads query parameters as the settings under `list` and `version` name them. */
export function createQueryReader(profile: Profile) {
  const readOperands = createOperandReader(profile);
  // The parameters of every list. They have precedence over a field of the same name.
  const shared = new Map<string, Parameter>();
  const least = { offset: 0, page: firstPage(profile), size: 1 };
  for (const [use, name] of listParameterNames(profile))
    shared.set(name, use === 'sort' ? { kind: 'sort' } : { kind: 'count', least: least[use], use });
  const version = placeIn(profile.version);
  if (version?.in === 'query') shared.set(version.name, { kind: 'version' });
  const versionOnly = new Map([...shared].filter(([, parameter]) => parameter.kind === 'version'));
  const parametersIn = onceFor((model: Model): ReadonlyMap<string, Parameter> => {
    const filters = filterFields(model, profile).flatMap((field): [string, Parameter][] => [
      [field.name, { kind: 'filter', field, operator: 'equal' }],
      ...filterOperators(field, profile).map((operator): [string, Parameter] => [
        operatorParameter(field, operator),
        { kind: 'filter', field, operator },
      ]),
    ]);
    return new Map([...filters, ...shared]);
  });
  const first = pageOf(firstPage(profile), profile);
  const sortsByMany = sortingIn(profile['list.sort'])?.several === true;
  return {
    readList,
    /** Returns the violations of an operation whose only parameter is the version. */
    refuse: (search: string): readonly Violation[] => readParameters(search, versionOnly, profile).violations,
  };

  function readList(model: Model, search: string) {
    if (search === '') return { query: first, violations: [] };
    const hintOf = (name: string) => searchHint(name, model, profile) ?? describeLists(profile);
    const { values, violations } = readParameters(search, parametersIn(model), profile, hintOf);
    const counts: Partial<Record<'offset' | 'page' | 'size', number>> = {};
    const filters: Filter[] = [];
    let sort: ListQuery['sort'];
    for (const [name, parameter, text] of values) {
      const fail = (message: string) => violations.push({ pointer: '', parameter: name, message });
      if (parameter.kind === 'count') {
        const count = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;
        if (count < parameter.least)
          fail(`must be an integer of at least ${parameter.least}, but is ${show(text)}`);
        counts[parameter.use] = count;
      } else if (parameter.kind === 'sort') {
        sort = readSort(model, text);
        if (!sort) fail(`${sortsByMany ? SORTS : ONE_SORT}, but is ${show(text)}${nearSort(model, text)}`);
      } else if (parameter.kind === 'filter') {
        const { field, operator } = parameter;
        const read = readOperands(field, operator, wireOf(field, operator, text));
        if (typeof read === 'string') fail(read);
        else filters.push({ field: field.name, type: field.type, operator, values: read });
      }
    }
    const page = pageOf(counts.page ?? firstPage(profile), profile, counts.size, counts.offset);
    const query: ListQuery = { ...page, filters, ...(sort ? { sort } : {}) };
    return { query, violations };
  }

  function wireOf(field: Field, operator: Filter['operator'], text: string): Value {
    if (operator === 'null') return text === 'true' || (text === 'false' ? false : text);
    if (operator === 'contains') return text;
    if (operator === 'in') return text.split(',').map((part) => readTextValue(field, profile, part));
    return readTextValue(field, profile, text);
  }

  function readSort(model: Model, text: string): ListQuery['sort'] {
    const words = sortsByMany ? text.split(',') : [text];
    if (words.length > MOST_SORTS) return undefined;
    const known = sortFields(model, profile);
    const sorts = words.flatMap((word) => readSortWord(word, known) ?? []);
    return sorts.length === words.length ? sorts : undefined;
  }

  function nearSort(model: Model, text: string): string {
    const names = sortFields(model, profile).map(({ name }) => name);
    const near = closest(text.replace(/^-/, ''), names);
    return near === undefined ? '' : `. Did you mean ${text.startsWith('-') ? '-' : ''}${near}?`;
  }
}

/** Reads the name of a field, optionally with - in front; undefined for none of the fields. */
export function readSortWord(word: string, fields: readonly Field[]): Sort | undefined {
  const descending = word.startsWith('-');
  const field = fields.find(({ name }) => name === (descending ? word.slice(1) : word));
  return field && { field: field.name, type: field.type, descending };
}

/** The names that other APIs give to a parameter that searches strings. */
const SEARCH = /^(q|query|search|term)$|[_.[](i?like|i?contains)\]?$/i;

/** Says how to search strings if a parameter seems to do that; undefined otherwise. */
function searchHint(name: string, { fields }: Model, profile: Profile): string | undefined {
  const texts = fields.filter((field) => operatorsOf(field).includes('contains'));
  const field = texts.find((one) => name.startsWith(one.name)) ?? texts.find((one) => !one.readonly);
  if (!SEARCH.test(name) || !field || profile['list.filter'] === 'none') return undefined;
  const needs = filterOperators(field, profile).includes('contains')
    ? ''
    : ', which the profile accepts with list.filter: contains';
  return `To search for a part of a string, send ${operatorParameter(field, 'contains')}${needs}`;
}

function pageOf(page: number, profile: Profile, asked?: number, offset = 0): ListQuery {
  const pages = pagesOf(profile);
  if (!pages) return {};
  const size = Math.min(asked ?? pages.default, pages.max);
  return { offset: pages.style === 'offset' ? offset : (page - firstPage(profile)) * size, size };
}

function readParameters(
  search: string,
  known: ReadonlyMap<string, Parameter>,
  profile: Profile,
  hintOf?: (name: string) => string,
) {
  const values: (readonly [name: string, parameter: Parameter, text: string])[] = [];
  const violations: Violation[] = [];
  const seen = new Set<string>();
  for (const [name, text] of new URLSearchParams(search)) {
    const parameter = known.get(name);
    const fail = (message: string) => violations.push({ pointer: '', parameter: name, message });
    if (seen.has(name)) {
      if (parameter) fail('must appear only once in the query');
    } else if (parameter) {
      values.push([name, parameter, text]);
    } else if (profile['request.unknownFields'] === 'reject') {
      const unknown = describeUnknown(name, [...known.keys()], 'query parameter');
      const hint = hintOf?.(name);
      fail(hint === undefined ? unknown : `${unknown}${unknown.endsWith('?') ? '' : '.'} ${hint}`);
    }
    seen.add(name);
  }
  return { values, violations };
}

function describeLists(profile: Profile): string {
  const names = [...listParameterNames(profile).values()];
  const settings = [
    `list.paging is ${pagesOf(profile)?.style ?? 'none'}`,
    ...(['list.sort', 'list.filter'] as const).map((setting) => `${setting} is ${profile[setting]}`),
  ];
  const accepted = [...names, ...(profile['list.filter'] === 'none' ? [] : ['field names'])];
  return `Lists accept ${accepted.length === 0 ? 'no query parameters' : accepted.join(', ')} (${settings.join(', ')})`;
}

/** Returns a function that reads the values of a filter, or returns a string with the mistake. */
export function createOperandReader(profile: Profile) {
  const validate = createValueValidators(profile);
  return (field: Field, operator: Filter['operator'], given: Value): readonly Value[] | string => {
    const expect = (expected: string) => `must be ${expected}, but is ${show(given)}`;
    switch (operator) {
      case 'null':
        return typeof given === 'boolean' ? [given] : expect('true or false');
      case 'has':
        return Number.isSafeInteger(given) ? [given] : expect('an integer');
      case 'contains':
        return typeof given === 'string' && given !== '' && given.length <= LONGEST_PART
          ? [given]
          : expect(`a string of 1 to ${LONGEST_PART} characters`);
      case 'equal':
        return given === null ? [null] : read(field, [given]);
      case 'in':
        if (!Array.isArray(given)) return expect('a list of values');
        return given.length > MOST_VALUES
          ? `must have at most ${MOST_VALUES} values, but has ${given.length}`
          : read(field, given);
      default:
        return read(field, [given]);
    }
  };

  function read(field: Field, wires: readonly Value[]): readonly Value[] | string {
    if (wires.includes(null)) return `must be a value of type ${field.type}, but is ${show(wires.join())}`;
    const [wrong] = wires.flatMap((wire) => validate(field, wire));
    return wrong ? wrong.message : wires.map((wire) => decode(field, wire));
  }

  function decode(field: Field, wire: Value): Value {
    try {
      return WIRE_TYPES[field.type].decode(wire, { field, profile });
    } catch {
      // The form is valid, but it has no meaning, so no record has this value.
      return wire;
    }
  }
}
