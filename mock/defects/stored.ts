import type { Field } from '../../spec/catalogue/field.ts';
import { parentLink } from '../../spec/references.ts';
import { choicesOf, isText, WIRE_TYPES } from '../../spec/types/types.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../spec/wire/record-codec.ts';
import type { Draft } from '../engine/violation.ts';
import {
  type At,
  type DefectTable,
  each,
  fieldsIf,
  isWritable,
  onWrites,
  type Places,
  type Written,
  writable,
} from './defect.ts';
import { forgive, reads, refuse, violationsOf } from './on-body.ts';
import { remembers, stores, storesValue, without } from './on-engine.ts';
import {
  asKept,
  isNamed,
  isShownAsStored,
  movesFreely,
  nameOf,
  otherMember,
  otherValue,
  outsideOf,
} from './values.ts';

/** How services change strings when they store them. */
const MANGLERS: Readonly<Record<string, (text: string) => string>> = {
  decomposed: (text) => text.normalize('NFD'),
  composed: (text) => text.normalize('NFC'),
  trimmed: (text) => text.trim(),
  'ascii-lowered': (text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'all-but-ascii-lowered': (text) => text.replaceAll(/[^\0-\x7f]/g, (letter) => letter.toLowerCase()),
  'emoji-lost': (text) => text.replaceAll(/\p{Extended_Pictographic}/gu, ''),
  'latin-only': (text) => text.replaceAll(/[^\0-\xff]/g, '?'),
  'accents-lost': (text) => text.normalize('NFD').replaceAll(/\p{Mn}/gu, ''),
  'html-escaped': (text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'html-decoded': (text) => text.replaceAll('&amp;', '&'),
  'tags-lost': (text) => text.replaceAll(/<\/?\w+>/g, ''),
  'quotes-doubled': (text) => text.replaceAll("'", "''"),
  'quotes-escaped': (text) => text.replaceAll('"', '\\"'),
  'backslashes-lost': (text) => text.replaceAll('\\', ''),
  'percent-decoded': (text) => text.replaceAll('%20', ' '),
  'plus-lost': (text) => text.replaceAll('+', ' '),
  'one-line': (text) => text.replaceAll(/\s*\n\s*/g, ' '),
  'carriage-returns': (text) => text.replaceAll('\n', '\r\n'),
  'tabs-lost': (text) => text.replaceAll('\t', ' '),
  'leading-zeros-lost': (text) => (/^0\d+$/.test(text) ? String(Number(text)) : text),
};

/** Value lists, lines, and values that are not stored as they are sent (sections 2 to 4). */
export const STORED: DefectTable = {
  ...onWrites((operation) => {
    const inLists = fieldsIf([operation], (at) => hasList(operation, at));
    const members = each(inLists, (at) => (choicesOf(at) ?? []).map(({ value }) => nameOf(value)));
    // If a profile lists the moves of a field, it rejects a value outside its list anyway.
    const inFreeLists = fieldsIf(
      [operation],
      (at) => hasList(operation, at) && (operation === 'create' || movesFreely(at)),
    );
    return {
      [`values.member-refused-on-${operation}`]: {
        places: members,
        request: readsMember(operation, (draft, at) => refuse(draft, at.field, 'is taken back')),
      },
      [`values.member-normalized-on-${operation}`]: {
        places: members,
        request: readsMember(operation, (draft, at, value) =>
          forgive(draft, at.field, otherMember(at, value)),
        ),
      },
      [`values.outside-accepted-on-${operation}`]: {
        places: each(inFreeLists, outsideOf),
        request: readsOutside(operation, (at, wire) => WIRE_TYPES[at.field.type].decode(wire, at)),
      },
      [`values.outside-normalized-on-${operation}`]: {
        places: each(inFreeLists, outsideOf),
        request: readsOutside(operation, (at) => otherMember(at, null)),
      },
      [`values.outside-ignored-on-${operation}`]: {
        places: each(inLists, outsideOf),
        request: readsOutside(operation, () => undefined),
      },
    };
  }),
  'create.swaps-fields': {
    places: each(fieldsIf(['create'], isWritable), (at) => nextAlike(at).map(({ name }) => name)),
    record: stores('create', (values, { detail, field: { name } }) => {
      const [one, other] = [values[name], values[detail]];
      return one === undefined || other === undefined ? values : { ...values, [name]: other, [detail]: one };
    }),
  },
  ...onWrites((operation) => ({
    [`${operation}.keeps-first-item`]: {
      places: fieldsIf(['create', operation], (at) => {
        const { lines, type } = at.field;
        const isList =
          type === 'manyToMany' || (lines !== undefined && at.profile['types.lines'] === 'objects');
        return isWritable(at) && isList;
      }),
      record: storesValue(operation, (value) => (Array.isArray(value) ? value.slice(0, 1) : value)),
    },
  })),
  'update.ignores-value': {
    places: each(writable('create', 'update'), ({ field: { key, type }, references }) => {
      if (type === 'bool') return ['false', 'true'];
      const isNumber = ['int', 'float', 'currency', 'percent'].includes(type);
      return isNumber && !references.has(key) ? ['0'] : [];
    }),
    record: storesValue('update', (value, { detail }) => (String(value) === detail ? undefined : value)),
  },
  'lines.drops-part': {
    places: inParts('create', isWritable),
    record: stores('create', (values, at) => inLines(values, at.field, (line) => without(line, at.detail))),
  },
  'lines.part-not-asked-for': {
    places: inParts('create', (part) => part.field.required && isWritable(part)),
    request: readsLines('create', (wire) => wire === undefined),
  },
  ...onWrites((operation) => ({
    [`lines.null-on-${operation}`]: {
      places: inParts(operation, (part) => part.field.required && isWritable(part)),
      request: readsLines(operation, (wire) => wire === null),
    },
    [`lines.takes-wrong-type-on-${operation}`]: {
      places: inParts(
        operation,
        (part) => isWritable(part) && choicesOf(part) === undefined && isShownAsStored(part),
      ),
      request: readsLines(
        operation,
        (wire) => typeof wire === 'object' || wire === 'no-number' || wire === 'no-amount',
      ),
    },
    [`lines.readonly-stored-on-${operation}`]: {
      places: inParts(operation, (part) => part.field.readonly),
      request: readsPart(operation),
      record: storesPart(operation),
    },
  })),
  ...onWrites((operation) => ({
    [operation === 'create' ? 'kept.mangles-text' : 'kept.mangles-text-on-update']: {
      places: each(
        fieldsIf(['create', operation], (at) => isWritable(at) && isText(at.field)),
        Object.keys(MANGLERS),
      ),
      record: storesValue(operation, (value, { detail }) =>
        typeof value === 'string' ? (MANGLERS[detail]?.(value) ?? value) : value,
      ),
    },
  })),
  'kept.alters-edge': {
    places: each(
      fieldsIf(['create'], (at) => {
        const { key, type } = at.field;
        const hasEdges = !isText(at.field) && !['select', 'lines', 'manyToMany'].includes(type);
        return isWritable(at) && hasEdges && !at.references.has(key);
      }),
      (at) => [...new Set(WIRE_TYPES[at.field.type].edges(at).map((edge) => nameOf(asKept(at, edge))))],
    ),
    record: storesValue('create', (value, at) =>
      value !== null && nameOf(value) === at.detail ? otherValue(at, value) : value,
    ),
  },
};

function hasList(operation: Written, at: At): boolean {
  if (!isWritable(at) || at.field.type !== 'select') return false;
  // The suite tries value lists of the profile only in a create.
  return (operation === 'create' ? choicesOf(at) : at.field.choices) !== undefined;
}

/** Changes how the member of a value list in the detail is read. */
function readsMember(operation: Written, change: (draft: Draft, at: At, value: Value) => Draft) {
  return reads(operation, (draft, _, at) => {
    const value = draft.values[at.field.name];
    return value !== undefined && nameOf(value) === at.detail ? change(draft, at, value) : draft;
  });
}

/** Accepts the invalid value in the detail. */
function readsOutside(operation: Written, replace: (at: At, wire: Value) => Value | undefined) {
  return reads(operation, (draft, sent, at) => {
    const wire = sent[at.field.name];
    if (wire === undefined || violationsOf(draft, at.field).length === 0) return draft;
    return isNamed(wire, at.detail) ? forgive(draft, at.field, replace(at, wire)) : draft;
  });
}

/** Returns the next field that a client can fill with the same values, if there is one. */
function nextAlike(at: At): Field[] {
  const { field, model, references } = at;
  const thingOf = ({ key }: Field) => {
    const link = references.get(key);
    return link && ('to' in link ? link.to : link.outside);
  };
  if (['select', 'lines', 'manyToMany'].includes(field.type)) return [];
  return model.fields
    .slice(model.fields.indexOf(field) + 1)
    .filter((other) => !other.readonly && other.type === field.type && thingOf(other) === thingOf(field))
    .slice(0, 1);
}

/** The fields of lines that are sent in full, without the link to the parent, which is implied. */
function inParts(operation: Written, isPart: (part: At) => boolean): Places {
  const inLines = fieldsIf([operation], ({ field, profile }) => {
    const isFull = profile['types.lines'] === 'objects' && profile['request.encoding'] === 'json';
    return field.lines !== undefined && !field.readonly && isFull;
  });
  return each(inLines, (at) => {
    const line = at.catalogue.models.get(at.field.lines ?? '');
    const parent = line && parentLink(line, at.model, at.references);
    const parts = (line?.fields ?? []).filter((field) => field !== parent && isPart({ ...at, field }));
    return parts.map(({ name }) => name);
  });
}

/** Accepts lines in which the part has a wrong value, and stores it. */
function readsLines(operation: Written, isWrong: (wire: Value | undefined) => boolean) {
  return reads(operation, (draft, sent, { catalogue, detail, field, profile }) => {
    const lines = linesIn(sent, field);
    if (!lines.some((line) => isWrong(line[detail]))) return draft;
    const codec = createRecordCodec(catalogue, profile);
    const read = (line: RecordValues): Value => {
      if (!isWrong(line[detail])) return codec.decode(field.lines ?? '', line);
      return { ...codec.decode(field.lines ?? '', without(line, detail)), [detail]: line[detail] ?? null };
    };
    return forgive(draft, field, lines.map(read));
  });
}

/** The value that was last sent for a part, by the place of the defect. */
const sentLast = new WeakMap<At, Value>();

function readsPart(operation: Written) {
  return reads(operation, (draft, sent, at) => {
    const { catalogue, detail, field, profile } = at;
    const wire = linesIn(sent, field)[0]?.[detail];
    sentLast.delete(at);
    if (wire === undefined) return draft;
    const value = createRecordCodec(catalogue, profile).decode(field.lines ?? '', { [detail]: wire })[detail];
    if (value !== undefined) sentLast.set(at, value);
    return forgive(draft, field);
  });
}

/** Shows the value that was sent for a part in each line of the record. */
function storesPart(operation: Written) {
  return remembers(
    operation,
    (_, at) => sentLast.get(at),
    (values) => values,
    (record, value, { detail, field }) => inLines(record, field, (line) => ({ ...line, [detail]: value })),
  );
}

function linesIn(values: RecordValues, { name }: Field): readonly RecordValues[] {
  const lines = values[name];
  const isLine = (line: Value): line is RecordValues =>
    line !== null && typeof line === 'object' && !Array.isArray(line);
  return Array.isArray(lines) ? lines.filter(isLine) : [];
}

function inLines(
  values: RecordValues,
  field: Field,
  change: (line: RecordValues) => RecordValues,
): RecordValues {
  return Array.isArray(values[field.name])
    ? { ...values, [field.name]: linesIn(values, field).map(change) }
    : values;
}
