import type { Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { isIdField } from '../../spec/catalogue/roles.ts';
import type { Contract } from '../../spec/contract.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type ApiResponse, isAccepted, isObject } from '../api/answer.ts';
import { failure, skip, unlessEnded } from '../assert/ending.ts';
import { show } from '../assert/wire-check.ts';
import { type CaseContext, eachField, type FieldCase, type SharedRequests } from '../cases/rule.ts';
import type { MadeRecord } from '../records/model-records.ts';

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

/** A write of lines by their ids, what its answer shows of them, and a retrieve after it; undefined where it is refused. */
type Written =
  | { readonly sent: Value; readonly shown: Value; readonly found: Value; readonly seen: ApiResponse }
  | undefined;

/** The result of a write that names lines by their IDs. */
type LinesById = {
  readonly byCreate: Written;
  readonly byUpdate: Written;
  /** An update of another field: `sent` is what the record held. */
  readonly beside: Written;
};

/** Whether the lines of a field are given by ids under the profile: then a create can only send none. */
export function areById({ profile }: Pick<CaseContext, 'profile'>, field: Field): boolean {
  return field.lines !== undefined && profileAt(profile, field.key)['types.lines'] === 'ids';
}

/**
 * Holds what became of lines given by ids against the source. Whether lines may move to another parent, or stand in it
 * at all, it does not say: where neither a create nor an update keeps them, nothing is known of them. Throws `skip` then.
 */
export async function expectLinesById(
  context: CaseContext,
  field: Field,
  way: keyof LinesById,
): Promise<void> {
  const found = await context.ask(questionOf(field));
  const written = found[way];
  if (!written) throw skip(`the target rejects or ignores ${field.key} by ID, which the source leaves open`);
  const { seen, sent, shown } = written;
  const isKept = (one: Written) => one !== undefined && isSame(one.sent, one.found);
  if (!isSame(shown, written.found))
    throw failure(
      `a retrieve returns other ${field.name} than the response to the ${nameOf(way)}`,
      show(shown),
      show(written.found),
      seen.exchange,
    );
  if (isKept(written)) return;
  if (way === 'beside' || isKept(found.byCreate) || isKept(found.byUpdate))
    throw failure(
      `the ${nameOf(way)} does not store ${field.name}`,
      show(sent),
      show(written.found),
      seen.exchange,
    );
  throw skip(`no write stores ${field.key}; the service might create lines only by their own operations`);
}

/** Asks for lists of what holds such lines, too. */
export async function listLinesById(context: CaseContext): Promise<void> {
  for (const field of context.model.fields.filter((one) => !one.readonly && areById(context, one)))
    await unlessEnded(() => context.ask(questionOf(field)), ['skip']);
}

function questionOf(field: Field): SharedRequests<LinesById> {
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
  const update = async (change: Record<string, Value>, sent: readonly Value[]): Promise<Written> => {
    const answer = await records.update(first.id, change, { ...first.sent, [field.name]: ids });
    return isAccepted(answer) ? written(sent, answer, first.id) : undefined;
  };
  const isHeld = async () => isSame(linesOf(await records.retrieve(first.id)), ids);
  // A parent that a client may not write is told by the parent itself.
  const given = (await isHeld()) ? undefined : await update({ [field.name]: ids }, ids);
  const besideOther =
    other && (await isHeld()) ? await update({ [other.name]: after[other.name] ?? null }, ids) : undefined;
  // Before the update, since a service may delete lines that their parent lets go.
  const answer = await records.create({ ...samples.values('all'), [field.name]: ids.slice(1) });
  const own = records.ownId(answer);
  const byCreate =
    own !== undefined && isAccepted(answer) ? await written(ids.slice(1), answer, own) : undefined;
  if (!link.readonly) await makeLine();
  const byUpdate = given ?? (await update({ [field.name]: ids.slice(0, 1) }, ids.slice(0, 1)));
  await records.retrieve(first.id);
  if (model.operations.includes('list')) await records.listing();
  return { byCreate, byUpdate, beside: besideOther };

  async function written(sent: Value, answer: ApiResponse, id: MadeRecord['id']): Promise<Written> {
    const seen = await records.retrieve(id);
    return { sent, shown: linesOf(answer), found: linesOf(seen), seen };
  }

  function linesOf(answer: ApiResponse): Value {
    return api.recordIn(answer)?.[field.name] ?? [];
  }
}

/** The source states no order of lines. */
function isSame(one: Value, other: Value): boolean {
  return show([one].flat().toSorted()) === show([other].flat().toSorted());
}

function nameOf(way: keyof LinesById): string {
  return way === 'byCreate' ? 'create' : way === 'byUpdate' ? 'update' : 'update of another field';
}
