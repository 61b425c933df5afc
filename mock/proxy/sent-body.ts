import type { Catalogue, Model } from '../../spec/catalogue/catalogue.ts';
import type { Profile } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { parseForm } from '../../spec/wire/form.ts';
import { indexFields, isFields, type Place, prepareFields } from '../operations/sent-fields.ts';
import type { ContractViolation } from '../prism/inspection.ts';

/** A body for the schema of the document to check, and what is wrong with it beside that. */
type SentBody = { readonly body: unknown; readonly violations: readonly ContractViolation[] };

/**
 * Prepares the body of a create or update for Prism, which knows no readonly fields of a body, does not name the
 * unknown ones, and reads no lists of objects from forms.
 */
export function createSentBodyReader(
  catalogue: Catalogue,
  profile: Profile,
): (model: Model, operation: 'create' | 'update', value: unknown) => SentBody {
  const index = indexFields(catalogue);
  const isForm = profile['request.encoding'] === 'form';
  return (model, operation, value) => {
    try {
      const sent = (isForm ? parseForm(String(value ?? '')) : value) as Value;
      if (!isFields(sent)) return { body: sent, violations: [] };
      const violations: ContractViolation[] = [];
      const onReadonly = (place: Place) => violations.push(readonlyViolation(place.map(String), profile));
      const onUnknown = (place: Place) => {
        if (profile['request.unknownFields'] === 'ignore') return 'keep';
        violations.push(unknownViolation(place.map(String)));
        return 'leave-out';
      };
      const options = { index, operation, profile, onReadonly, onUnknown };
      return { body: prepareFields(model.name, sent, options), violations };
    } catch (error) {
      const message = `Request body is not a valid form: ${(error as Error).message}`;
      return { body: undefined, violations: [{ location: ['request', 'body'], severity: 'Error', message }] };
    }
  };
}

function unknownViolation(place: readonly string[]): ContractViolation {
  return {
    location: ['request', 'body', ...place],
    severity: 'Error',
    code: 'additionalProperties',
    message: `Request body property ${place.join('.')} is not a field of the model`,
  };
}

function readonlyViolation(place: readonly string[], profile: Profile): ContractViolation {
  const refused = profile['request.readonlyFields'] === 'reject';
  return {
    location: ['request', 'body', ...place],
    severity: refused ? 'Error' : 'Warning',
    code: 'readOnly',
    message: `Request body property ${place.join('.')} is readonly, ${refused ? 'so the service rejects it' : 'so the service ignores it'}`,
  };
}
