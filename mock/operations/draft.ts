import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { type Profile, profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { refusesBlank, WIRE_TYPES } from '../../spec/types/types.ts';
import { LONGEST_LIST, type Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Draft, MOST_VIOLATIONS, pointerTo, type Violation } from '../engine/violation.ts';
import { createValueValidators, isFields } from './body.ts';
import { BLANK, describeUnknown, show } from './messages.ts';
import { readTextValue } from './text-value.ts';

export type ReadDraft = (model: Model, operation: 'create' | 'update', fields: RecordValues) => Draft;

/** Returns a value in the form that the profile can show, or the reason why it has none. */
type Convert = (field: Field, value: Value) => { readonly value: Value } | { readonly wrong: string };

/** A record, or a line of it, that is being read. */
type Place = {
  readonly operation: 'create' | 'update';
  readonly pointer: string;
  /** Whether required fields must be there. */
  readonly isNew: boolean;
  /** In a line: the field with the ID of its parent, which the service sets. */
  readonly link?: string | undefined;
  readonly violations: Violation[];
  readonly ignored: string[];
};

/**
 * Returns a function that checks the fields of a body, also in lines, and converts them to canonical values. `forms` is
 * the profile of their wire forms. Fixtures have those of the default profile, and `convert`.
 */
export function createDraftReader(
  contract: Contract,
  forms = contract.profile,
  convert?: Convert,
): ReadDraft {
  const { catalogue, profile, references } = contract;
  const isFixture = convert !== undefined;
  const isForm = forms['request.encoding'] === 'form';
  const validate = createValueValidators(forms);
  const planOf = onceFor((model: Model) => ({
    own: profileAt(profile, model.name),
    fields: new Map(model.fields.map((field) => [field.name, field])),
    writable: model.fields.filter(({ readonly }) => !readonly),
  }));
  return (model, operation, sent) => {
    const [violations, ignored]: [Violation[], string[]] = [[], []];
    const needsRequired = operation === 'create' || (!isFixture && !isPartial(planOf(model).own));
    const place: Place = { operation, pointer: '', isNew: needsRequired, violations, ignored };
    return { values: readFields(model, sent, place), violations, ignored, isPartial: isFixture };
  };

  /** Returns the valid values. */
  function readFields(model: Model, sent: RecordValues, place: Place): RecordValues {
    const { ignored, isNew, link, operation, pointer, violations } = place;
    // The response lists only the first violations, and a search for all of them would delay other clients.
    if (violations.length >= MOST_VIOLATIONS) return {};
    const { fields, own, writable } = planOf(model);
    const ignoresReadonly = !isFixture && own['request.readonlyFields'] === 'ignore';
    const ignoresUnknown = !isFixture && own['request.unknownFields'] === 'ignore';
    // The readonly ID of a line names the line to change.
    const namesLine = pointer !== '' && (isFixture || (operation === 'update' && ignoresReadonly));
    const isRead = (field: Field) => !field.readonly || (namesLine && field.name === 'id');
    const note = (name: string, message: string) =>
      violations.push({ pointer: pointerTo(pointer, name), message });
    const unknown: string[] = [];
    for (const name in sent) {
      const field = fields.get(name);
      if (field && isRead(field)) continue;
      if (field ? ignoresReadonly : ignoresUnknown) {
        if (ignored.length < MOST_VIOLATIONS) ignored.push(pointerTo(pointer, name));
      } else if (field) note(name, 'is readonly and must not be sent');
      else unknown.push(name);
    }
    for (const { name, required } of isNew ? writable : [])
      if (required && name !== link && valueIn(sent, name) === undefined) note(name, 'is required');
    const names = writable.map(({ name }) => name);
    for (const name of unknown.slice(0, MOST_VIOLATIONS))
      note(name, describeUnknown(name, names, `writable field${isFixture ? ` of ${model.name}` : ''}`));
    const values: (readonly [string, Value])[] = [];
    for (const field of model.fields) {
      const value = valueIn(sent, field.name);
      if (value === undefined || !isRead(field)) continue;
      const before = violations.length;
      const read = readValue(model, field, value, place);
      if (violations.length === before) values.push([field.name, read]);
    }
    // Not assigned one by one, because a field can have the name __proto__.
    return Object.fromEntries(values);
  }

  /** Returns the canonical value; null for an invalid one. */
  function readValue(model: Model, field: Field, sent: Value, place: Place): Value {
    const pointer = pointerTo(place.pointer, field.name);
    const note = (message: string, at = pointer) => {
      place.violations.push({ pointer: at, message });
      return null;
    };
    if (Array.isArray(sent) && sent.length > LONGEST_LIST)
      return note(`must have at most ${LONGEST_LIST} items, but has ${sent.length}`);
    const line = catalogue.models.get(field.lines ?? '');
    const acceptsIds = profileAt(profile, field.key)['types.lines'] === 'ids';
    if (line && Array.isArray(sent) && (isFixture || !acceptsIds)) {
      const link = parentLink(line, model, references)?.name;
      return sent.map((item: Value, index): Value => {
        const at = pointerTo(pointer, index);
        if (acceptsIds && Number.isSafeInteger(item)) return item;
        if (!isFields(item))
          return note(`must be ${acceptsIds ? 'an ID or ' : ''}an object, but is ${show(item)}`, at);
        const isNew = !isFixture || place.operation === 'create' || item.id === undefined;
        return readFields(line, item, { ...place, isNew, pointer: at, link });
      });
    }
    const wire = isForm ? readTextValue(field, forms, sent) : sent;
    if (wire === null)
      return field.required || field.name === 'id' ? note('must have a value, but is null') : null;
    if (wire === '' && refusesBlank(field, profile)) return note(BLANK);
    const wrong = validate(field, wire);
    for (const one of wrong) note(one.message, pointer + one.pointer);
    if (wrong.length > 0) return null;
    try {
      const value = WIRE_TYPES[field.type].decode(wire, { field, profile: forms });
      const shown = convert?.(field, value) ?? { value };
      if ('value' in shown) return shown.value;
      return note(`does not fit the profile of the mock: it ${shown.wrong.trim()}`);
    } catch (error) {
      return note(`is invalid: ${(error as Error).message}`);
    }
  }
}

function isPartial(profile: Profile): boolean {
  return profile['request.update'] === 'partial';
}

function valueIn(sent: RecordValues, name: string): Value | undefined {
  return Object.hasOwn(sent, name) ? sent[name] : undefined;
}
