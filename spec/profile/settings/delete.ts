import { oneOf } from '../kinds.ts';

/** What a delete does, and answers. */
export const deleteSettings = {
  'delete.effect': oneOf(['mark', 'remove'], {
    section: '4, rule 6',
    about: 'Whether a delete sets deleted or removes the record.',
  }),
  'delete.answer': oneOf(['record', 'none', 'flag'], {
    section: '4',
    about: 'What a delete answers; the record as it was left, no body, or an object with deleted alone.',
  }),
  'delete.readable': oneOf([true, false], {
    when: { 'delete.effect': 'mark' },
    section: '4, rule 6',
    about: 'Whether a record that is marked as deleted can still be retrieved.',
  }),
  'delete.listed': oneOf([false, true], {
    when: { 'delete.effect': 'mark' },
    section: '4, rule 6',
    about: 'Whether records that are marked as deleted stand in lists.',
  }),
};
