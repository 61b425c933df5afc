import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { isText, WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { type Defect, fieldDefect, has, isWritable } from '../defect.ts';
import { onStoring } from '../on-engine.ts';
import { asKept, nameOf, otherValue } from '../other-value.ts';

const EDGELESS = ['select', 'lines', 'manyToMany'];

/** How services change texts when they store them. */
const MANGLERS: Readonly<Record<string, (text: string) => string>> = {
  decomposed: (text) => text.normalize('NFD'),
  composed: (text) => text.normalize('NFC'),
  trimmed: (text) => text.trim(),
  'ascii-lowered': (text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'all-but-ascii-lowered': (text) => text.replaceAll(/[^\0-\x7f]/g, (letter) => letter.toLowerCase()),
  'emoji-lost': (text) => text.replaceAll(/\p{Extended_Pictographic}/gu, ''),
  'latin-only': (text) => text.replaceAll(/[^\0-\xff]/g, '?'),
  'accents-lost': (text) => text.normalize('NFD').replaceAll(/\p{Mn}/gu, ''),
  'html-escaped': (text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  'html-decoded': (text) => text.replaceAll('&amp;', '&'),
  'tags-lost': (text) => text.replaceAll(/<\/?\w+>/g, ''),
  'quotes-doubled': (text) => text.replaceAll("'", "''"),
  'quotes-escaped': (text) => text.replaceAll('"', '\\"'),
  'backslashes-lost': (text) => text.replaceAll('\\', ''),
  'percent-decoded': (text) => text.replaceAll('%20', ' '),
  'plus-lost': (text) => text.replaceAll('+', ' '),
  'one-line': (text) => text.replaceAll(/\s*\n\s*/g, ' '),
  'carriage-returns': (text) => text.replaceAll('\n', '\r\n'),
  'tabs-lost': (text) => text.replaceAll('\t', ' '),
  'leading-zeros-lost': (text) => (/^0\d+$/.test(text) ? String(Number(text)) : text),
};

const MANGLING = [
  { name: 'kept.mangles-text', operation: 'create', rules: ['advice.text-kept'] },
  {
    name: 'kept.mangles-text-on-update',
    operation: 'update',
    rules: ['advice.text-kept', 'update.changes-field'],
  },
] as const;

/** Values that do not come back as they were sent. */
export const keptDefects: readonly Defect[] = [
  ...MANGLING.map(({ name, operation, rules }) =>
    fieldDefect({
      name,
      violates: `does not return a string as ${operation === 'create' ? 'a create' : 'an update'} sent it`,
      rules,
      applies: (field, model) => isWritable(field) && isText(field) && has(model, 'create', operation),
      details: () => Object.keys(MANGLERS),
      decorate: ({ model, field, detail }) =>
        storing(model, operation, field, (value) =>
          typeof value === 'string' ? (MANGLERS[detail]?.(value) ?? value) : value,
        ),
    }),
  ),
  fieldDefect({
    name: 'kept.alters-edge',
    violates: 'stores another value for a boundary value of the type: zero, a leap day, a fraction',
    rules: ['advice.edge-kept'],
    applies: (field, model, { references }) =>
      isWritable(field) &&
      !isText(field) &&
      !EDGELESS.includes(field.type) &&
      !references.has(field.key) &&
      has(model, 'create'),
    details: edgesOf,
    decorate: ({ model, field, detail }, { profile }) =>
      storing(model, 'create', field, (value) =>
        nameOf(value) === detail ? otherValue(field, value, profile) : value,
      ),
  }),
];

function edgesOf(field: Field, _: Model, { profile }: Contract): string[] {
  const edges = WIRE_TYPES[field.type].edges({ field, profile });
  return [...new Set(edges.map((edge) => nameOf(asKept(field, edge, profile))))];
}

function storing(model: Model, operation: 'create' | 'update', field: Field, alter: (value: Value) => Value) {
  return onStoring(model, operation, (values) => {
    const value = values[field.name];
    return value === undefined || value === null ? values : { ...values, [field.name]: alter(value) };
  });
}
