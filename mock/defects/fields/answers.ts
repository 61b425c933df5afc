import type { Model, Operation } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import type { Contract } from '../../../spec/contract.ts';
import { parentLink } from '../../../spec/references.ts';
import { WIRE_TYPES } from '../../../spec/types/types.ts';
import { type Defect, fieldDefect, has, modelDefect } from '../defect.ts';
import { onShown, type Wire } from '../on-wire.ts';
import { wrongForm } from '../wrong-forms.ts';

/** The operations that answer with records. */
const SHOWING = ['retrieve', 'list', 'create', 'update'] as const;

const details = (_: unknown, model: Model): Operation[] =>
  SHOWING.filter((operation) => has(model, operation));

/** Fields that are not what the source says, in the answers to one operation (section 2). */
export const fieldDefects: readonly Defect[] = [
  fieldDefect({
    name: 'fields.missing',
    violates: 'omits a field from its responses',
    rules: ['fields.shown', 'required.present', 'fields.id', 'profile.response.unset'],
    // Where unset fields are left out, an optional one that is never shown may be unset.
    applies: (field, _, { profile }) =>
      field.required ||
      field.name === 'id' ||
      field.role === 'created' ||
      field.role === 'deleted' ||
      profile['response.unset'] === 'null',
    details,
    decorate: (place, contract) =>
      onShown(place.model, [place.detail], contract, ({ [place.field.name]: _, ...others }) => others),
  }),
  fieldDefect({
    name: 'fields.null',
    violates: 'returns a required field without a value',
    rules: ['required.present', 'fields.id'],
    applies: (field) => field.required || isIdField(field),
    details,
    decorate: (place, contract) =>
      onShown(place.model, [place.detail], contract, (wire) => ({ ...wire, [place.field.name]: null })),
  }),
  fieldDefect({
    name: 'fields.wrong-type',
    violates: 'returns a field with a value of another type',
    rules: ['fields.type', 'fields.id'],
    applies: () => true,
    details,
    decorate: (place, contract) =>
      onShown(place.model, [place.detail], contract, (wire) => ({
        ...wire,
        [place.field.name]: wrongForm(place.field),
      })),
  }),
  fieldDefect({
    name: 'fields.id-as-text',
    violates: 'returns the id as a string',
    rules: ['fields.id', 'fields.type'],
    applies: isIdField,
    details,
    decorate: (place, contract) =>
      onShown(place.model, [place.detail], contract, (wire) => ({ ...wire, id: String(wire.id) })),
  }),
  fieldDefect({
    name: 'fields.wrong-type-in-line',
    violates: 'returns lines with a field whose value has another type',
    rules: ['fields.type'],
    applies: (field, _, { profile }) => field.lines !== undefined && profile['types.lines'] === 'objects',
    details: ({ lines = '' }, _, { catalogue }) =>
      (catalogue.models.get(lines)?.fields ?? []).map(({ name }) => name),
    decorate: ({ model, field, detail }, contract) => {
      const inner = contract.catalogue.models.get(field.lines ?? '')?.fields ?? [];
      const wrong = inner.filter(({ name }) => name === detail);
      const broken = Object.fromEntries(wrong.map((part) => [part.name, wrongForm(part)]));
      return onShown(
        model,
        SHOWING,
        contract,
        inLines(field, (line) => ({ ...line, ...broken })),
      );
    },
  }),
  fieldDefect({
    name: 'fields.missing-in-line',
    violates: 'returns lines without a required field',
    rules: ['required.present'],
    applies: (field, _, { profile }) => field.lines !== undefined && profile['types.lines'] === 'objects',
    details: ({ lines = '' }, model, { catalogue, references }) => {
      const line = catalogue.models.get(lines);
      // A line in its parent need not say which one that is.
      const parent = line && parentLink(line, model, references);
      return (line?.fields ?? []).filter((part) => part.required && part !== parent).map(({ name }) => name);
    },
    decorate: ({ model, field, detail }, contract) =>
      onShown(
        model,
        SHOWING,
        contract,
        inLines(field, ({ [detail]: _, ...others }) => others),
      ),
  }),
  ...(['missing', 'same'] as const).map((kind) =>
    fieldDefect({
      name: `fields.${kind}-id-in-line`,
      violates:
        kind === 'missing' ? 'returns lines without an ID' : 'returns lines that all have the same ID',
      rules: ['fields.id'],
      elsewhere: true,
      applies: (field, _, { profile }) => field.lines !== undefined && profile['types.lines'] === 'objects',
      details,
      decorate: ({ model, field, detail }, contract) =>
        onShown(
          model,
          [detail],
          contract,
          inLines(field, ({ id: _, ...line }) => (kind === 'missing' ? line : { ...line, id: 424242 })),
        ),
    }),
  ),
  fieldDefect({
    name: 'fields.value-outside-list',
    violates: 'returns a value that is not in the value list of the field',
    rules: ['fields.type'],
    applies: ({ choices }) => choices !== undefined,
    details,
    decorate: ({ model, field, detail }, contract) => {
      const [outside] = WIRE_TYPES.select.counterSamples({ field, profile: contract.profile });
      return onShown(model, [detail], contract, (wire) => ({ ...wire, [field.name]: outside }));
    },
  }),
  modelDefect({
    name: 'fields.excluded-shown',
    violates: 'returns a common field that the source excludes from the model',
    rules: ['fields.excluded'],
    details: excludedNames,
    decorate: ({ model, detail }, contract) =>
      onShown(model, SHOWING, contract, (wire) => ({ ...wire, [detail]: null })),
  }),
  modelDefect({
    name: 'fields.unknown-shown',
    violates: 'returns a field that the source does not define',
    rules: ['fields.only', 'advice.fields-only'],
    details: (model) => details(undefined, model),
    decorate: (place, contract) =>
      onShown(place.model, [place.detail], contract, (wire) => ({ ...wire, internalNote: 'x' })),
  }),
];

/** The common fields that a model does not have. */
export function excludedNames(model: Model, { catalogue }: Contract): string[] {
  const common = [...catalogue.models.values()].flatMap(({ fields }) =>
    fields.filter((field) => field.common),
  );
  const own = model.fields.map(({ name }) => name);
  return [...new Set(common.map(({ name }) => name))].filter((name) => !own.includes(name));
}

function inLines({ name }: Field, change: (line: Wire) => Wire): (wire: Wire) => Wire {
  return (wire) => ({ ...wire, [name]: ((wire[name] ?? []) as Wire[]).map(change) });
}
