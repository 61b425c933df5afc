import { showsMarked } from '../../spec/binding.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import { parentLink } from '../../spec/references.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import {
  type At,
  type ChangeResponse,
  each,
  fieldsIf,
  has,
  isOptional,
  models,
  type Table,
  writableOf,
} from './defect.ts';
import { accepts, rejects } from './on-body.ts';
import { without } from './on-engine.ts';
import { onShown, onSuccess, type Wire } from './on-wire.ts';
import { movesFreely, otherValue, wrongForm } from './values.ts';

/** The operations that respond with records. */
const SHOWING = ['retrieve', 'list', 'create', 'update'] as const;
const shown = ({ model }: At) => SHOWING.filter((operation) => has(model, operation));
/** One place for each operation that shows a field. */
const shownFields = (isOne: (at: At) => boolean) => each(fieldsIf([], isOne), shown);
const isUnset = (value: unknown) => value === undefined || value === null;

const inLines = fieldsIf(
  [],
  ({ field, profile }) => field.lines !== undefined && profile['types.lines'] === 'objects',
);
const lineOf = ({ catalogue, field }: At) => catalogue.models.get(field.lines ?? '');

/** The common fields that a model does not have. */
const excluded = each(models(), ({ catalogue, model }) => {
  const all = [...catalogue.models.values()].flatMap(({ fields }) => fields);
  const names = new Set(all.filter(({ common }) => common).map(({ name }) => name));
  return [...names].filter((name) => !model.fields.some((field) => field.name === name));
});

const isRequired = ({ field }: At) => field.required && !field.readonly;
const isMissing = (wire: Value | undefined) => wire === undefined;
const isNull = (wire: Value | undefined) => wire === null || wire === '';
/** A record without lines always shows an empty list. In a form, an empty string is a value, and null is missing. */
const canBeNull = (at: At) =>
  isRequired(at) &&
  at.field.lines === undefined &&
  (at.profile['request.encoding'] === 'json' || !isText(at.field));

const withWrongType = (wire: Wire, { field }: At) => ({ ...wire, [field.name]: wrongForm(field) });
const withNull = (wire: Wire, { field }: At) => ({ ...wire, [field.name]: null });

