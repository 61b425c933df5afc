import type { Catalogue } from '../../spec/catalogue/catalogue.ts';
import { UsageError, unexpected } from '../../spec/files/usage-error.ts';
import { DEFAULT_PROFILE } from '../../spec/profile/profile.ts';
import type { Value } from '../../spec/types/wire-type.ts';
import { createWireCheck } from '../assert/wire-check.ts';

/**
 * Values that are wanted in all that is made, from texts such as `customer.disableNotifications=true`; by
 * `model.field`. Throws UsageError for a field that no client may send, and for a value that is none of its type.
 */
export function readPins(texts: readonly string[], catalogue: Catalogue): ReadonlyMap<string, Value> {
  const fields = [...catalogue.models.values()].flatMap((model) => model.fields);
  const writable = new Map(fields.filter((field) => !field.readonly).map((field) => [field.key, field]));
  const check = createWireCheck({ catalogue, profile: DEFAULT_PROFILE, references: new Map() });
  return new Map(
    texts.map((text) => {
      const [key = '', ...rest] = text.split('=');
      const field = writable.get(key);
      if (!field) throw new UsageError(unexpected('the field of --pin', key, [...writable.keys()]));
      if (rest.length === 0) throw new UsageError(`--pin ${text} has no value; expected ${key}=VALUE`);
      const value = readValue(rest.join('='));
      const wrong = check.complaint(field, value);
      if (wrong !== undefined) throw new UsageError(`--pin ${key}: ${wrong}`);
      return [key, value];
    }),
  );
}

function readValue(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}
