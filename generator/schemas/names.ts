import { schemaName } from '../../spec/binding.ts';
import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Choice, Field, Noun } from '../../spec/catalogue/field.ts';
import { UsageError } from '../../spec/files/usage-error.ts';
import { profileAt } from '../../spec/profile/profile.ts';
import { parentLink } from '../../spec/references.ts';
import type { Sources } from '../sources.ts';

/** The type and flags of a field, as the source writes them. */
export function notationOf({ lines, readonly, required, type }: Field) {
  return {
    type: lines === undefined ? type : `${schemaName(lines)}[]`,
    flags: [...(required ? (['req'] as const) : []), ...(readonly ? (['ro'] as const) : [])],
  };
}

/** Returns what a sentence calls one record and several: those of the catalogue, or ones that fit any name. */
export function nounOf({ name, noun }: Model): Noun {
  return noun ?? { one: `one ${name} record`, many: `${name} records` };
}

/** Returns a heading for one record: `a CRM contact` → `CRM contact`, `stockOrderLine` → `Stock order line`. */
export function titleOf({ name, noun }: Model): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/\d+$/, ' $&');
  return schemaName(noun?.one.replace(/^an? /, '') ?? words);
}

/**
 * The schema of a value list: `stockOrder.status` → `StockOrderStatus`. A select such as `voucher.type` may meet
 * a model `voucherType`; the list then gives way, because models are named by the interface.
 */
export function choicesName(field: Field, models: ReadonlyMap<string, unknown>): string {
  const [model = '', name = ''] = field.type === 'fkModel' ? ['fkModel'] : field.key.split('.');
  const joined = model + schemaName(name);
  return models.has(joined) ? `${schemaName(joined)}Value` : schemaName(joined);
}

/**
 * Returns unique names for the members of a value list that are valid in any language: ASCII, with a letter first. They
 * are in English if the catalogue has it, else in the words of the source. A name that begins with a digit gets the name
 * of the list as its prefix.
 */
export function identifiers(choices: readonly Choice[], list: string): string[] {
  const taken = new Set<string>();
  return choices.map(({ name, english }) => {
    const words = name
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .split(/[^A-Za-z0-9]+/);
    const pascal = english ?? words.map((word) => schemaName(word)).join('');
    const stem = /^[A-Za-z]/.test(pascal) ? pascal : `${list}${pascal}`;
    let free = stem;
    for (let number = 2; taken.has(free); number++) free = `${stem}_${number}`;
    taken.add(free);
    return free;
  });
}

/** The model of a field's lines if a record contains them (`types.lines: objects`), else undefined. */
export function lineModel(field: Field, { catalogue, profile }: Sources): Model | undefined {
  if (field.lines === undefined || profileAt(profile, field.key)['types.lines'] !== 'objects')
    return undefined;
  return catalogue.models.get(field.lines);
}

/** The field of a line that is not asked for inside its parent: the link to a record that does not exist yet. */
export function isParentLink(field: Field, line: Model, parent: Model, { references }: Sources): boolean {
  return parentLink(line, parent, references)?.name === field.name;
}

/** Throws UsageError if models contain each other as lines, because such a record is endless. */
export function refuseCircularLines(catalogue: Catalogue): void {
  const ended = new Set<string>();
  for (const name of catalogue.models.keys()) follow(name, []);

  function follow(name: string, path: readonly string[]): void {
    if (path.includes(name))
      throw new UsageError(
        `The lines of ${name} contain ${name} again (${[...path, name].join(' → ')}). Set types.lines to ids in the profile, or change the line models.`,
      );
    if (ended.has(name)) return;
    for (const field of catalogue.models.get(name)?.fields ?? [])
      if (field.lines !== undefined) follow(field.lines, [...path, name]);
    ended.add(name);
  }
}
