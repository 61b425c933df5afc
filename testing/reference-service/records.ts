import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { createForms, isObject } from './forms.ts';

/** Rules to break, each for one model or one `model.field`. */
export type Breaks = {
  /** A required field that is not asked for. */
  readonly acceptMissing: string;
  readonly storeReadonly: string;
  readonly acceptAnyValue: string;
  /** A field that an update loses unless it is sent. */
  readonly forgetOnUpdate: string;
  /** A field shown as a text, or as a list where it is a text already. */
  readonly wrongType: string;
  /** A model whose records PUT changes as POST does. */
  readonly allowPut: string;
  /** A model whose deletes do nothing. */
  readonly keepDeleted: string;
  /** A model whose deletes take the record before along. */
  readonly neighborLost: string;
  readonly createAnswers500: string;
};

export type ReferenceFacts = Omit<Contract, 'profile'> & {
  readonly breaks: Partial<Breaks>;
};

/** A record with its values as shown; its lines are IDs of other records. */
export type Row = Map<string, unknown>;
export type Shown = Readonly<Record<string, unknown>>;
type Table = { last: number; readonly rows: Map<unknown, Row> };

/** The records of every model, and what may be done to them. */
export function createReferenceRecords({ catalogue, references, breaks }: ReferenceFacts, said: Profile) {
  const forms = createForms(said);
  const inFull = said['types.lines'] === 'objects';
  const tables = new Map<string, Table>();
  for (const model of catalogue.models.values()) {
    tables.set(model.name, { last: 0, rows: new Map() });
    // Otherwise, a model without create would have no records.
    if (!model.operations.includes('create')) for (let seed = 0; seed < 2; seed++) insert(model, new Map());
  }
  return { change, count, erase, find, insert, rows, show, understand, yes: forms.yes };

  function rows(model: Model): Row[] {
    return [...tableOf(model).rows.values()];
  }

  function find(model: Model, id: number): Row | undefined {
    return tableOf(model).rows.get(id);
  }

  /** The values to keep, or what is wrong with them. A line is `within` its parent by the field that names it. */
  function understand(model: Model, sent: Shown, updates: boolean, within?: Field): Row | string {
    const values: Row = new Map();
    const stranger = Object.keys(sent).find((key) => !model.fields.some(({ name }) => name === key));
    if (stranger !== undefined && said['request.unknownFields'] === 'reject') return `${stranger} is unknown`;
    for (const field of model.fields) {
      const named = Object.hasOwn(sent, field.name);
      const kept = field !== within && (!field.readonly || (named && breaks.storeReadonly === field.key));
      if (field.readonly && named && said['request.readonlyFields'] === 'reject')
        return `${field.name} is readonly`;
      const isKept = !named && updates && said['request.update'] !== 'full';
      if (!kept || (isKept && (said['request.update'] === 'partial' || !field.required))) continue;
      const value = named ? understandValue(model, field, sent[field.name]) : null;
      if (value === undefined) return `${field.name} is no ${field.type}`;
      const isBlank = value === '' && said['request.blankStrings'] === 'reject' && forms.isFree(field);
      if ((value === null || isBlank) && field.required && breaks.acceptMissing !== field.key)
        return `${field.name} is missing`;
      values.set(field.name, value);
    }
    return values;
  }

  function understandValue(model: Model, field: Field, sent: unknown): unknown {
    if (breaks.acceptAnyValue === field.key && sent !== null) return sent;
    const value = forms.take(sent, field);
    if (!linksHold(field, value)) return undefined;
    if (!field.lines || !inFull || !Array.isArray(value)) return value;
    const line = lineModel(field);
    const lines = value.map((item) => understand(line, item, false, parentLink(line, model, references)));
    return lines.some((item) => typeof item === 'string') ? undefined : lines;
  }

  function linksHold(field: Field, value: unknown): boolean {
    const link = references.get(field.key);
    const checks = said['request.references'];
    if (checks === 'accept' || (checks === 'some' && !field.required)) return true;
    if (value === null || value === undefined || field.readonly || !link || !('to' in link)) return true;
    const ids = [value].flat().map((item) => (isObject(item) ? item.id : item));
    return ids.every((id) => tables.get(link.to)?.rows.has(id));
  }

  function insert(model: Model, values: Row): Row {
    const table = tableOf(model);
    // Fields that no client sends also have values.
    const given = model.fields.filter((field) => field.common || (field.required && !values.has(field.name)));
    const row: Row = new Map(given.map((field) => [field.name, forms.dull(field)]));
    row.set('id', ++table.last);
    table.rows.set(table.last, row);
    return put(model, row, values);
  }

  function change(model: Model, row: Row, values: Row): Row {
    for (const field of model.fields) {
      if (field.common && field.name === 'updated') row.set(field.name, forms.dull(field));
      if (breaks.forgetOnUpdate === field.key && !values.has(field.name)) row.set(field.name, null);
    }
    return put(model, row, values);
  }

  function put(model: Model, row: Row, values: Row): Row {
    for (const [name, value] of values) {
      const field = model.fields.find((candidate) => candidate.name === name);
      if (field?.lines && inFull) replaceLines(model, row, field, value as Row[] | null);
      else row.set(name, value);
    }
    return row;
  }

  function replaceLines(parent: Model, row: Row, field: Field, lines: readonly Row[] | null): void {
    const model = lineModel(field);
    const link = parentLink(model, parent, references)?.name;
    for (const line of linesOf(row, field)) erase(model, line);
    const linked = lines?.map((line) => (link ? new Map([...line, [link, row.get('id')]]) : line));
    row.set(field.name, linked?.map((line) => insert(model, line).get('id')) ?? null);
  }

  function erase(model: Model, row: Row): void {
    for (const field of model.fields)
      if (field.lines && inFull) for (const line of linesOf(row, field)) erase(lineModel(field), line);
    if (said['delete.effect'] !== 'remove') row.set('deleted', forms.yes);
    else tableOf(model).rows.delete(row.get('id'));
  }

  function show(model: Model, row: Row): Shown {
    const shown: Record<string, unknown> = {};
    for (const field of model.fields) {
      const own = row.get(field.name) ?? null;
      const whole = field.lines && inFull && own !== null;
      const value = whole ? linesOf(row, field).map((line) => show(lineModel(field), line)) : own;
      if (value !== null || said['response.unset'] === 'null') shown[field.name] = value;
      if (value !== null && breaks.wrongType === field.key)
        shown[field.name] = typeof value === 'string' ? [value] : String(value);
    }
    return shown;
  }

  function linesOf(row: Row, field: Field): Row[] {
    const ids = (row.get(field.name) ?? []) as number[];
    return ids
      .map((id) => find(lineModel(field), id))
      .filter((line) => line !== undefined && isLive(line)) as Row[];
  }

  function count(): number {
    return [...catalogue.models.values()].reduce((sum, model) => sum + rows(model).filter(isLive).length, 0);
  }

  function tableOf(model: Model): Table {
    return tables.get(model.name) ?? { last: 0, rows: new Map() };
  }

  function lineModel(field: Field): Model {
    const model = catalogue.models.get(field.lines ?? '');
    if (!model) throw new Error(`${field.key} holds no lines`);
    return model;
  }
}

export function isLive(row: Row): boolean {
  return !row.get('deleted');
}
