import type { Field } from '../../spec/catalogue/field.ts';
import { type Profile, SETTINGS, typeSetting } from '../../spec/profile/profile.ts';
import { WIRE_TYPES } from '../../spec/types/types.ts';

const ADDRESSES: readonly string[] = ['email', 'url', 'image'];
/** Section 2, last paragraph. */
const FORM_NOT_SHOWN: readonly string[] = [
  'fkModel',
  'manyToMany',
  'image',
  'duration',
  'daysOfWeek',
  'currency',
  'percent',
  'select',
];

/**
 * Whether a value may be one of the field in some form: the source does not show the form of its type, and an option
 * has values of this JSON kind. An address that is none is still a text.
 */
export function mayHaveForm(field: Field, value: unknown, profile: Profile): boolean {
  if (ADDRESSES.includes(field.type)) return typeof value === 'string';
  return FORM_NOT_SHOWN.includes(field.type) && kindsOf(field, profile).includes(kindOf(value));
}

/** The JSON kinds that a value of the field has under one option or another. */
function kindsOf(field: Field, profile: Profile): string[] {
  const setting = typeSetting(field);
  const options = SETTINGS.find(({ name }) => name === setting)?.variants ?? [];
  return options.map((option) => {
    const spoken = setting === undefined ? profile : Object.assign({ ...profile }, { [setting]: option });
    const { type } = WIRE_TYPES[field.type].schema({ field, profile: spoken });
    return type === 'integer' ? 'number' : String(type);
  });
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
