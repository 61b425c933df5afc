import type { Field } from '../../../spec/catalogue/field.ts';
import { isIdField } from '../../../spec/catalogue/roles.ts';
import type { Contract } from '../../../spec/contract.ts';
import { whyFormless } from '../../../spec/profile/profile.ts';
import { parentLink } from '../../../spec/references.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isObject } from '../../api/places.ts';
import { Skip } from '../../assert/failure.ts';
import { type Case, type CaseContext, eachField, type Rule } from '../../plan/rule.ts';

/** A part of the lines that a field holds: `lines` and `product`. */
export type LinePart = { readonly lines: Field; readonly part: Field };

/** A case for each field that the filter lets through, and for each such part of lines that are sent in full. */
export function eachFieldAndPart(
  wanted: (field: Field, plan: Contract) => boolean,
  ofField: (context: CaseContext, field: Field) => Promise<void>,
  ofPart: (context: CaseContext, place: LinePart) => Promise<void>,
): Rule['cases'] {
  return (model, plan) => {
    const places = model.fields.flatMap((lines): LinePart[] => {
      const line = plan.catalogue.models.get(lines.lines ?? '');
      if (!line || lines.readonly || plan.profile['types.lines'] === 'ids') return [];
      // The link of a line to its parent is implied by where the line stands.
      const parent = parentLink(line, model, plan.references);
      return line.fields.filter((part) => part !== parent).map((part) => ({ lines, part }));
    });
    const ofParts = places
      .filter(({ part }) => wanted(part, plan))
      .map(
        (place): Case => ({
          field: place.lines,
          detail: place.part.name,
          run: (context) => {
            const why = whyFormless(place.part, context);
            if (why !== undefined) throw new Skip(why);
            return ofPart(context, place);
          },
        }),
      );
    return [...eachField(wanted, ofField)(model, plan), ...ofParts];
  };
}

/** Valid lines in wire form, the first of which has another value for a part, or none when that is undefined. */
export function invalidLines(
  { codec, model, samples }: CaseContext,
  { lines, part }: LinePart,
  value: Value | undefined,
): RecordValues {
  const sent = codec.encodeNamed(model.name, { [lines.name]: samples.values('all')[lines.name] ?? [] });
  const [first, ...others] = sent[lines.name] as readonly RecordValues[];
  const { [part.name]: _, ...rest } = first ?? {};
  const changed = value === undefined ? rest : { ...rest, [part.name]: value };
  return { [lines.name]: [changed, ...others] };
}

/** What the lines of a record, both in wire form, show of a part. */
export function partsShown(
  record: RecordValues | undefined,
  { lines, part }: LinePart,
): readonly (Value | undefined)[] {
  const shown = record?.[lines.name];
  return Array.isArray(shown) ? shown.filter(isObject).map((line) => line[part.name]) : [];
}

/** The fields whose lines are shown as records of a model that has an id. */
export function linesWithIds({ catalogue, model, profile }: CaseContext): Field[] {
  return model.fields.filter(
    ({ lines = '' }) =>
      profile['types.lines'] === 'objects' && catalogue.models.get(lines)?.fields.some(isIdField) === true,
  );
}
