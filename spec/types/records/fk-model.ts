import { completeList, workingValues } from '../../profile/profile.ts';
import { NO_SCALAR, type WireType } from '../wire-type.ts';

/** `fkModel`: the name of the model that `fkId` points into; the profile may list the allowed ones (`values`). */
export const fkModel: WireType = {
  schema: ({ profile }) => {
    const models = completeList(profile.values, 'fkModel');
    return models ? { type: 'string', enum: models.map(String) } : { type: 'string' };
  },
  encode: (value) => value,
  decode: (wire) => wire,
  sample: (number, { field, profile }) => {
    const models = workingValues(profile.values, 'fkModel');
    // Without a list, the one model that surely exists is the field's own.
    return models?.[number % models.length] ?? field.key.split('.')[0] ?? '';
  },
  edges: () => [],
  counterSamples: ({ profile }) =>
    completeList(profile.values, 'fkModel') ? ['no-model', ...NO_SCALAR] : NO_SCALAR,
};
