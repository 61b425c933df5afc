import { showsMarked } from '../../spec/binding.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import { parentLink } from '../../spec/references.ts';
import { isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import type { ModelEngine } from '../engine/engine.ts';
import { readTextValue } from '../operations/body.ts';
import {
  type At,
  type ChangeResponse,
  type DefectTable,
  each,
  fieldsIf,
  has,
  isOptional,
  models,
  onWrites,
  someWritable,
  type Written,
  writableOf,
} from './defect.ts';
import { accepts, forgive, reads, rejects } from './on-body.ts';
import { creates, isOne, noting, remembers, updates, without } from './on-engine.ts';
import { breaks, onShown, onSuccess, sentIn, type Wire } from './on-wire.ts';
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

/** Fields in responses (section 2), and required and readonly fields (section 4, rule 2). */
export const FIELDS: DefectTable = {
  'fields.missing': {
    // If unset fields are omitted, an optional field that is never shown can be unset.
    places: shownFields(({ field: { name, required, role }, profile }) => {
      const isAlwaysSet = required || name === 'id' || role === 'created' || role === 'deleted';
      return isAlwaysSet || profile['response.unset'] === 'null';
    }),
    response: onShown('detail', (wire, { field }) => without(wire, field.name)),
  },
  'fields.null': {
    places: shownFields(({ field }) => field.required || isIdField(field)),
    response: onShown('detail', withNull),
  },
  'fields.wrong-type': { places: shownFields(() => true), response: onShown('detail', withWrongType) },
  'fields.id-as-text': {
    places: shownFields(({ field }) => isIdField(field)),
    response: onShown('detail', (wire) => ({ ...wire, id: String(wire.id) })),
  },
  'fields.wrong-type-in-line': {
    places: each(inLines, (at) => (lineOf(at)?.fields ?? []).map(({ name }) => name)),
    response: onLines(SHOWING, (line, at) => {
      const part = lineOf(at)?.fields.find(({ name }) => name === at.detail);
      return part ? { ...line, [part.name]: wrongForm(part) } : line;
    }),
  },
  'fields.missing-in-line': {
    places: each(inLines, (at) => {
      const line = lineOf(at);
      // A line in its parent need not name the parent.
      const parent = line && parentLink(line, at.model, at.references);
      return (line?.fields ?? []).filter((part) => part.required && part !== parent).map(({ name }) => name);
    }),
    response: onLines(SHOWING, (line, { detail }) => without(line, detail)),
  },
  'fields.missing-id-in-line': {
    elsewhere: true,
    places: each(inLines, shown),
    response: onLines('detail', (line) => without(line, 'id')),
  },
  'fields.same-id-in-line': {
    elsewhere: true,
    places: each(inLines, shown),
    response: onLines('detail', (line) => ({ ...without(line, 'id'), id: 424242 })),
  },
  'fields.value-outside-list': {
    places: shownFields(({ field }) => field.choices !== undefined),
    response: onShown('detail', (wire, at) => {
      return { ...wire, [at.field.name]: WIRE_TYPES.select.counterSamples(at)[0] };
    }),
  },
  'fields.excluded-shown': {
    places: excluded,
    response: onShown(SHOWING, (wire, { detail }) => ({ ...wire, [detail]: null })),
  },
  'fields.unknown-shown': {
    places: each(models(), shown),
    response: onShown('detail', (wire) => ({ ...wire, internalNote: 'x' })),
  },
  'fields.wrong-type-when-unset': {
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
    places: fieldsIf(['create', 'update'], ({ field }) => field.readonly && field.name !== 'id'),
    response: retrievedAfter('update', withWrongType),
  },
  'fields.null-once-updated': {
    places: fieldsIf(['create', 'update'], ({ field }) => field.readonly && field.required),
    response: retrievedAfter('update', withNull),
  },
  'fields.wrong-type-once-deleted': {
    places: fieldsIf(['create', 'delete'], ({ field, profile }) => {
      return field.required && profile['delete.effect'] !== 'remove' && showsMarked(profile).retrieve;
    }),
    response: retrievedAfter('delete', withWrongType),
  },
  'fields.excluded-shown-in-some': {
    places: excluded,
    response: onShown(['retrieve'], (wire, { detail }) =>
      Number(wire.id) % 2 === 0 ? { ...wire, [detail]: null } : wire,
    ),
  },
  'required.not-asked-for': {
    places: fieldsIf(['create', 'update'], isRequired),
    request: accepts('create', isMissing, () => undefined),
  },
  'required.made-up': {
    places: fieldsIf(['create', 'update'], isRequired),
    request: accepts('create', isMissing, (at) => otherValue(at, null)),
  },
  'required.null-on-create': {
    places: fieldsIf(['create', 'update'], canBeNull),
    request: accepts('create', isNull, () => null),
  },
  'required.taken-away': {
    places: fieldsIf(['create', 'update'], (at) => canBeNull(at) && movesFreely(at)),
    request: accepts('update', isNull, () => null),
  },
  'required.asked-for-on-update': {
    elsewhere: true,
    places: fieldsIf(['create', 'update'], (at) => {
      return isRequired(at) && at.profile['request.update'] === 'partial' && writableOf(at.model).length > 1;
    }),
    request: rejects('update', 'is required', isMissing),
  },
  'required.asked-for-optional': {
    places: fieldsIf(['create'], isOptional),
    request: rejects('create', 'is required', isMissing),
  },
  ...onWrites((operation) => {
    const places = fieldsIf([operation], ({ field }) => field.readonly);
    return {
      [`readonly.stored-on-${operation}`]: {
        places,
        request: readsReadonly(operation),
        record: storesReadonly(operation),
      },
      [`readonly.breaks-${operation}`]: {
        places,
        response: breaks([operation], (call, at) => Object.hasOwn(sentIn(call, at), at.field.name)),
      },
    };
  }),
  'readonly.id-names-updated': {
    places: fieldsIf(['create', 'update'], (at) => isIdField(at.field) && someWritable(at)),
    request: readsReadonly('update'),
    record: updates(async (own, id, draft) => {
      const named = await idNamed(own, draft.values);
      return own.update(named ?? id, { values: without(draft.values, 'id'), violations: draft.violations });
    }),
  },
  'readonly.id-overwrites': {
    places: fieldsIf(
      ['create', 'update'],
      ({ field, model }) => isIdField(field) && writableOf(model).some(({ required }) => required),
    ),
    request: readsReadonly('create'),
    record: creates(async (own, sent) => {
      const draft = { ...sent, values: without(sent.values, 'id') };
      const named = await idNamed(own, sent.values);
      const result = named === undefined ? undefined : await own.update(named, draft);
      return result && isOne(result) ? result : own.create(draft);
    }),
  },
  'readonly.deleted-revives': {
    places: fieldsIf(
      ['create', 'update', 'delete'],
      ({ field, profile }) => field.role === 'deleted' && profile['delete.effect'] !== 'remove',
    ),
    request: readsReadonly('update'),
    record: (own, { field: { name } }) => {
      const gone = new Map<number, RecordValues>();
      const back = new Map<number, RecordValues>();
      return {
        delete: (id) => {
          back.delete(id);
          return noting(own.delete(id), (record) => gone.set(id, record));
        },
        retrieve: async (id) => {
          const record = back.get(id);
          return record ? { kind: 'record', record } : own.retrieve(id);
        },
        update: async (id, { values, violations }) => {
          const record = gone.get(id);
          if (!record || values[name] !== false)
            return own.update(id, { values: without(values, name), violations });
          back.set(id, { ...record, [name]: false });
          return { kind: 'record', record: { ...record, [name]: false } };
        },
      };
    },
  },
  'readonly.stored-beside-others': {
    places: fieldsIf(['create', 'update'], (at) => at.field.readonly && someWritable(at)),
    request: readsReadonly('update', (sent, { model }) =>
      writableOf(model).some(({ name }) => Object.hasOwn(sent, name)),
    ),
    record: storesReadonly('update'),
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

/** Reads a readonly field like a writable one, in all bodies or in some. */
function readsReadonly(operation: Written, isSo: (sent: RecordValues, at: At) => boolean = () => true) {
  return reads(operation, (draft, sent, at) => {
    const { field, profile } = at;
    const wire = sent[field.name];
    const others = forgive(draft, field);
    if (wire === undefined || wire === null || !isSo(sent, at) || others.violations.length > 0) return draft;
    const read = profile['request.encoding'] === 'form' ? readTextValue(field, profile, wire) : wire;
    return forgive(draft, field, WIRE_TYPES[field.type].decode(read, at));
  });
}

/** Stores the value of the client in place of the computed one. */
function storesReadonly(operation: Written) {
  return remembers(
    operation,
    ({ values }, { field }) => values[field.name],
    // A record is found by its ID, so a sent ID is stored, and not only shown.
    (values, { field: { name } }) =>
      operation === 'create' && name === 'id' ? values : without(values, name),
    (record, value, { field }) => ({ ...record, [field.name]: value }),
  );
}

/** Returns the ID of the record that a body names; undefined if there is none. */
async function idNamed(own: ModelEngine, { id }: RecordValues): Promise<number | undefined> {
  const named = Number.isInteger(id) ? await own.retrieve(Number(id)) : undefined;
  return named && isOne(named) ? Number(named.record.id) : undefined;
}
