import type { At, Defect, On, Problem } from '../defects/defect.ts';
import type { PlainOptions } from '../plain/options.ts';
import { linkOf, parentField } from '../source/links.ts';
import { MODELS, type Model, modelNamed } from '../source/source.ts';
import { type Forms, findProblems, isObject, now, sampleValue } from './forms.ts';
import { isGone, type Row, type Tables } from './tables.ts';

/** The options of a service that concern its records. */
type Habits = Forms & Pick<PlainOptions, 'unset' | 'deletes' | 'update' | 'lineIds' | 'loneLines'>;

export type Records = ReturnType<typeof createRecords>;

/** The handling of records that all foreign services share, over their own database. */
export function createRecords(tables: Tables, habits: Habits, defect?: Partial<Defect>) {
  return { at, problems, create, update, remove, show, live, list, members };

  function at(model: Model, on: On, more: Partial<At> = {}): At {
    return { model, on, tables, ...more };
  }

  /** Returns the errors in sent values, except those that the defect ignores. */
  function problems(model: Model, sent: Row, on: 'create' | 'update', before?: Row): Problem[] {
    const whole = on === 'create' || habits.update === 'full';
    const all = findProblems(model, sent, on, habits, { whole });
    const found = all.filter((problem) => !defect?.forgives?.(problem));
    if (found.length > 0) {
      const isRight = ([name]: [string, unknown]) => !found.some(({ field }) => field.name === name);
      const rest = members(model, Object.fromEntries(Object.entries(sent).filter(isRight)), on);
      defect?.refused?.(at(model, on, { sent, ...(before && { before, id: Number(before.id) }) }), rest);
    }
    return found;
  }

  /** The fields a client may write, and those that the defect lets it. */
  function members(model: Model, sent: Row, on: On): Row {
    const taken = model.fields.filter(
      (field) =>
        Object.hasOwn(sent, field.name) && (!field.readonly || defect?.takes?.(model, field, on) === true),
    );
    return Object.fromEntries(taken.map(({ name }) => [name, sent[name]]));
  }

  /** Gives the id of the new record. */
  function create(model: Model, sent: Row, parent?: readonly [field: string, id: number]): number {
    const values = members(model, sent, 'create');
    const kept = defect?.values?.(values, at(model, 'create', { sent: values })) ?? values;
    const dull = model.fields.filter((field) => field.readonly && (field.required || isCommon(field.name)));
    const row: Row = Object.fromEntries(dull.map((field) => [field.name, sampleValue(field, 0, habits)]));
    const { own, lines } = part(model, kept);
    const id = tables.insert(model.name, { ...row, ...own, ...(parent ? { [parent[0]]: parent[1] } : {}) });
    addLines(model, id, lines);
    if (!parent) tables.change(model.name, id, chooseParent(model));
    defect?.after?.(at(model, 'create', { id, sent: values }));
    return id;
  }

  /** Returns the readonly link of a line that a client creates by itself. */
  function chooseParent(model: Model): Row {
    if (habits.loneLines === 'stay alone') return {};
    for (const { name, fields } of MODELS.values()) {
      const link = parentField(name, model);
      if (!link?.readonly || !fields.some(({ lines }) => lines === model.name)) continue;
      const place = { 'share a draft': 0, 'join the newest': -1, 'get a parent': Number.NaN }[
        habits.loneLines
      ];
      const known = Number.isNaN(place) ? undefined : live(modelNamed(name)).at(place);
      const required = fields.filter((field) => field.required && !field.readonly);
      const values = Object.fromEntries(
        required.map((field) => [field.name, field.lines ? [] : sampleValue(field, 0, habits)]),
      );
      return { [link.name]: Number(known?.id ?? create(modelNamed(name), values)) };
    }
    return {};
  }

  function update(model: Model, before: Row, sent: Row): void {
    const id = Number(before.id);
    const values = members(model, sent, 'update');
    const kept = defect?.values?.(values, at(model, 'update', { id, sent: values, before })) ?? values;
    const { own, lines } = part(model, kept);
    const lost =
      habits.update === 'full'
        ? model.fields.filter(({ name, readonly }) => !readonly && !(name in kept))
        : [];
    const bare = Object.fromEntries(lost.map(({ name }) => [name, null]));
    tables.change(model.name, id, { updated: now(habits), ...bare, ...own });
    const gone = [...lines.keys(), ...lost.filter((field) => field.lines).map(({ name }) => name)];
    for (const name of gone) {
      const there = linesOf(model, id, name);
      const items = lines.get(name) ?? [];
      const kept = habits.lineIds === 'kept' ? there.slice(0, items.length) : [];
      const line = lineModel(model, name);
      const link = parentField(model.name, line)?.name;
      const own = link === undefined ? {} : { [link]: id };
      for (const [index, row] of kept.entries()) update(line, row, { ...items[index], ...own });
      for (const row of there.slice(kept.length)) drop(line, row);
      addLines(model, id, new Map([[name, items.slice(kept.length)]]));
    }
    defect?.after?.(at(model, 'update', { id, sent: values, before }));
  }

  function remove(model: Model, row: Row): void {
    const id = Number(row.id);
    if (!defect?.keeps?.(model)) drop(model, row);
    defect?.after?.(at(model, 'delete', { id, before: row }));
  }

  function drop(model: Model, row: Row): void {
    for (const field of model.fields)
      if (field.lines && habits.lines === 'objects' && !defect?.leavesLines)
        for (const line of linesOf(model, Number(row.id), field.name)) drop(modelNamed(field.lines), line);
    if (habits.deletes === 'remove') tables.remove(model.name, Number(row.id));
    else tables.change(model.name, Number(row.id), { deleted: habits.bool === 'int' ? 1 : true });
  }

  /** Splits sent values into lines by field and the rest. Lines as IDs are plain values. */
  function part(model: Model, values: Row): { own: Row; lines: Map<string, Row[]> } {
    const lines = new Map<string, Row[]>();
    const own = Object.entries(values).filter(([name, value]) => {
      const field = model.fields.find((known) => known.name === name);
      if (!field?.lines || habits.lines === 'ids') return true;
      lines.set(name, Array.isArray(value) ? value.filter(isObject) : []);
      return false;
    });
    return { own: Object.fromEntries(own), lines };
  }

  function addLines(model: Model, id: number, lines: ReadonlyMap<string, readonly Row[]>): void {
    for (const [name, items] of lines) {
      const line = lineModel(model, name);
      const link = parentField(model.name, line);
      for (const item of items) create(line, item, link ? [link.name, id] : undefined);
    }
  }

  function linesOf(model: Model, id: number, name: string): Row[] {
    const line = lineModel(model, name);
    const link = parentField(model.name, line)?.name ?? '';
    return live(line).filter((row) => row[link] === id);
  }

  function lineModel(model: Model, name: string): Model {
    return modelNamed(model.fields.find((field) => field.name === name)?.lines ?? '');
  }

  function live(model: Model): Row[] {
    return tables.all(model.name).filter((row) => !isGone(row));
  }

  /** A record as an answer shows it. */
  function show(model: Model, row: Row, on: On): Row {
    const shown: Row = {};
    for (const field of model.fields) {
      const full = field.lines && habits.lines === 'objects';
      const line = full ? modelNamed(field.lines ?? '') : undefined;
      const value = line
        ? linesOf(model, Number(row.id), field.name).map((item) => show(line, item, on))
        : (row[field.name] ?? null);
      if (value !== null || habits.unset !== 'absent') shown[field.name] = value;
    }
    return defect?.shown?.(shown, at(model, on, { id: Number(row.id) })) ?? shown;
  }

  function list(model: Model): Row[] {
    const rows = live(model).map((row) => show(model, row, 'list'));
    return defect?.listed?.(rows, at(model, 'list')) ?? rows;
  }
}

/** The records of other models that name this one, by the field that does. */
export function referrers(
  records: Records,
  model: Model,
  id: number,
): { model: Model; field: string; row: Row }[] {
  return [...MODELS.values()].flatMap((other) =>
    other.fields
      .filter((field) => field.type === 'int' && linkOf(other, field) === model.name)
      .flatMap((field) =>
        records
          .live(other)
          .filter((row) => row[field.name] === id)
          .map((row) => ({ model: other, field: field.name, row })),
      ),
  );
}

const isCommon = (name: string): boolean =>
  ['created', 'createUser', 'updated', 'updateUser', 'deleted'].includes(name);
