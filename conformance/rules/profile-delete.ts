import { valueAt } from '../../spec/json-pointer.ts';
import type { Profile } from '../../spec/profile.ts';
import type { RecordValues } from '../../spec/record-codec.ts';
import { type Answer, isAccepted } from '../api.ts';
import type { CaseContext } from '../context.ts';
import { statusOf } from '../expect.ts';
import { Blocked, Failure, once, type Rule } from '../rule.ts';

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
      afterDelete(context, ({ record, listed, profile }) => {
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
      profile['status.deleted'] === 204
        ? []
        : once((context) =>
            afterDelete(context, ({ answer, id }) => {
              const shown = answerKind(context, answer, id);
              if (shown !== profile['delete.answer'])
                throw new Failure(
                  'a delete answers otherwise',
                  `delete.answer ${profile['delete.answer']}`,
                  `${shown}: ${statusOf(answer)}`,
                );
            }),
          )(),
  },
];

type Aftermath = {
  answer: Answer;
  id: number;
  record?: RecordValues;
  listed?: RecordValues;
  profile: Profile;
};

/** Makes a record, deletes it, and looks where it may still be found. */
async function afterDelete(context: CaseContext, judge: (aftermath: Aftermath) => void): Promise<void> {
  const { api, model, profile } = context;
  const { id } = await context.make();
  const answer = await api.delete(model.name, id);
  if (!isAccepted(answer)) throw new Blocked(`a ${model.name} can't be deleted: ${statusOf(answer)}`);
  context.forget(id);
  const retrieved = await api.retrieve(model.name, id);
  const record = isAccepted(retrieved) ? api.recordIn(retrieved) : undefined;
  const listed = (await context.listed()).find((item) => item.id === id);
  judge({ answer, id, profile, ...(record ? { record } : {}), ...(listed ? { listed } : {}) });
}

function answerKind(
  context: CaseContext,
  answer: Answer,
  id: number,
): 'record' | 'none' | 'flag' | 'something else' {
  if (answer.body === '') return 'none';
  if (context.api.recordIn(answer)?.id === id) return 'record';
  return [true, 1].includes(valueAt(answer.json, '/deleted') as never) ? 'flag' : 'something else';
}
