import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { Contract } from '../../spec/contract.ts';
import { onceFor } from '../../spec/once-for.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import { refusesBlank, TYPES } from '../../spec/types/types.ts';
import { type Context, LONGEST_LIST, type Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Draft, MOST_VIOLATIONS, pointerTo, type Violation } from '../engine/violation.ts';
import { createValueValidators, isFields } from './body.ts';
import { BLANK, describeUnknown, show } from './messages.ts';
import { readTextValue } from './text-value.ts';

export type ReadDraft = (model: Model, operation: 'create' | 'update', fields: RecordValues) => Draft;

/** Returns a value in the form that the profile can show, or the reason why it has none. */
type Convert = (field: Field, value: Value) => { readonly value: Value } | { readonly wrong: string };

/** A record, or a line of it, that is being read. */
type ReadingPlace = {
  readonly operation: 'create' | 'update';
  readonly pointer: string;
  /** Whether required fields must be there. */
  readonly isNew: boolean;
  /** In a line: the field with the ID of its parent, which the service sets. */
  readonly link?: string | undefined;
  readonly violations: Violation[];
  readonly ignored: string[];
};

/** The facts about a field that do not depend on its values. */
type Part = Context & {
  readonly line: Model | undefined;
  /** Whether lines can be given by their IDs. */
  readonly acceptsIds: boolean;
  readonly isRequired: boolean;
  readonly refusesBlank: boolean;
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
  const planOf = onceFor((model: Model) => {
    const own = profileAt(profile, model.name);
    const parts = model.fields.map(
      (field): Part => ({
        field,
        profile: profileAt(forms, field.key),
        line: catalogue.models.get(field.lines ?? ''),
        acceptsIds: profileAt(profile, field.key)['types.lines'] === 'ids',
        isRequired: field.required && !field.readonly,
        refusesBlank: refusesBlank(field, profile),
      }),
    );
    return {
      parts,
      byName: new Map(parts.map((part) => [part.field.name, part])),
      required: parts.filter(({ isRequired }) => isRequired).map(({ field }) => field.name),
      writable: parts.filter(({ field }) => !field.readonly).map(({ field }) => field.name),
      isPartial: isFixture || own['request.update'] === 'partial',
      ignoresReadonly: !isFixture && own['request.readonlyFields'] === 'ignore',
      ignoresUnknown: !isFixture && own['request.unknownFields'] === 'ignore',
    };
  });
  return (model, operation, sent) => {
    const [violations, ignored]: [Violation[], string[]] = [[], []];
    const isNew = operation === 'create' || !planOf(model).isPartial;
    const values = readFields(model, sent, { operation, pointer: '', isNew, violations, ignored });
    return { values, violations, ignored, isPartial: isFixture };
  };

  /** Returns the valid values. */
  function readFields(model: Model, sent: RecordValues, place: ReadingPlace): RecordValues {
    const { ignored, isNew, link, operation, pointer, violations } = place;
    // The response lists only the first violations, and a search for all of them would delay other clients.
    if (violations.length >= MOST_VIOLATIONS) return {};
    const { byName, ignoresReadonly, ignoresUnknown, parts, required, writable } = planOf(model);
    // The readonly ID of a line names the line to change.
    const namesLine = pointer !== '' && (isFixture || (operation === 'update' && ignoresReadonly));
    const isRead = ({ field }: Part) => !field.readonly || (namesLine && field.name === 'id');
    const note = (name: string, message: string) =>
      violations.push({ pointer: pointerTo(pointer, name), message });
    const unknown: string[] = [];
    for (const name in sent) {
      const part = byName.get(name);
      if (sent[name] === undefined || (part && isRead(part))) continue;
      if (part ? ignoresReadonly : ignoresUnknown) {
        if (ignored.length < MOST_VIOLATIONS) ignored.push(pointerTo(pointer, name));
      } else if (part) note(name, 'is readonly and must not be sent');
      else unknown.push(name);
    }
    for (const name of isNew ? required : [])
      if (name !== link && valueIn(sent, name) === undefined) note(name, 'is required');
    for (const name of unknown.slice(0, MOST_VIOLATIONS))
      note(name, describeUnknown(name, writable, `writable field${isFixture ? ` of ${model.name}` : ''}`));
    const values: Record<string, Value> = {};
    for (const part of parts) {
      const { name } = part.field;
      const value = valueIn(sent, name);
      if (value === undefined || !isRead(part)) continue;
      const before = violations.length;
      const read = readValue(model, part, value, place);
      if (violations.length === before) values[name] = read;
    }
    return values;
  }

  /** Returns the canonical value; null for an invalid one. */
  function readValue(model: Model, part: Part, sent: Value, place: ReadingPlace): Value {
    const { acceptsIds, field, line } = part;
    if (Array.isArray(sent) && sent.length > LONGEST_LIST)
      return refuse(place, field, `must have at most ${LONGEST_LIST} items, but has ${sent.length}`);
    if (line && Array.isArray(sent) && (isFixture || !acceptsIds)) {
      const pointer = pointerTo(place.pointer, field.name);
      const link = parentLink(line, model, references)?.name;
      return sent.map((item: Value, index): Value => {
        if (acceptsIds && Number.isSafeInteger(item)) return item;
        if (!isFields(item)) {
          const expected = acceptsIds ? 'an ID or an object' : 'an object';
          return refuse(place, field, `must be ${expected}, but is ${show(item)}`, pointerTo('', index));
        }
        const isNew = !isFixture || place.operation === 'create' || item.id === undefined;
        return readFields(line, item, { ...place, isNew, pointer: pointerTo(pointer, index), link });
      });
    }
    const wire = isForm ? readTextValue(field, part.profile, sent) : sent;
    if (wire === null)
      return part.isRequired || field.name === 'id'
        ? refuse(place, field, 'must have a value, but is null')
        : null;
    if (wire === '' && part.refusesBlank) return refuse(place, field, BLANK);
    const wrong = validate(field, wire);
    for (const one of wrong) refuse(place, field, one.message, one.pointer);
    if (wrong.length > 0) return null;
    try {
      const value = TYPES[field.type].decode(wire, part);
      const shown = convert?.(field, value) ?? { value };
      if ('value' in shown) return shown.value;
      return refuse(place, field, `does not fit the profile of the mock: it ${shown.wrong.trim()}`);
    } catch (error) {
      return refuse(place, field, `is invalid: ${(error as Error).message}`);
    }
  }
}

/** Notes a violation in the value of a field. Returns null, in place of the value. */
function refuse(place: ReadingPlace, { name }: Field, message: string, within = ''): null {
  place.violations.push({ pointer: pointerTo(place.pointer, name) + within, message });
  return null;
}

function valueIn(sent: RecordValues, name: string): Value | undefined {
  return Object.hasOwn(sent, name) ? sent[name] : undefined;
}
