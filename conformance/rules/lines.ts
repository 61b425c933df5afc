import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, type Id, isAccepted, isObject } from '../api/answer.ts';
import { show } from '../assert/agreement.ts';
import { failure, skip, unlessEnded } from '../assert/ending.ts';
import { type CaseContext, eachField, type FieldCase, type SharedRequests } from '../cases/rule.ts';

/** A field of the model or, with `lines`, of the lines that such a field holds: `product` in `lines`. */
export type FieldPlace = { readonly field: Field; readonly lines?: Field };

/** A case for each field that the filter lets through, and for each such field of lines that are sent in full. */
export function eachPlace(wanted: (field: Field, plan: Contract) => boolean) {
  return (model: Model, plan: Contract): readonly FieldCase[] => [
    ...eachField(wanted)(model, plan),
    ...model.fields.flatMap((lines): FieldCase[] => {
      const line = plan.catalogue.models.get(lines.lines ?? '');
      if (!line || lines.readonly || profileAt(plan.profile, lines.key)['types.lines'] === 'ids') return [];
      // The link of a line to its parent is implied by where the line stands.
      const parent = parentLink(line, model, plan.references);
      return line.fields
        .filter((field) => field !== parent && wanted(field, plan))
        .map((part) => ({ field: lines, part, detail: part.name }));
    }),
  ];
}

export function placeOf({ field, part }: FieldCase): FieldPlace {
  return part ? { field: part, lines: field } : { field };
}

/**
 * The part of a body, in wire form, that has a value for a field, or none when that is undefined. Of lines it is valid
 * lines, the first of which has that value.
 */
export function valueAt(
  { codec, model, samples }: CaseContext,
  { field, lines }: FieldPlace,
  value: Value | undefined,
): RecordValues {
  const own = value === undefined ? {} : { [field.name]: value };
  if (!lines) return own;
  const sent = codec.encodeNamed(model.name, { [lines.name]: samples.values('all')[lines.name] ?? [] });
  const [first, ...others] = sent[lines.name] as readonly RecordValues[];
  const { [field.name]: _, ...rest } = first ?? {};
  return { [lines.name]: [{ ...rest, ...own }, ...others] };
}

/** Returns the value of a field in a record, in wire form: one value, or one of each line. */
export function shownAt(
  record: RecordValues | undefined,
  { field, lines }: FieldPlace,
): readonly (Value | undefined)[] {
  if (!record) return [];
  if (!lines) return [record[field.name]];
  const shown = record[lines.name];
  return Array.isArray(shown) ? shown.filter(isObject).map((line) => line[field.name]) : [];
}

/** The fields whose lines are shown as records of a model that has an id. */
export function linesWithIds({ catalogue, model, profile }: CaseContext): Field[] {
  return model.fields.filter(
    ({ key, lines = '' }) =>
      profileAt(profile, key)['types.lines'] === 'objects' &&
      catalogue.models.get(lines)?.fields.some(isIdField) === true,
  );
}

/** The lines that a write gives to a record by their IDs, and a retrieve after it. */
type Written = { readonly sent: readonly Value[]; readonly found: Value; readonly seen: ApiResponse };

/** The accepted writes. An update of another field keeps the lines of the record. */
type LinesById = { create?: Written; update?: Written; 'update of another field'?: Written };

/** Whether the lines of a field are given by ids under the profile: then a create can only send none. */
export function areById({ profile }: Pick<CaseContext, 'profile'>, field: Field): boolean {
  return field.lines !== undefined && profileAt(profile, field.key)['types.lines'] === 'ids';
}

/**
 * Expects that a write stores lines by their IDs. Throws `skip` if no write does, because the source does not say whether
 * lines can move to another parent.
 */
export async function expectLinesById(
  context: CaseContext,
  field: Field,
  way: keyof LinesById,
): Promise<void> {
  const found = await context.ask(linesById(field));
  const isKept = (one: Written | undefined) => one !== undefined && isSame(one.sent, one.found);
  const written = found[way];
  if (isKept(written)) return;
  const isSure = way === 'update of another field' || isKept(found.create) || isKept(found.update);
  if (!written || !isSure)
    throw skip(`the target rejects or ignores ${field.key} by ID, which the source leaves open`);
  throw failure(
    `the ${way} does not store ${field.name}`,
    show(written.sent),
    show(written.found),
    written.seen.exchange,
  );
}

/** Asks for lists of what holds such lines, too. */
export async function listLinesById(context: CaseContext): Promise<void> {
  for (const field of context.model.fields.filter((one) => !one.readonly && areById(context, one)))
    await unlessEnded(() => context.ask(linesById(field)), ['skip']);
}

function linesById(field: Field): SharedRequests<LinesById> {
  return { name: `${field.name} by ids`, ask: (context) => writeLines(context, field) };
}

async function writeLines(context: CaseContext, field: Field): Promise<LinesById> {
  const { api, catalogue, model, records, references, samples } = context;
  const line = catalogue.models.get(field.lines ?? '');
  const link = line && parentLink(line, model, references);
  if (!line?.operations.includes('create') || !link)
    throw skip(`${field.key} by ID can't be tried because its lines can't be created separately`);
  const beside = context.beside(line);
  const first = await records.make(samples.values('all'));
  const parent = link.readonly ? {} : { [link.name]: first.id };
  const makeLine = () => beside.records.make({ ...beside.samples.values('required'), ...parent });
  const ids = [(await makeLine()).id, (await makeLine()).id, (await makeLine()).id];
  const after = samples.valuesAfter(first.sent);
  const other = model.fields.find(
    ({ lines, name, required }) => !required && lines === undefined && Object.hasOwn(after, name),
  );
  const found: LinesById = {};
  const note = async (
    way: keyof LinesById,
    answer: ApiResponse,
    id: Id | undefined,
    sent: readonly Value[],
  ) => {
    if (!isAccepted(answer) || id === undefined) return;
    const seen = await records.retrieve(id);
    found[way] = { sent, found: linesIn(seen), seen };
  };
  const update = async (way: keyof LinesById, change: RecordValues, sent: readonly Value[]) =>
    note(way, await records.update(first.id, change, { ...first.sent, [field.name]: ids }), first.id, sent);
  const isHeld = async () => isSame(linesIn(await records.retrieve(first.id)), ids);
  // A parent that a client may not write is told by the parent itself.
  if (!(await isHeld())) await update('update', { [field.name]: ids }, ids);
  if (other && (await isHeld()))
    await update('update of another field', { [other.name]: after[other.name] ?? null }, ids);
  // Before the update, since a service may delete lines that their parent lets go.
  const answer = await records.create({ ...samples.values('all'), [field.name]: ids.slice(1) });
  await note('create', answer, records.ownId(answer), ids.slice(1));
  if (!link.readonly) await makeLine();
  if (!found.update) await update('update', { [field.name]: ids.slice(0, 1) }, ids.slice(0, 1));
  await records.retrieve(first.id);
  if (model.operations.includes('list')) await records.listing();
  return found;

  function linesIn(answer: ApiResponse): Value {
    return api.recordIn(answer)?.[field.name] ?? [];
  }
}

/** The source states no order of lines. */
function isSame(one: Value | readonly Value[], other: Value): boolean {
  return show([one].flat().toSorted()) === show([other].flat().toSorted());
}
