import { isDeepStrictEqual } from 'node:util';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Contract } from '../../../spec/contract.ts';
import { choicesOf, WIRE_TYPES } from '../../../spec/types/types.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { type Defect, fieldDefect, has, isWritable, modelDefect } from '../defect.ts';
import { forgive, onDraft, violationsOf } from '../on-draft.ts';
import { breaking, onOperation, redirect, textOf } from '../on-wire.ts';
import { nameOf } from '../other-value.ts';
import { sentIn } from '../sent.ts';

const createsWith = (field: Field, model: Model) => isWritable(field) && has(model, 'create');

/** Whether a value is the one of that name; in a form each number is a text. */
function isNamed(value: Value, name = ''): boolean {
  return nameOf(value).replaceAll('"', '') === name.replaceAll('"', '');
}

/** Values that make the service fail. */
const JUNK: Readonly<Record<string, (value: unknown, field: Field, contract: Contract) => boolean>> = {
  null: (value) => value === null,
  'wrong-type': (value, field, { profile }) =>
    WIRE_TYPES[field.type]
      .counterSamples({ field, profile })
      .some((sample) => JSON.stringify(sample) === JSON.stringify(value)),
  'long-text': (value) => typeof value === 'string' && value.length > 16_384,
  nested: (value) => depthOf(value) > 4,
};

/** Unreadable bodies that make the service fail. */
const BODIES: Readonly<Record<string, (text: string) => boolean>> = {
  empty: (text) => text === '',
  unfinished: (text) => text === '{"',
  list: (text) => text === '[]',
  null: (text) => text === 'null',
  text: (text) => /^"[^"]*"$/.test(text),
  brackets: (text) => text.startsWith('[['),
  prototype: (text) => text.includes('__proto__'),
};

/** Ids that are no integers. */
const IDS: Readonly<Record<string, RegExp>> = {
  word: /^[a-z]+$/,
  negative: /^-\d+$/,
  fraction: /^\d+\.\d+$/,
  exponent: /^\d+e\d+$/,
  hexadecimal: /^0x/,
  huge: /^\d{19,}$/,
  'null-character': /\0/,
  quote: /'/,
  semicolon: /;/,
  path: /\//,
};

/** Unusual and hostile input that is accepted, or that makes the service fail. */
export const inputDefects: readonly Defect[] = [
  fieldDefect({
    name: 'input.breaks-on-junk',
    violates: 'returns a server error for junk in a field',
    // For a field with a value list, the stated rule sends all other kinds of values, and the advice one.
    rules: ['advice.junk-survived', 'values.refused-on-create'],
    applies: createsWith,
    details: (field, _, { profile }) =>
      Object.keys(JUNK).filter((kind) => {
        if (kind === 'wrong-type')
          return WIRE_TYPES[field.type].counterSamples({ field, profile }).length > 0;
        // A form can't express null, and deep nesting can't be read.
        return profile['request.encoding'] === 'json' || (kind !== 'nested' && kind !== 'null');
      }),
    decorate: ({ model, field, detail }, contract) =>
      breaking(model, ['create'], contract, (call) => {
        const value = sentIn(call, contract)[field.name];
        return value !== undefined && JUNK[detail]?.(value, field, contract) === true;
      }),
  }),
  fieldDefect({
    name: 'input.breaks-without-required',
    violates: 'returns a server error for a create without a required field',
    rules: ['required.on-create'],
    applies: (field, model) => createsWith(field, model) && field.required,
    decorate: ({ model, field }, contract) =>
      breaking(model, ['create'], contract, (call) => sentIn(call, contract)[field.name] === undefined),
  }),
  ...(['create', 'update'] as const).flatMap((operation) => [
    fieldDefect({
      name: `input.breaks-outside-list-on-${operation}`,
      violates: `returns a server error for a value outside the list in ${operation === 'create' ? 'a create' : 'an update'}`,
      rules: [`values.refused-on-${operation}`],
      applies: (field, model) => isWritable(field) && field.choices !== undefined && has(model, operation),
      details: (field, _, { profile }) =>
        WIRE_TYPES[field.type].counterSamples({ field, profile }).map(nameOf),
      decorate: ({ model, field, detail }, contract) =>
        breaking(model, [operation], contract, (call) => {
          const value = sentIn(call, contract)[field.name];
          return value !== undefined && isNamed(value as Value, detail);
        }),
    }),
    fieldDefect({
      name: `input.takes-wrong-type-on-${operation}`,
      violates: `stores and returns a value of another type in ${operation === 'create' ? 'a create' : 'an update'}`,
      rules: [`fields.wrong-type-on-${operation}`],
      applies: (field, model, contract) =>
        isWritable(field) &&
        field.lines === undefined &&
        choicesOf({ field, profile: contract.profile }) === undefined &&
        isShownAsStored(field, contract) &&
        has(model, operation),
      decorate: ({ model, field }) =>
        onDraft(model, operation, (draft, sent) =>
          violationsOf(draft, field).length > 0 ? forgive(draft, field, sent[field.name]) : draft,
        ),
    }),
  ]),
  modelDefect({
    name: 'input.breaks-on-body',
    violates: 'returns a server error for a body that is not an object',
    rules: ['advice.body-junk-survived'],
    applies: (model) => has(model, 'create'),
    details: () => Object.keys(BODIES),
    decorate: ({ model, detail }, contract) =>
      breaking(model, ['create'], contract, ({ request }) => BODIES[detail]?.(textOf(request)) === true),
  }),
  modelDefect({
    name: 'input.breaks-on-id',
    violates: 'returns a server error for an ID that is not an integer or is out of range',
    rules: ['advice.odd-ids'],
    details: () => Object.keys(IDS),
    decorate: ({ model, detail }, contract) =>
      breaking(model, ['retrieve'], contract, ({ id = '' }) => IDS[detail]?.test(id) === true),
  }),
  modelDefect({
    name: 'input.reads-id-loosely',
    violates: 'reads only the leading digits of an ID',
    rules: ['advice.odd-ids'],
    details: () => ['fraction', 'exponent', 'quote', 'semicolon'],
    decorate: ({ model, detail }, contract) =>
      onOperation(model, ['retrieve'], contract, async ({ id = '', request }, inner) => {
        const digits = Number.parseInt(id, 10);
        if (!IDS[detail]?.test(id) || Number.isNaN(digits)) return inner();
        return inner(redirect(request, `${contract.catalogue.base}/${model.name}/${digits}`));
      }),
  }),
];

/**
 * Some wire forms can't show a value of another type: it looks unset, or like zero. Where links have to lead somewhere,
 * one that is no id is refused for that.
 */
export function isShownAsStored(field: Field, { profile, references }: Contract): boolean {
  const reference = references.get(field.key);
  if (reference && 'to' in reference && profile['request.references'] === 'reject') return false;
  const { counterSamples, encode } = WIRE_TYPES[field.type];
  return counterSamples({ field, profile }).every((value) => {
    try {
      return isDeepStrictEqual(encode(value, { field, profile }), value);
    } catch {
      return false;
    }
  });
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
