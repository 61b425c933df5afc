import { oneOf } from '../kinds.ts';

/** The effect of a delete and its response. */
export const deleteSettings = {
  'delete.effect': oneOf(['mark', 'remove'], {
    section: '4, rule 6',
    about: 'Whether a delete sets the field deleted or removes the record.',
  }),
  'delete.answer': oneOf(['record', 'none', 'flag'], {
    section: '4',
    about:
      'The response to a delete. record is the deleted record, none is no body, flag is an object with only the field deleted.',
  }),
  'delete.readable': oneOf([true, false], {
    when: { 'delete.effect': 'mark' },
    section: '4, rule 6',
    about: 'Whether clients can still retrieve a record that is marked as deleted.',
  }),
  'delete.listed': oneOf([false, true], {
    when: { 'delete.effect': 'mark' },
    section: '4, rule 6',
    about: 'Whether lists include records that are marked as deleted.',
  }),
};
