import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { choicesOf } from '../../../spec/types/select.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { isObject } from '../../api/places.ts';
import { sideBySide } from '../../target/side-by-side.ts';
import type { Bindings } from '../bindings.ts';
import { type LinkSource, namedIn, outsideTarget } from '../values/values.ts';
import { createLinkFields } from './link-fields.ts';

export type HarvestOptions = {
  readonly plan: () => Contract;
  readonly bindings?: Bindings | undefined;
  /** The fields of the records that stand in the list of a model, in canonical form; none where there is no list. */
  see(model: Model, fields: readonly Field[]): Promise<readonly RecordValues[]>;
  /** Requests that may be under way at once. */
  readonly concurrency?: number | undefined;
};

/** What the target's own records show of things that no request of the kit can make. */
export type Harvest = Pick<LinkSource, 'shownOf'> & {
  /**
   * Takes ids of things outside the catalogue, and values of lists that nobody knows, from the target's own records:
   * what they hold is surely taken.
   */
  harvest(models: ReadonlySet<Model>): Promise<void>;
  /**
   * What to supply where a refusal may be about ids of things outside the catalogue: those that the model, or what is
   * sent, links to by an id that is made up, or by one of the target's own that the refusal names. Empty where the
   * refusal names none of it; undefined where it is about no such id.
   */
  remedyFor(model: Model, refusal: string, sent?: RecordValues): string | undefined;
  /** Whether a field links to a thing outside the catalogue, and neither the user nor a record of the target gives an ID. */
  isUnbound(field: Field): boolean;
};

/** A few ids of a thing are as good as all of them. */
const MOST_HARVESTED = 5;

/** Puts the ids that it finds among those that are known. */
export function createHarvest(
  { bindings, concurrency, plan, see }: HarvestOptions,
  ids: Map<string, readonly (number | string)[]>,
): Harvest {
  const { catalogue, references } = plan();
  const { writableWithLines } = createLinkFields(plan());
  const shown = new Map<Field, readonly Value[]>();
  return { harvest, shownOf: (field) => shown.get(field) ?? [], remedyFor, isUnbound };

  function isUnbound(field: Field): boolean {
    const thing = outsideTarget(field, references);
    return thing !== undefined && !bindings?.has(thing) && !shown.get(field)?.length;
  }

  async function harvest(models: ReadonlySet<Model>): Promise<void> {
    const wanted = new Set([...models].flatMap((model) => guessed(model)));
    const thingOf = (field: Field) => outsideTarget(field, references) ?? '';
    const sources = [...catalogue.models.values()].flatMap((model) => {
      const fields = model.fields.filter((field) => wanted.has(thingOf(field)));
      const choosing = models.has(model) ? model.fields.filter(isOpen) : [];
      return fields.length + choosing.length === 0 ? [] : [{ model, fields, choosing }];
    });
    const seen = await sideBySide(
      sources,
      ({ choosing, fields, model }) => see(model, [...fields, ...choosing]),
      concurrency,
    );
    for (const [index, { choosing, fields }] of sources.entries()) {
      const records = seen[index] ?? [];
      for (const field of fields) {
        const found = records.flatMap((record) => record[field.name]).filter(isInteger);
        shown.set(field, [...new Set(found)].slice(0, MOST_HARVESTED));
        const all = new Set([...(ids.get(thingOf(field)) ?? []), ...found]);
        if (all.size > 0) ids.set(thingOf(field), [...all].slice(0, MOST_HARVESTED));
      }
      for (const field of choosing) {
        const values = records
          .map((record) => record[field.name])
          .filter((value) => typeof value === 'string' || typeof value === 'number');
        shown.set(field, [...new Set(values)].slice(0, MOST_HARVESTED));
      }
    }
  }

  /** A list of values that neither the source nor the profile shows. */
  function isOpen(field: Field): boolean {
    const { profile } = plan();
    return !field.readonly && field.type === 'select' && choicesOf({ field, profile }) === undefined;
  }

  function remedyFor(model: Model, refusal: string, sent?: RecordValues): string | undefined {
    const fields = namedIn(writableWithLines(model), refusal);
    const about = new Set(fields.map((field) => outsideTarget(field, references)));
    const found = [...about].filter(
      (thing) => thing !== undefined && ids.has(thing) && !bindings?.has(thing),
    );
    const things = [...guessed(model, sent), ...found];
    if (things.length === 0) return undefined;
    const told = things.filter((thing) => about.has(thing));
    if (told.length > 0) return `; pass IDs of ${told.join(', ')} with --bindings`;
    const lists = fields.filter(isOpen).map(({ key }) => key);
    return lists.length > 0 ? `; list values of ${lists.join(', ')} in --profile (values)` : '';
  }

  /** The things outside the catalogue that a model, or what is sent of it, links to and of which no id is known. */
  function guessed(model: Model, sent?: RecordValues): string[] {
    const bodies = sent === undefined ? [] : [sent, ...Object.values(sent).flat().filter(isObject)];
    const isSent = (field: Field) =>
      sent === undefined || bodies.some((body) => Object.hasOwn(body, field.name));
    const things = writableWithLines(model)
      .filter(isSent)
      .flatMap((field) => outsideTarget(field, references) ?? []);
    return [...new Set(things)].filter((thing) => !ids.has(thing));
  }
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
