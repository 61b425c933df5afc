import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Field } from '../../spec/catalogue/field.ts';
import type { References } from '../../spec/references.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { idsIn, idsOf, type KnownRecord, type KnownRecords } from './known-record.ts';

/** Which records lines and references tie together: a write to one may change what another shows. */
export type Ties = {
  /** The known records tied to the one with the id, before or after values are written; each once, without itself. */
  tiedTo(
    model: Model,
    id: number | undefined,
    written: ReadonlyMap<string, Value | undefined>,
  ): KnownRecord[];
  /** The known records that hold the record, directly or through others: they may go with it. */
  goWith(model: Model, id: number): KnownRecord[];
  /** Whether records of one model hold those of the other, either way. */
  areLinked(one: Model, other: Model): boolean;
  /** Whether some chain of references leads from one model to the other, either way, within two steps. */
  areNear(one: Model, other: Model): boolean;
};

type Link = { readonly field: Field; readonly to: Model };

/** The model whose records a field holds, or links to. */
export function linkOf(field: Field, { models }: Catalogue, references: References): Model | undefined {
  const reference = references.get(field.key);
  return models.get(field.lines ?? (reference && 'to' in reference ? reference.to : ''));
}

export function createTies(catalogue: Catalogue, references: References, known: KnownRecords): Ties {
  const models = [...catalogue.models.values()];
  const links = new Map(models.map((model) => [model, model.fields.flatMap(linkIn)]));
  const things = new Map(models.map((model) => [model, thingsOf(model)]));
  return { tiedTo, goWith, areLinked, areNear };

  function linkIn(field: Field): Link[] {
    const to = linkOf(field, catalogue, references);
    return to ? [{ field, to }] : [];
  }

  function linksOf(model: Model): readonly Link[] {
    return links.get(model) ?? [];
  }

  /** Returns a model, the models that it links to, and the things outside the catalogue. */
  function thingsOf(model: Model): Set<string> {
    const outside = model.fields.flatMap((field) => {
      const reference = references.get(field.key);
      return reference && 'outside' in reference ? [reference.outside] : [];
    });
    return new Set([model.name, ...linksOf(model).map(({ to }) => to.name), ...outside]);
  }

  function areLinked(one: Model, other: Model): boolean {
    return linksOf(one).some(({ to }) => to === other) || linksOf(other).some(({ to }) => to === one);
  }

  function areNear(one: Model, other: Model): boolean {
    const about = things.get(other);
    return [...(things.get(one) ?? [])].some((thing) => about?.has(thing));
  }

  function tiedTo(...[model, id, written]: Parameters<Ties['tiedTo']>): KnownRecord[] {
    const own = id === undefined ? undefined : known.get(model, id);
    const tied = new Set<KnownRecord>();
    for (const { field, to } of linksOf(model))
      for (const other of [...idsIn(written.get(field.name)), ...idsOf(own?.values.get(field.name))]) {
        add(known.get(to, other));
        // A line that is given to one record may be taken from another.
        if (field.lines !== undefined) for (const holder of holdersOf(to, other)) add(holder);
      }
    if (id !== undefined) for (const holder of holdersOf(model, id)) add(holder);
    if (own) tied.delete(own);
    return [...tied];

    function add(record: KnownRecord | undefined): void {
      if (record) tied.add(record);
    }
  }

  function* holdersOf(model: Model, id: number): Generator<KnownRecord> {
    yield* known.linkingTo(model, id);
    // The lines of a record name it as their parent, and it names them.
    for (const { field, to } of linksOf(model))
      if (field.lines !== undefined)
        for (const line of idsOf(known.get(model, id)?.values.get(field.name))) {
          const record = known.get(to, line);
          if (record) yield record;
        }
  }

  function goWith(model: Model, id: number): KnownRecord[] {
    const gone = new Set<KnownRecord>();
    const next: { model: Model; id: number }[] = [{ model, id }];
    for (const one of next)
      for (const holder of holdersOf(one.model, one.id)) {
        if (gone.has(holder)) continue;
        gone.add(holder);
        next.push(holder);
      }
    return [...gone];
  }
}
