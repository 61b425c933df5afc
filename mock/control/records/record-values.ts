import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { UsageError } from '../../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE, type Profile } from '../../../spec/profile/profile.ts';
import { refusesBlank, WIRE_TYPES } from '../../../spec/types/types.ts';
import { LONGEST_LIST, type Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import type { LineRelation, LineRelations } from '../../engine/relations.ts';
import { type Draft, MOST_VIOLATIONS, pointerTo, type Violation } from '../../engine/violation.ts';
import type { createValueValidators } from '../../operations/body.ts';
import { DEEPEST_JSON, isDeeper, isFields, TOO_DEEP } from '../../operations/body.ts';
import { BLANK, describeUnknown, show } from '../../operations/messages.ts';
import { createCoercion } from '../../seed/read-values.ts';

/** Reads the values of a record in the form of fixtures. Throws UsageError if they are nested too deeply. */
export type ReadValues = (model: Model, given: object, operation: 'create' | 'update') => Draft;

/** Returns a function that checks values in the form of fixtures, also in lines, and converts them. */
export function createValueReader(
  profile: Profile,
  relations: LineRelations,
  validate: ReturnType<typeof createValueValidators>,
): ReadValues {
  const { asShown, isDefault } = createCoercion(profile);
  return (model, given, operation) => {
    if (isDeeper(given, DEEPEST_JSON)) throw new UsageError(`The ${model.name} ${TOO_DEEP}`);
    const violations: Violation[] = [];
    const values = readFields(model, given, { isNew: operation === 'create', pointer: '', violations });
    return { values: violations.length > 0 ? {} : values, violations, isPartial: true };
  };

  function readFields(
    model: Model,
    given: object,
    place: {
      readonly isNew: boolean;
      readonly pointer: string;
      readonly violations: Violation[];
      /** In a line: the field with the ID of its parent, which is set for it. */
      readonly link?: string | undefined;
    },
  ): RecordValues {
    const { isNew, link, pointer, violations } = place;
    const isLine = pointer !== '';
    const note = (name: string, message: string) =>
      violations.push({ pointer: pointerTo(pointer, name), message });
    const fields = new Map(model.fields.map((field) => [field.name, field]));
    const values: (readonly [string, Value])[] = [];
    for (const [name, value] of Object.entries(given)) {
      // The response lists only the first violations, and a search for all of them would delay other clients.
      if (violations.length >= MOST_VIOLATIONS) break;
      if (value === undefined) continue;
      const field = fields.get(name);
      if (!field) note(name, describeUnknown(name, writableOf(model), `writable field of ${model.name}`));
      else if (isLine && name === 'id' && Number.isSafeInteger(value)) values.push([name, value]);
      else if (field.readonly) note(name, 'is readonly and must not be sent');
      else if (value === null && field.required) note(name, 'must have a value, but is null');
      else if (value === '' && refusesBlank(field, profile)) note(name, BLANK);
      else if (value === null) values.push([name, null]);
      else values.push([name, readValue(model, field, value, { ...place, isNew })]);
    }
    if (isNew)
      for (const { name, readonly, required } of model.fields)
        if (required && !readonly && name !== link && (given as RecordValues)[name] === undefined)
          note(name, 'is required');
    return Object.fromEntries(values);
  }

  function readValue(
    model: Model,
    field: Field,
    value: Value,
    place: { readonly isNew: boolean; readonly pointer: string; readonly violations: Violation[] },
  ): Value {
    const pointer = pointerTo(place.pointer, field.name);
    const note = (message: string) => {
      place.violations.push({ pointer, message });
      return null;
    };
    const relation = relations.ofParent(model).find((one) => one.field === field);
    if (relation) return readLines(relation, value, { ...place, pointer });
    const wrong = validate(field, value);
    for (const one of wrong) place.violations.push({ pointer: pointer + one.pointer, message: one.message });
    if (wrong.length > 0) return null;
    try {
      const canonical = WIRE_TYPES[field.type].decode(value, { field, profile: DEFAULT_PROFILE });
      if (isDefault) return canonical;
      const shown = asShown(field, canonical);
      return 'value' in shown
        ? shown.value
        : note(`does not fit the profile of the mock: it ${shown.wrong.trim()}`);
    } catch (error) {
      return note(`is invalid: ${(error as Error).message}`);
    }
  }

  function readLines(
    { line, link }: LineRelation,
    value: Value,
    place: { readonly isNew: boolean; readonly pointer: string; readonly violations: Violation[] },
  ): Value {
    const { pointer, violations } = place;
    const refuse = (message: string, at = pointer) => {
      violations.push({ pointer: at, message });
      return null;
    };
    if (!Array.isArray(value)) return refuse(`must be an array, but is ${show(value)}`);
    if (value.length > LONGEST_LIST)
      return refuse(`must have at most ${LONGEST_LIST} items, but has ${value.length}`);
    const isIds = profile['types.lines'] === 'ids';
    return value.map((item: Value, index): Value => {
      const at = pointerTo(pointer, index);
      if (isIds && Number.isSafeInteger(item)) return item;
      if (!isFields(item))
        return refuse(`must be ${isIds ? 'an ID or ' : ''}an object, but is ${show(item)}`, at);
      // The ID of a line names an existing line to change.
      const isNew = item.id === undefined || place.isNew;
      return readFields(line, item, { isNew, pointer: at, violations, link });
    });
  }
}

function writableOf({ fields }: Model): string[] {
  return fields.filter(({ readonly }) => !readonly).map(({ name }) => name);
}
