import type { Catalogue, Model } from '../../../spec/catalogue/catalogue.ts';
import type { Field } from '../../../spec/catalogue/field.ts';
import type { Value } from '../../../spec/types/wire-type.ts';
import { isObject } from '../../api/places.ts';
import { agrees } from '../../assert/agreement.ts';
import { isCopy } from '../../assert/copies.ts';
import { type Alteration, alterationOf } from './alteration.ts';

/** What is wrong with a value that is shown where another one is expected; undefined where they agree. */
export type Compare = (field: Field, expected: Value, shown: Value | undefined) => Alteration | undefined;

const LINES_LOST: Alteration = { name: 'other lines', level: 'stated' };
const ORDER: Alteration = { name: 'the order of lines changed', level: 'stated' };

export function createComparison(catalogue: Catalogue): Compare {
  return compare;

  function compare(field: Field, expected: Value, shown: Value | undefined): Alteration | undefined {
    const line = field.lines === undefined ? undefined : catalogue.models.get(field.lines);
    if (line && Array.isArray(expected) && Array.isArray(shown)) return compareLines(line, expected, shown);
    if (agrees(field, expected, shown)) return undefined;
    return alterationOf(field, expected, shown ?? null);
  }

  /** Lines are an array (section 2): it has an order. What was sent of each line is compared. */
  function compareLines(
    line: Model,
    expected: readonly Value[],
    shown: readonly Value[],
  ): Alteration | undefined {
    if (expected.length !== shown.length) return LINES_LOST;
    const wrong = expected.map((one, index) => compareLine(line, one, shown[index] ?? null));
    const found = wrong.find((alteration) => alteration !== undefined);
    const isElsewhere = (one: Value) => shown.some((other) => compareLine(line, one, other) === undefined);
    return found && expected.every(isElsewhere) ? ORDER : found;
  }

  function compareLine(line: Model, expected: Value, shown: Value): Alteration | undefined {
    // By their ids alone.
    if (!isObject(expected) || !isObject(shown)) return expected === shown ? undefined : LINES_LOST;
    for (const part of line.fields) {
      const value = Object.hasOwn(expected, part.name) ? expected[part.name] : undefined;
      if (value === undefined || value === null || part.readonly || isCopy(part, catalogue)) continue;
      const wrong = compare(part, value, shown[part.name]);
      if (wrong) return wrong;
    }
    return undefined;
  }
}

/** The common fields that stay with a record as long as it is there. */
export function isOrigin({ role }: Field): boolean {
  return role === 'created' || role === 'createdBy';
}

/** Whether a value can't be a default of the service, as a boolean or a member of a value list may be. */
export function isTelling(value: Value): boolean {
  if (typeof value === 'number') return Math.abs(value) > 1_000_000;
  return typeof value === 'string' ? value.length > 3 : isObject(value) || Array.isArray(value);
}
