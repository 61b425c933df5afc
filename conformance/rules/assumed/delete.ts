import { isBodiless } from '../../../spec/profile/profile.ts';
import { valueAt } from '../../../spec/wire/json-pointer.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { statusOf } from '../../assert/assert.ts';
import { Blocked, Failure } from '../../assert/failure.ts';
import { type CaseContext, once, type Rule } from '../../plan/rule.ts';
import { type Aftermath, deletion } from '../questions/deletion.ts';

/** What a delete does under the profile: `delete.*`. */
export const profileDeleteRules: readonly Rule[] = [
  {
    id: 'profile.delete.effect',
    title: 'A delete marks the record or removes it, as the profile says',
    requirement: 'deletion-not-shown',
    level: 'assumed',
    setting: 'delete.effect',
    needs: ['create', 'retrieve', 'delete'],
    cases: once((context) =>
      afterDelete(context, ({ record, listed }) => {
        const { profile } = context;
        const shown = record ?? listed;
        if (profile['delete.effect'] === 'remove') {
          if (shown)
            throw new Failure('a deleted record is marked', 'delete.effect remove', 'delete.effect mark');
        } else if (!shown && (profile['delete.readable'] || profile['delete.listed'])) {
          throw new Failure('a deleted record is removed', 'delete.effect mark', 'delete.effect remove');
        }
      }),
    ),
  },
  {
    id: 'profile.delete.readable',
    title: 'A record that is marked as deleted can be retrieved, or not, as the profile says',
    requirement: 'deletion-not-shown',
    level: 'assumed',
    setting: 'delete.readable',
    needs: ['create', 'retrieve', 'delete'],
    cases: (model, { profile }) =>
      profile['delete.effect'] === 'remove' || !model.fields.some(({ name }) => name === 'deleted')
        ? []
        : once((context) =>
            afterDelete(context, ({ record }) => {
              if ((record !== undefined) !== profile['delete.readable'])
                throw new Failure(
                  'retrieving a deleted record',
                  `delete.readable ${profile['delete.readable']}`,
                  `delete.readable ${record !== undefined}`,
                );
            }),
          )(),
  },
  {
    id: 'profile.delete.listed',
    title: 'A record that is marked as deleted stands in the list, or not, as the profile says',
    requirement: 'deletion-not-shown',
    level: 'assumed',
    setting: 'delete.listed',
    needs: ['create', 'retrieve', 'list', 'delete'],
    cases: (model, { profile }) =>
      profile['delete.effect'] === 'remove' || !model.fields.some(({ name }) => name === 'deleted')
        ? []
        : once((context) =>
            afterDelete(context, ({ listed }) => {
              if ((listed !== undefined) !== profile['delete.listed'])
                throw new Failure(
                  'a deleted record in the list',
                  `delete.listed ${profile['delete.listed']}`,
                  `delete.listed ${listed !== undefined}`,
                );
            }),
          )(),
  },
  {
    id: 'profile.delete.answer',
    title: 'A delete answers with the record, nothing, or a flag, as the profile says',
    requirement: 'operation-delete',
    level: 'assumed',
    setting: 'delete.answer',
    needs: ['create', 'delete'],
    cases: (_, { profile }) =>
      isBodiless(profile['status.deleted'])
        ? []
        : once((context) =>
            afterDelete(context, ({ answer, id }) => {
              const shown = answerKind(context, answer, id);
              if (shown !== profile['delete.answer'])
                throw new Failure(
                  'a delete answers otherwise',
                  `delete.answer ${profile['delete.answer']}`,
                  `${shown}: ${statusOf(answer)}`,
                  answer.exchange,
                );
            }),
          )(),
  },
];

/** A refused delete is not judged. */
async function afterDelete(context: CaseContext, judge: (aftermath: Aftermath) => void): Promise<void> {
  const aftermath = await context.ask(deletion);
  if (!isAccepted(aftermath.answer))
    throw new Blocked(`a ${context.model.name} can't be deleted: ${statusOf(aftermath.answer)}`);
  judge(aftermath);
}

function answerKind(
  context: CaseContext,
  answer: Answer,
  id: Id,
): 'record' | 'none' | 'flag' | 'something else' {
  if (answer.body === '') return 'none';
  if (context.api.recordIn(answer)?.id === id) return 'record';
  return [true, 1].includes(valueAt(answer.json, '/deleted') as never) ? 'flag' : 'something else';
}
