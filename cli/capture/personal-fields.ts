import type { Field, TypeName } from '../../spec/catalogue/field.ts';

/** The kind of a text, which decides its replacement. `capture` keeps texts of the kind `kept`. */
export type TextKind = 'kept' | 'email' | 'phone' | 'url' | 'account' | 'name' | 'text';

/** The types whose values are texts that a person wrote. A select has values of a list. */
const TEXTS: readonly TypeName[] = ['string', 'text', 'markdown', 'email', 'url', 'image'];

/** A row applies to a field that meets all its conditions. */
type Row = {
  readonly kind: TextKind;
  readonly types?: readonly TypeName[];
  /** Matches the name of the field. */
  readonly name?: RegExp;
  /** Matches the note of the source on the field. */
  readonly about?: RegExp;
};

/** The first row that applies decides. Names are in English or Spanish, because catalogues have either. */
const ROWS: readonly Row[] = [
  { kind: 'email', types: ['email'] },
  { kind: 'url', types: ['url', 'image'] },
  { kind: 'text', types: ['text', 'markdown'] },
  { kind: 'kept', about: /\bid\b/i },
  { kind: 'kept', name: /^(currency|moneda|language|idioma|locale|time_?zone|color|icon)(_?code)?$/i },
  { kind: 'email', name: /e-?mail|correo/i },
  { kind: 'phone', name: /phone|mobile|m[oó]vil|^tel|^fax/i },
  { kind: 'url', name: /(url|uri|website|web|link)$/i },
  { kind: 'account', name: /account|iban|cuenta/i },
  {
    kind: 'name',
    name: /name|alias|nombre|apellido|^(customer|client|tenant|person|contact|author|owner|cliente|persona|contacto|autor|user|usuario)$|user$/i,
  },
  { kind: 'text' },
];

/** Returns the kind of the texts in a field. A number, a date, a boolean, a link, or a value of a list is kept. */
export function textKindOf({ about = '', name, type }: Field): TextKind {
  if (!TEXTS.includes(type)) return 'kept';
  const found = ROWS.find(
    (row) =>
      (row.types?.includes(type) ?? true) &&
      (row.name?.test(name) ?? true) &&
      (row.about?.test(about) ?? true),
  );
  return found?.kind ?? 'text';
}