/** Fields in responses (section 2), and required fields (section 4, rule 2). */
export const FIELDS: Table = {
  'fields.missing': {
    violates: 'omits a field from its responses',
    rules: ['fields.shown', 'required.present', 'fields.id', 'profile.response.unset'],
    // If unset fields are omitted, an optional field that is never shown can be unset.
    places: shownFields(({ field: { name, required, role }, profile }) => {
      const isAlwaysSet = required || name === 'id' || role === 'created' || role === 'deleted';
      return isAlwaysSet || profile['response.unset'] === 'null';
    }),
    response: onShown('detail', (wire, { field }) => without(wire, field.name)),
  },
  'fields.null': {
    violates: 'returns a required field without a value',
    rules: ['required.present', 'fields.id'],
    places: shownFields(({ field }) => field.required || isIdField(field)),
    response: onShown('detail', withNull),
  },
  'fields.wrong-type': {
    violates: 'returns a field with a value of another type',
    rules: ['fields.type', 'fields.id'],
    places: shownFields(() => true),
    response: onShown('detail', withWrongType),
  },
  'fields.id-as-text': {
    violates: 'returns the id as a string',
    rules: ['fields.id', 'fields.type'],
    places: shownFields(({ field }) => isIdField(field)),
    response: onShown('detail', (wire) => ({ ...wire, id: String(wire.id) })),
  },
  'fields.wrong-type-in-line': {
    violates: 'returns lines with a field whose value has another type',
    rules: ['fields.type'],
    places: each(inLines, (at) => (lineOf(at)?.fields ?? []).map(({ name }) => name)),
    response: onLines(SHOWING, (line, at) => {
      const part = lineOf(at)?.fields.find(({ name }) => name === at.detail);
      return part ? { ...line, [part.name]: wrongForm(part) } : line;
    }),
  },
  'fields.missing-in-line': {
    violates: 'returns lines without a required field',
    rules: ['required.present'],
    places: each(inLines, (at) => {
      const line = lineOf(at);
      // A line in its parent need not name the parent.
      const parent = line && parentLink(line, at.model, at.references);
      return (line?.fields ?? []).filter((part) => part.required && part !== parent).map(({ name }) => name);
    }),
    response: onLines(SHOWING, (line, { detail }) => without(line, detail)),
  },
  'fields.missing-id-in-line': {
    violates: 'returns lines without an ID',
    rules: ['fields.id'],
    elsewhere: true,
    places: each(inLines, shown),
    response: onLines('detail', (line) => without(line, 'id')),
  },
  'fields.same-id-in-line': {
    violates: 'returns lines that all have the same ID',
    rules: ['fields.id'],
    elsewhere: true,
    places: each(inLines, shown),
    response: onLines('detail', (line) => ({ ...without(line, 'id'), id: 424242 })),
  },
  'fields.value-outside-list': {
    violates: 'returns a value that is not in the value list of the field',
    rules: ['fields.type'],
    places: shownFields(({ field }) => field.choices !== undefined),
    response: onShown('detail', (wire, at) => {
      return { ...wire, [at.field.name]: WIRE_TYPES.select.counterSamples(at)[0] };
    }),
  },
  'fields.excluded-shown': {
    violates: 'returns a common field that the source excludes from the model',
    rules: ['fields.excluded'],
    places: excluded,
    response: onShown(SHOWING, (wire, { detail }) => ({ ...wire, [detail]: null })),
  },
  'fields.unknown-shown': {
    violates: 'returns a field that the source does not define',
    rules: ['fields.only', 'advice.fields-only'],
    places: each(models(), shown),
    response: onShown('detail', (wire) => ({ ...wire, internalNote: 'x' })),
  },
  'fields.wrong-type-when-unset': {
    violates: 'returns a field without a value as a value of another type',
    rules: ['fields.type'],
    // Without tags or lines, a record shows an empty list.
    places: each(
      fieldsIf(['create'], (at) => isOptional(at) && !at.field.lines && at.field.type !== 'manyToMany'),
      ['create', 'retrieve'],
    ),
    response: onShown('detail', (wire, at) =>
      isUnset(wire[at.field.name]) ? withWrongType(wire, at) : wire,
    ),
  },
  'fields.wrong-type-once-updated': {
    violates: 'returns a readonly field with a value of another type in a retrieve after an update',
    rules: ['fields.type'],
    places: fieldsIf(['create', 'update'], ({ field }) => field.readonly && field.name !== 'id'),
    response: retrievedAfter('update', withWrongType),
  },
  'fields.null-once-updated': {
    violates: 'returns a required readonly field without a value in a retrieve after an update',
    rules: ['required.present'],
    places: fieldsIf(['create', 'update'], ({ field }) => field.readonly && field.required),
    response: retrievedAfter('update', withNull),
  },
  'fields.wrong-type-once-deleted': {
    violates: 'returns a required field with a value of another type in a retrieve after a delete',
    rules: ['fields.type'],
    places: fieldsIf(['create', 'delete'], ({ field, profile }) => {
      return field.required && profile['delete.effect'] !== 'remove' && showsMarked(profile).retrieve;
    }),
    response: retrievedAfter('delete', withWrongType),
  },
  'fields.excluded-shown-in-some': {
    violates:
      'returns a common field that the source excludes from the model in a retrieve of every second record',
    rules: ['fields.excluded'],
    places: excluded,
    response: onShown(['retrieve'], (wire, { detail }) =>
      Number(wire.id) % 2 === 0 ? { ...wire, [detail]: null } : wire,
    ),
  },
  'required.not-asked-for': {
    violates: 'accepts a create without a required field, and stores no value',
    rules: ['required.on-create'],
    places: fieldsIf(['create', 'update'], isRequired),
    request: accepts('create', isMissing, () => undefined),
  },
  'required.made-up': {
    violates: 'accepts a create without a required field, and invents a value',
    rules: ['required.on-create'],
    places: fieldsIf(['create', 'update'], isRequired),
    request: accepts('create', isMissing, (at) => otherValue(at, null)),
  },
  'required.null-on-create': {
    violates: 'accepts and stores null for a required field in a create',
    rules: ['required.null-on-create'],
    places: fieldsIf(['create', 'update'], canBeNull),
    request: accepts('create', isNull, () => null),
  },
  'required.taken-away': {
    violates: 'accepts and stores null for a required field in an update',
    rules: ['required.on-update'],
    places: fieldsIf(['create', 'update'], (at) => canBeNull(at) && movesFreely(at)),
    request: accepts('update', isNull, () => null),
  },
  'required.asked-for-on-update': {
    violates: 'rejects an update without a required field, although an update can omit fields',
    rules: ['profile.request.update', 'update.changes-field'],
    elsewhere: true,
    places: fieldsIf(['create', 'update'], (at) => {
      return isRequired(at) && at.profile['request.update'] === 'partial' && writableOf(at.model).length > 1;
    }),
    request: rejects('update', 'is required', isMissing),
  },
  'required.asked-for-optional': {
    violates: 'rejects a create without an optional field',
    rules: ['operations.create-required'],
    places: fieldsIf(['create'], isOptional),
    request: rejects('create', 'is required', isMissing),
  },
};

/** Changes the lines in responses. */
function onLines(on: Parameters<typeof onShown>[0], change: (line: Wire, at: At) => Wire) {
  return onShown(on, (wire, at) => {
    const lines = (wire[at.field.name] ?? []) as Wire[];
    return { ...wire, [at.field.name]: lines.map((line) => change(line, at)) };
  });
}

/** Changes the retrieves of records after an operation on them. */
function retrievedAfter(operation: 'update' | 'delete', alter: (wire: Wire, at: At) => Wire): ChangeResponse {
  return (inner, at, service) => {
    const done = new Set<number>();
    const noted = onSuccess([operation], (reply, { id }) => {
      done.add(Number(id));
      return reply;
    })(inner, at, service);
    return onShown(['retrieve'], (wire) => (done.has(Number(wire.id)) ? alter(wire, at) : wire))(
      noted,
      at,
      service,
    );
  };
}
