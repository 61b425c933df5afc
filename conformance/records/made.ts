import { isDeepStrictEqual } from 'node:util';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import { readRole } from '../../spec/catalogue/roles.ts';
import type { RecordValues } from '../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../api/answer.ts';
import type { Api } from '../api/api.ts';
import { type Id, isId, isObject } from '../api/places.ts';

/** A record of the target that the run made. */
export type Made = {
  readonly model: Model;
  /** Undefined where no answer shows it. */
  readonly id: Id | undefined;
  /** As an answer showed it last, in wire form. */
  shown?: RecordValues;
  /** What may have been written to it since, in wire form. */
  changes?: RecordValues[];
  /** The response to its create shows no sent value, so a retrieve must prove its ID before the first write to it. */
  isUnproven?: boolean;
};

/** How people are told of a record, as `model/id`. */
export function nameOf(model: Model, id: Id | undefined): string {
  return `${model.name}/${id ?? '(unknown ID)'}`;
}

/** Whether a record in wire form says that it is deleted, in either form of a boolean. */
export function isMarked(model: Model, record: RecordValues): boolean {
  const mark = readRole(model, 'deleted', record);
  return mark === true || mark === 1;
}

/**
 * Whether a record is the one that was seen before, and not another one that was given its id: it was created at the
 * same time and holds the same writable values, as far as it was shown, or those it was changed to. All in wire form.
 * Lines are left out: some services make them anew.
 */
export function isSameRecord({ changes = [], model, shown: before }: Made, now: RecordValues): boolean {
  if (before === undefined) return false;
  const telling = model.fields.filter(
    ({ lines, readonly, role }) => (!readonly && lines === undefined) || role === 'created',
  );
  // A line may show less where it stands in its parent.
  const known = telling.filter(({ name }) => Object.hasOwn(before, name));
  const values = [before, ...changes];
  return (
    known.length > 0 &&
    known.every(({ name }) => values.some((one) => isDeepStrictEqual(one[name], now[name] ?? null)))
  );
}

/**
 * Whether a record is surely another one than was seen before: created at another time or, where it is not marked as
 * deleted, without one of its values. One that is only shown otherwise is judged as what it was.
 */
export function isOtherRecord(model: Model, before: RecordValues, now: RecordValues): boolean {
  const [created, later] = [before, now].map((record) => readRole(model, 'created', record));
  if (typeof created === typeof later && created !== later) return true;
  if (isMarked(model, now)) return false;
  const names = model.fields
    .filter(({ lines, readonly, type }) => !readonly && lines === undefined && type !== 'bool')
    .map(({ name }) => name)
    .filter((name) => (before[name] ?? null) !== null);
  return names.length > 0 && !names.some((name) => isDeepStrictEqual(before[name], now[name] ?? null));
}

/** Whether records of a model show lines that have IDs and can be deleted. */
export function holdsLines(catalogue: Catalogue, model: Model): boolean {
  return model.fields.some((field) => lineModel(catalogue, field));
}

/** Returns the lines that a record in wire form shows, with or as IDs, if they can be deleted. */
export function linesIn(catalogue: Catalogue, model: Model, record: RecordValues = {}): Made[] {
  return model.fields.flatMap((field) => {
    const line = lineModel(catalogue, field);
    if (!line) return [];
    return [record[field.name] ?? []].flat().flatMap((one): Made[] => {
      if (isId(one)) return [{ model: line, id: one }];
      return isObject(one) && isId(one.id) ? [{ model: line, id: one.id, shown: one }] : [];
    });
  });
}

function lineModel({ models }: Catalogue, { lines = '', readonly }: Field): Model | undefined {
  const line = readonly ? undefined : models.get(lines);
  return line?.operations.includes('delete') ? line : undefined;
}

/** A record that an answer showed. */
export type SeenRecord = {
  readonly model: Model;
  /** The operation that showed it, as messages name it: `list`, `retrieve after a delete`. */
  readonly from: string;
  /** In wire form. */
  readonly record: RecordValues;
  readonly answer: Answer;
};

/** The record that an answer shows where the profile says; none where it is no success, or shows none. */
export function seenIn(
  { api, model }: { readonly api: Api; readonly model: Model },
  from: string,
  answer: Answer | undefined,
): SeenRecord[] {
  const record = answer && isAccepted(answer) ? api.recordIn(answer) : undefined;
  return answer && record ? [{ model, from, record, answer }] : [];
}
