import type { Place } from '../files/place.ts';
import { unexpected } from '../files/usage-error.ts';
import { type Choice, type Field, type Noun, parseField, ROLES } from './field.ts';

/** The parts of a file by their keys. */
export function readParts(file: Place): Map<string, Place> {
  return new Map(file.entries().map(([key, place]) => [String(key), place]));
}

/** The fields of a model, or the common ones, with the place of each. */
export function readFields(place: Place, model: string, inherited: readonly Field[] = []): [Field, Place][] {
  return place.entries().map(([word, at]) => {
    const name = readName(at, 'field', word);
    if (inherited.some((field) => field.name === name))
      at.fail(`The field ${name} is a common field already. Remove it here.`);
    return [{ name, key: `${model}.${name}`, common: model === '', ...parseField(at) }, at];
  });
}

/** Gives common fields their roles. */
export function readRoles(place: Place | undefined, common: [Field, Place][]): void {
  const names = common.map(([{ name }]) => name).filter((name) => name !== 'id');
  for (const [role, at] of place?.entries() ?? []) {
    const known = ROLES.find((one) => one === role) ?? at.fail(unexpected('role', role, ROLES));
    const index = common.findIndex(
      ([{ name, role: taken }]) => name === at.text() && name !== 'id' && !taken,
    );
    const [field, where] = common[index] ?? at.fail(unexpected('common field', at.value, names, 'in roles'));
    common[index] = [{ ...field, role: known }, where];
  }
}

/** A name of a model or field, as it stands in paths and bodies. */
export function readName(at: Place, kind: string, key: unknown): string {
  if (typeof key === 'string' && /^[a-z][A-Za-z0-9]{0,63}$/.test(key)) return key;
  return at.fail(
    `The ${kind} name ${JSON.stringify(key)} is invalid. Use letters and digits, starting with a lowercase letter.`,
  );
}

/** Lists of known words by model, in the order of the words. */
export function readLists(
  place: Place | undefined,
  models: string[],
  words: readonly string[],
): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [model, list] of place?.entries() ?? []) {
    if (!models.includes(String(model))) list.fail(unexpected('model', model, models));
    const found = list
      .items()
      .map((item) =>
        words.includes(item.text()) ? item.text() : item.fail(unexpected('name', item.value, words)),
      );
    // Kept in the order of the words, so that the order in the file does not matter.
    lists.set(
      String(model),
      words.filter((word) => found.includes(word)),
    );
  }
  return lists;
}

/** Names of models. */
export function readNames(place: Place | undefined, models: string[]): string[] {
  return (place?.items() ?? []).map((item) =>
    models.includes(item.text()) ? item.text() : item.fail(unexpected('model', item.value, models)),
  );
}

/** A text for some of the models. */
export function readTexts(place: Place | undefined, models: string[]): Map<string, string> {
  return new Map(
    (place?.entries() ?? []).map(([model, text]) =>
      models.includes(String(model))
        ? [String(model), text.text()]
        : text.fail(unexpected('model', model, models)),
    ),
  );
}

/** Reads the nouns of some of the models. */
export function readNouns(place: Place | undefined, models: string[]): Map<string, Noun> {
  return new Map(
    (place?.entries() ?? []).map(([model, nouns]) => {
      if (!models.includes(String(model))) nouns.fail(unexpected('model', model, models));
      const [one, many] = nouns.items().map((noun) => noun.text());
      if (one === undefined || many === undefined)
        return nouns.fail(`${model} needs two nouns, such as [a brand, brands]`);
      return [String(model), { one, many }];
    }),
  );
}

/** The value lists by `model.field`, with the place of each. */
export function readChoices(place: Place | undefined): Map<string, { place: Place; choices: Choice[] }> {
  const lists = new Map<string, { place: Place; choices: Choice[] }>();
  for (const [field, list] of place?.entries() ?? []) {
    const choices = list.entries().map(([value, name]) => {
      if (typeof value === 'boolean')
        return list.fail(
          `A value must be a number or a string, but is the boolean ${value}. Put it in quotes.`,
        );
      if (typeof value === 'number' && !Number.isFinite(value))
        return list.fail(
          `A value must be a number or a string, but is ${value}, which JSON can't represent.`,
        );
      return { value, name: name.text() };
    });
    if (choices.length === 0) list.fail(`The value list of ${field} is empty. Add at least one value.`);
    if (new Set(choices.map((choice) => typeof choice.value)).size > 1)
      list.fail(`The value list of ${field} mixes numbers and strings. Use only one of them.`);
    lists.set(String(field), { place: list, choices });
  }
  return lists;
}

/** Puts English names beside those of the source. */
export function nameChoices(
  lists: ReadonlyMap<string, { choices: Choice[] }>,
  names: Place | undefined,
): void {
  for (const [field, list] of names?.entries() ?? []) {
    const known = lists.get(String(field)) ?? list.fail(unexpected('value list', field, [...lists.keys()]));
    const taken = new Set<string>();
    for (const [value, place] of list.entries()) {
      const index = known.choices.findIndex((choice) => choice.value === value);
      const choice =
        known.choices[index] ??
        place.fail(
          unexpected(
            'value',
            value,
            known.choices.map((one) => one.value),
            `for ${field}`,
          ),
        );
      const english = place.text();
      if (!/^[A-Z][A-Za-z0-9]{0,63}$/.test(english) || taken.has(english))
        place.fail(
          `The English name "${english}" is invalid. Use letters and digits, starting with a capital letter, and each name once.`,
        );
      taken.add(english);
      known.choices[index] = { ...choice, english };
    }
  }
}
