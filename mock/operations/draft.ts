import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import { LONGEST_LIST, type Value } from '../../spec/types/wire-type.ts';
import type { RecordCodec, RecordValues } from '../../spec/wire/record-codec.ts';
import { readTextValue } from './text-value.ts';
import type { BodyValidators } from './validators.ts';
import { type Draft, pointerTo, type Violation } from './violation.ts';

export type ReadDraft = (model: Model, operation: 'create' | 'update', fields: RecordValues) => Draft;

/** Turns the fields of a body into canonical values, checked by the document's schema of the body. */
export function createDraftReader(
  catalogue: Catalogue,
  profile: Profile,
  codec: RecordCodec,
  validators: BodyValidators,
): ReadDraft {
  const fieldsOf = new Map(
    [...catalogue.models.values()].map((model) => [
      model.name,
      new Map(model.fields.map((field) => [field.name, field])),
    ]),
  );
  const linesOf = new Map(
    [...catalogue.models.values()].map((model) => [
      model.name,
      model.fields.flatMap(({ name, lines }) => (lines === undefined ? [] : [[name, lines] as const])),
    ]),
  );
  return (model, operation, fields) => {
    const found: Violation[] = [];
    const wire = prepare(model.name, fields, '', found);
    found.push(...(validators.get(`${model.name}.${operation}`)?.(wire) ?? []));
    if (found.length === 0) {
      try {
        const values = codec.decode(model.name, wire);
        return { values: withLineIds(model.name, fields, values), violations: [] };
      } catch {
        // Some value has the right form and means nothing, such as a 31st of February; below it is found.
      }
    }
    return readRest(model.name, wire, found);
  };

  /** What is sent without its readonly fields; texts of a form turned into what they stand for. */
  function prepare(model: string, sent: RecordValues, pointer: string, found: Violation[]): RecordValues {
    const kept: (readonly [string, Value])[] = [];
    let differs = false;
    for (const [name, value] of Object.entries(sent)) {
      const field = fieldsOf.get(model)?.get(name);
      const at = pointerTo(pointer, name);
      if (field?.readonly === true) {
        if (profile['request.readonlyFields'] === 'reject')
          found.push({ pointer: at, message: 'is readonly; expected to be left out' });
        differs = true;
        continue;
      }
      const prepared = field ? prepareValue(field, value, at, found) : value;
      differs ||= prepared !== value;
      kept.push([name, prepared]);
    }
    // Not assigned one by one: a field may be called __proto__.
    return differs ? Object.fromEntries(kept) : sent;
  }

  /** The id of a line is readonly, and yet says which line is meant: it is read beside what is stored. */
  function withLineIds(model: string, sent: RecordValues, values: RecordValues): RecordValues {
    let marked = values;
    for (const [name, line] of linesOf.get(model) ?? []) {
      const [items, given] = [values[name], sent[name]];
      if (!Array.isArray(items) || !Array.isArray(given)) continue;
      const all = items.map((item: Value, index) => markWithId(line, given[index], item));
      marked = { ...marked, [name]: all };
    }
    return marked;
  }

  function markWithId(model: string, sent: Value, values: Value): Value {
    if (!isFields(sent) || !isFields(values)) return values;
    const inner = withLineIds(model, sent, values);
    const id = fieldsOf.get(model)?.get('id');
    if (!id || !Object.hasOwn(sent, 'id')) return inner;
    return { ...inner, id: asSent(id, sent.id ?? null) };
  }

  function prepareValue(field: Field, value: Value, at: string, found: Violation[]): Value {
    if (Array.isArray(value) && value.length > LONGEST_LIST) {
      found.push({ pointer: at, message: `has ${value.length} items; expected at most ${LONGEST_LIST}` });
      return [];
    }
    const line = field.lines;
    if (line !== undefined && Array.isArray(value) && profile['types.lines'] === 'objects')
      return value.map((item, index) =>
        isFields(item) ? prepare(line, item, pointerTo(at, index), found) : item,
      );
    return asSent(field, value);
  }

  function asSent(field: Field, value: Value): Value {
    return profile['request.encoding'] === 'form' ? readTextValue(field, profile, value) : value;
  }

  /** The values that nothing is wrong with, beside all that is wrong with the others. */
  function readRest(model: string, wire: RecordValues, found: readonly Violation[]): Draft {
    const wrong = new Set(found.map(({ pointer }) => pointer.split('/', 2).join('/')));
    const meaningless: Violation[] = [];
    const values: Record<string, Value> = {};
    for (const [name, value] of Object.entries(wire)) {
      const pointer = pointerTo('', name);
      if (wrong.has(pointer) || !fieldsOf.get(model)?.has(name)) continue;
      const messages = refuseMeaning(model, name, value, pointer);
      meaningless.push(...messages);
      if (messages.length === 0) Object.assign(values, codec.decode(model, { [name]: value }));
    }
    const all = new Map<string, Violation>();
    for (const violation of [...found, ...meaningless])
      if (!all.has(violation.pointer)) all.set(violation.pointer, violation);
    return { values, violations: [...all.values()] };
  }

  function refuseMeaning(model: string, name: string, value: Value, pointer: string): Violation[] {
    const line = fieldsOf.get(model)?.get(name)?.lines;
    if (line !== undefined && Array.isArray(value))
      return value.flatMap((item, index) =>
        Object.entries(isFields(item) ? item : {}).flatMap(([inner, innerValue]) =>
          refuseMeaning(line, inner, innerValue, pointerTo(pointerTo(pointer, index), inner)),
        ),
      );
    try {
      codec.decode(model, { [name]: value });
      return [];
    } catch (error) {
      return [{ pointer, message: (error as Error).message }];
    }
  }
}

function isFields(value: Value): value is RecordValues {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
