import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { parseForm } from '../../spec/wire/form.ts';
import { readTextValue } from '../operations/text-value.ts';
import type { ContractViolation } from '../prism/inspection.ts';

/** A body for the schema of the document to check, and what is wrong with it beside that. */
export type SentBody = { readonly body: unknown; readonly violations: readonly ContractViolation[] };

/**
 * Prepares the body of a create or update for Prism, which knows no readonly fields of a body (it takes them for
 * unknown ones) and reads no lists of objects from forms.
 */
export function createSentBodyReader(
  { models }: Catalogue,
  profile: Profile,
): (model: Model, value: unknown) => SentBody {
  const refused = profile['request.readonlyFields'] === 'reject';
  const isForm = profile['request.encoding'] === 'form';
  return (model, value) => {
    const violations: ContractViolation[] = [];
    if (!isForm) return { body: prepare(model, value as Value, [], violations), violations };
    try {
      const fields = parseForm(String(value ?? '')) as Value;
      return { body: prepare(model, fields, [], violations), violations };
    } catch (error) {
      const message = `Request body is a form that can't be read (${(error as Error).message})`;
      return { body: undefined, violations: [{ location: ['request', 'body'], severity: 'Error', message }] };
    }
  };

  function prepare(model: Model, sent: Value, at: readonly string[], found: ContractViolation[]): Value {
    if (sent === null || typeof sent !== 'object' || Array.isArray(sent)) return sent;
    const kept = Object.entries(sent).flatMap(([name, value]) => {
      const field = model.fields.find((known) => known.name === name);
      if (!field) return [[name, value] as const];
      const place = [...at, name];
      if (field.readonly) {
        found.push(readonlyViolation(place));
        return [];
      }
      const line = field.lines === undefined ? undefined : models.get(field.lines);
      if (line && Array.isArray(value) && profile['types.lines'] === 'objects')
        return [
          [name, value.map((item, index) => prepare(line, item, [...place, String(index)], found))] as const,
        ];
      return [[name, isForm ? readTextValue(field, profile, value) : value] as const];
    });
    return Object.fromEntries(kept);
  }

  function readonlyViolation(place: readonly string[]): ContractViolation {
    const expected = refused ? 'expected to be left out' : 'the service ignores it';
    return {
      location: ['request', 'body', ...place],
      severity: refused ? 'Error' : 'Warning',
      code: 'readOnly',
      message: `Request body property ${place.join('.')} is readonly; ${expected}`,
    };
  }
}
