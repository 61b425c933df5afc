import { withArticle } from '../../../spec/article.ts';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { onceFor } from '../../../spec/once-for.ts';
import { type Profile, whyFormless, whyUnmakeable } from '../../../spec/profile/profile.ts';
import { parentLink, type References } from '../../../spec/references.ts';
import { WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { type Id, isId } from '../../api/places.ts';
import { Blocked, Withheld } from '../../assert/failure.ts';
import type { FieldPolicy } from './field-policy.ts';

/** Where ids of records to link to come from. */
export type LinkSource = {
  /** The id of a record of a model, or of a thing outside the catalogue; neighboring numbers give different ones. */
  idOf(name: string, number: number): Id | undefined;
  /** Why there is none, with the exchange that shows it. */
  whyNone(name: string): Blocked | Withheld;
  /** The values that records of the target show of a link outside the catalogue, or of a list that nobody knows. */
  shownOf(field: Field): readonly Value[];
};

/** Where valid values come from. */
export type ValueSource = {
  plan(): Contract;
  readonly links: LinkSource;
  readonly policy: FieldPolicy;
};

/** The fields a client may send. */
export function writableFields(model: Model): Field[] {
  return model.fields.filter((field) => !field.readonly);
}

/** A refusal with more names than this repeats the request. */
const MOST_NAMED = 3;

/** The fields that a refusal names; none where it names nearly all of them. */
export function namedIn(fields: readonly Field[], refusal: string): Field[] {
  const named = fields.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(refusal));
  return new Set(named.map(({ name }) => name)).size > MOST_NAMED ? [] : named;
}

/**
 * Valid canonical values for the writable fields of a model: the required ones, or all of them. Equal numbers
 * give equal values; fields of one kind get different ones, ascending, as the ends of a range have to.
 * Throws Blocked when a required link has no record to point to.
 */
export function validValues(
  model: Model,
  extent: 'required' | 'all',
  number: number,
  source: ValueSource,
  leaveOut: readonly (Field | undefined)[] = [],
): Record<string, Value> {
  const values: Record<string, Value> = {};
  const { policy } = source;
  for (const field of writableFields(model)) {
    const isPinned = policy.pinned(field) !== undefined;
    if (leaveOut.includes(field) || (policy.instead(field) && !isPinned)) continue;
    if (extent === 'required' && !field.required && !isPinned) continue;
    const value = validValue(model, field, number, source, extent);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

/**
 * One valid canonical value, of lines to that extent; undefined for an optional link without a record to point to, and
 * for an optional value of a form that is not known.
 */
export function validValue(
  model: Model,
  field: Field,
  number: number,
  source: ValueSource,
  extent: 'required' | 'all' = 'all',
): Value | undefined {
  const { links, policy } = source;
  const plan = source.plan();
  const pinned = policy.pinned(field);
  if (pinned !== undefined) return pinned;
  if (whyFormless(field, plan) !== undefined && !field.required) return undefined;
  const unmakeable = whyUnmakeable(field, plan);
  if (unmakeable !== undefined)
    throw new Blocked(`${field.key} needs ${withArticle(field.type)}: ${unmakeable}`);
  const own = number + (places(plan.references)(model).get(field) ?? 0);
  const target = thingOf(field, plan.references);
  if (target !== undefined) {
    // The service accepted the values that its own records have in this field.
    const shown = links.shownOf(field).filter(isId);
    const idAt = (at: number) => (shown.length > 0 ? shown[at % shown.length] : links.idOf(target, at));
    const id = idAt(own);
    if (id !== undefined) return field.type === 'manyToMany' ? several(id, idAt(own + 1) ?? id) : id;
    if (linkTarget(field, plan.references) !== undefined) {
      if (field.required) {
        const why = links.whyNone(target);
        const message = `${field.key} needs a ${target} record: ${why.message}. Pass IDs with --bindings`;
        throw why instanceof Withheld
          ? new Withheld(message)
          : new Blocked(message, why.exchange, undefined, why.model);
      }
      return field.type === 'manyToMany' ? [] : undefined;
    }
    // Of a thing outside the catalogue any number is worth a try: not every service looks it up.
  }
  if (field.lines !== undefined) return validLines(model, field.lines, extent, number, source);
  const shown = links.shownOf(field);
  if (shown.length > 0) return shown[own % shown.length];
  return asKept(field, policy.sample(field, own, plan.profile), plan.profile);
}

/** The ids as a list of links holds them: each once, ascending. */
function several(one: Id, other: Id): Id[] {
  return one === other ? [one] : [one, other].toSorted((a, b) => Number(a) - Number(b));
}

const places = onceFor((references: References) =>
  onceFor(
    (model: Model) => new Map(model.fields.map((field) => [field, countAlike(model, field, references)])),
  ),
);

/** How many fields of a model a client may fill with the same values stand before a field. */
function countAlike(model: Model, field: Field, references: References): number {
  const kindOf = (candidate: Field) => thingOf(candidate, references) ?? candidate.type;
  const kind = kindOf(field);
  const before = model.fields.slice(0, model.fields.indexOf(field));
  return before.filter((other) => !other.readonly && kindOf(other) === kind).length;
}

/** What a field links to, be it a model or a thing outside the catalogue. */
function thingOf(field: Field, references: References): string | undefined {
  return linkTarget(field, references) ?? outsideTarget(field, references);
}

function validLines(
  parent: Model,
  lines: string,
  extent: 'required' | 'all',
  number: number,
  source: ValueSource,
): Value {
  const plan = source.plan();
  const model = plan.catalogue.models.get(lines);
  // By ids, lines have to be there before their parent, which many of them need: an empty list is what is left.
  if (!model || plan.profile['types.lines'] === 'ids') return [];
  if (writableFields(model).some((part) => part.required && whyUnmakeable(part, plan) !== undefined))
    return [];
  const parentOnly = [parentLink(model, parent, plan.references)];
  // Two of them, so that a service that keeps the first alone shows; by turns rising and falling, so that one that sorts does.
  const both = number % 2 === 0 ? [number, number + 1] : [number + 1, number];
  return (extent === 'all' ? both : [number]).map((own) =>
    validValues(model, extent, own, source, parentOnly),
  );
}

/** The model a field links to by an inferred link, if any. */
export function linkTarget(field: Field, references: References): string | undefined {
  const reference = references.get(field.key);
  return reference && 'to' in reference ? reference.to : undefined;
}

/** The thing outside the catalogue that a field refers to by an inferred link, if any. */
export function outsideTarget(field: Field, references: References): string | undefined {
  const reference = references.get(field.key);
  return reference && 'outside' in reference ? reference.outside : undefined;
}

/** A canonical value as it comes back after a way over the wire: a minute for a time, seconds for a duration. */
export function asKept(field: Field, value: Value, profile: Profile): Value {
  if (value === null || field.lines !== undefined) return value;
  const { decode, encode } = WIRE_TYPES[field.type];
  return decode(encode(value, { field, profile }), { field, profile });
}

/** The moves of a field that the profile allows, by where they start; undefined where any value may follow any other. */
export function movesOf(
  field: Field,
  { transitions }: Profile,
): Readonly<Record<string, readonly (string | number)[]>> | undefined {
  return transitions === 'any' ? undefined : transitions[field.key];
}
