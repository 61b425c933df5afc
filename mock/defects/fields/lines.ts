import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { parentLink } from '../../../spec/references.ts';
import { choicesOf } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { createRecordCodec, type RecordValues } from '../../../spec/wire/record-codec.ts';
import { combineDecorations, type Decoration } from '../../decoration.ts';
import { type Defect, type FieldPlace, fieldDefect, has, isWritable } from '../defect.ts';
import { forgive, onDraft } from '../on-draft.ts';
import { ALL, isOne, onEngine, onStoring, showing, without, withValues } from '../on-engine.ts';
import { isShownAsStored } from '../operations/input.ts';

type Written = 'create' | 'update';

const IN = { create: 'a create', update: 'an update' } as const;

/** Defects of the lines in a record (sections 2 and 4). */
export const lineDefects: readonly Defect[] = [
  fieldDefect({
    name: 'lines.drops-part',
    violates: 'does not store a field of the lines in a create',
    rules: ['create.keeps-field'],
    ...ofParts('create', (part) => isWritable(part)),
    decorate: ({ model, field, detail }) =>
      onStoring(model, 'create', (values) => inLines(values, field, (line) => without(line, detail))),
  }),
  fieldDefect({
    name: 'lines.part-not-asked-for',
    violates: 'accepts a create with lines that lack a required field',
    rules: ['required.on-create'],
    ...ofParts('create', (part) => part.required && isWritable(part)),
    decorate: (place, contract) => taking('create', place, contract, (wire) => wire === undefined),
  }),
  ...(['create', 'update'] as const).flatMap((operation) => [
    fieldDefect({
      name: `lines.null-on-${operation}`,
      violates: `accepts and stores null for a required field of the lines in ${IN[operation]}`,
      rules: [operation === 'create' ? 'required.null-on-create' : 'required.on-update'],
      ...ofParts(operation, (part) => part.required && isWritable(part)),
      decorate: (place: FieldPlace, contract: Contract) =>
        taking(operation, place, contract, (wire) => wire === null),
    }),
    fieldDefect({
      name: `lines.takes-wrong-type-on-${operation}`,
      violates: `stores and returns a value of another type in the lines of ${IN[operation]}`,
      rules: [`fields.wrong-type-on-${operation}`],
      ...ofParts(
        operation,
        (part, contract) =>
          isWritable(part) &&
          choicesOf({ field: part, profile: contract.profile }) === undefined &&
          isShownAsStored(part, contract),
      ),
      decorate: (place: FieldPlace, contract: Contract) =>
        taking(
          operation,
          place,
          contract,
          (wire) => typeof wire === 'object' || wire === 'no-number' || wire === 'no-amount',
        ),
    }),
    fieldDefect({
      name: `lines.readonly-stored-on-${operation}`,
      violates: `stores a readonly field of the lines in ${IN[operation]}`,
      // A line that is stored as deleted is hidden, so its parent shows other lines than were sent.
      rules: [
        `readonly.on-${operation}`,
        operation === 'create' ? 'create.keeps-field' : 'update.changes-field',
      ],
      ...ofParts(operation, (part) => part.readonly),
      decorate: (place: FieldPlace, contract: Contract) => storing(operation, place, contract),
    }),
  ]),
];

/** The fields of lines that are sent in full, without the link to the parent, which is implied. */
function ofParts(operation: Written, wanted: (part: Field, contract: Contract) => boolean) {
  return {
    applies: (field: Field, model: Model, { profile }: Contract) =>
      field.lines !== undefined &&
      isWritable(field) &&
      profile['types.lines'] === 'objects' &&
      profile['request.encoding'] === 'json' &&
      has(model, operation),
    details: ({ lines = '' }: Field, model: Model, contract: Contract) => {
      const line = contract.catalogue.models.get(lines);
      const parent = line && parentLink(line, model, contract.references);
      const parts = (line?.fields ?? []).filter((part) => part !== parent && wanted(part, contract));
      return parts.map(({ name }) => name);
    },
  };
}

/** Lines with an invalid value are stored as they are. */
function taking(
  operation: Written,
  { model, field, detail }: FieldPlace,
  { catalogue, profile }: Contract,
  isWrong: (wire: Value | undefined) => boolean,
): Decoration {
  const codec = createRecordCodec(catalogue, profile);
  const read = (line: RecordValues): Value =>
    isWrong(line[detail])
      ? { ...codec.decode(field.lines ?? '', without(line, detail)), [detail]: line[detail] ?? null }
      : codec.decode(field.lines ?? '', line);
  return onDraft(model, operation, (draft, sent) => {
    const lines = linesIn(sent, field);
    return lines.some((line) => isWrong(line[detail])) ? forgive(draft, field, lines.map(read)) : draft;
  });
}

/** The value sent for a part then appears in each line of the record. */
function storing(
  operation: Written,
  { model, field, detail }: FieldPlace,
  { catalogue, profile }: Contract,
): Decoration {
  const codec = createRecordCodec(catalogue, profile);
  let sentLast: Value | undefined;
  const noting = onDraft(model, operation, (draft, sent) => {
    const [line] = linesIn(sent, field);
    const wire = line?.[detail];
    sentLast = wire === undefined ? undefined : codec.decode(field.lines ?? '', { [detail]: wire })[detail];
    return wire === undefined ? draft : forgive(draft, field);
  });
  const showingIt = onEngine(model, (inner) => {
    const stored = new Map<unknown, Value>();
    const shown = (record: RecordValues): RecordValues => {
      const value = stored.get(record.id);
      return value === undefined ? record : inLines(record, field, (line) => ({ ...line, [detail]: value }));
    };
    const noted = <Result extends { readonly kind: string }>(result: Result) => {
      if (!isOne(result)) return result;
      if (sentLast !== undefined) stored.set(result.record.id, sentLast);
      return withValues(result, shown(result.record));
    };
    return {
      ...showing(inner, ALL, shown),
      ...(operation === 'create'
        ? {
            create: async (_: Model, draft: Parameters<typeof inner.create>[1]) =>
              noted(await inner.create(model, draft)),
          }
        : {
            update: async (_: Model, id: number, draft: Parameters<typeof inner.create>[1]) =>
              noted(await inner.update(model, id, draft)),
          }),
    };
  });
  return combineDecorations([noting, showingIt]);
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
