import type { Catalogue, Model } from '../spec/catalogue/catalogue.ts';
import { UsageError, unexpected } from '../spec/files/usage-error.ts';

/** The part of a contract that is wanted: models by name, of areas as the catalogue spells them, in any case. */
export type DocumentSelection = {
  readonly models?: readonly string[] | undefined;
  readonly areas?: readonly string[] | undefined;
};

/**
 * The models that are wanted, by name and in the order of the source: those that every given list names, and the
 * lines in them. Throws UsageError for a name that the catalogue does not have, and when nothing is left.
 */
export function selectModels(
  catalogue: Catalogue,
  { areas, models }: DocumentSelection,
): ReadonlyMap<string, Model> {
  const given = areas?.map(lower);
  const known = catalogue.areas.map(({ name }) => lower(name));
  requireKnown('model', '--models', models ?? [], [...catalogue.models.keys()]);
  requireKnown('area', '--area', given ?? [], known);
  const wanted = new Set<Model>();
  for (const model of catalogue.models.values())
    if ((models?.includes(model.name) ?? true) && (given?.includes(lower(model.area)) ?? true)) add(model);
  if (wanted.size === 0)
    throw new UsageError(
      `No model in --models (${models?.join(', ')}) belongs to --area ${areas?.join(', ')}. Drop one of the two flags.`,
    );
  const ordered = catalogue.areas.flatMap((area) => area.models.map((name) => catalogue.models.get(name)));
  return new Map(ordered.flatMap((model) => (model && wanted.has(model) ? [[model.name, model]] : [])));

  /** A catalogue may hold a part of the models it names. */
  function add(model: Model | undefined): void {
    if (!model || wanted.has(model)) return;
    wanted.add(model);
    for (const { lines = '' } of model.fields) add(catalogue.models.get(lines));
  }
}

/** Returns the areas that have selected models, in the order of the source. */
export function modelsByArea({ areas }: Catalogue, selected: ReadonlyMap<string, Model>) {
  return areas
    .map((area) => ({ ...area, models: area.models.flatMap((name) => selected.get(name) ?? []) }))
    .filter(({ models }) => models.length > 0);
}

function requireKnown(kind: string, flag: string, words: readonly string[], known: readonly string[]): void {
  for (const word of words)
    if (!known.includes(word)) throw new UsageError(unexpected(kind, word, known, `in ${flag}`));
}

function lower(text: string): string {
  return text.toLowerCase();
}
