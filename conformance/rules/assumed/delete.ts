import { withArticle } from '../../../spec/article.ts';
import type { Model } from '../../../spec/catalogue/catalogue.ts';
import { fieldOf } from '../../../spec/catalogue/roles.ts';
import type { Contract } from '../../../spec/contract.ts';
import { isBodiless } from '../../../spec/profile/profile.ts';
import { valueAt } from '../../../spec/wire/json-pointer.ts';
import type { RecordValues } from '../../../spec/wire/record-codec.ts';
import { type Answer, isAccepted } from '../../api/answer.ts';
import type { Id } from '../../api/places.ts';
import { statusOf } from '../../assert/assert.ts';
import { Blocked, OtherOption } from '../../assert/failure.ts';
import { type Assumption, type CaseContext, once, onceWhere } from '../../plan/rule.ts';
import { type Aftermath, deletion } from '../questions/deletion.ts';

/** What a delete does under the profile: `delete.*`. */
export const profileDeleteRules: readonly Assumption[] = [
  {
    title: 'Delete marks or removes the record, as set in the profile',
    requirement: 'deletion-not-shown',
    setting: 'delete.effect',
    needs: ['create', 'retrieve', 'delete'],
    cases: once((context) =>
      afterDelete(context, ({ record, listed }) => {
        const { profile } = context;
        const shown = record ?? listed;
        if (profile['delete.effect'] === 'remove') {
          if (shown)
            throw new OtherOption(
              'the target marks a deleted record',
              'delete.effect remove',
              'delete.effect mark',
            );
        } else if (!shown && (profile['delete.readable'] || profile['delete.listed'])) {
          throw new OtherOption(
            'the target removes a deleted record',
            'delete.effect mark',
            'delete.effect remove',
          );
        }
      }),
    ),
  },
  {
    title: 'A record marked as deleted is available to a retrieve or not, as set in the profile',
    requirement: 'deletion-not-shown',
    setting: 'delete.readable',
    needs: ['create', 'retrieve', 'delete'],
    cases: onceWhere(isMarked, (context) =>
      afterDelete(context, ({ record }) =>
        expectShown(context, 'delete.readable', record, 'retrieving a deleted record'),
      ),
    ),
  },
  {
    title: 'A list includes a record marked as deleted or not, as set in the profile',
    requirement: 'deletion-not-shown',
    setting: 'delete.listed',
    needs: ['create', 'retrieve', 'list', 'delete'],
    cases: onceWhere(isMarked, (context) =>
      afterDelete(context, ({ listed }) =>
        expectShown(context, 'delete.listed', listed, 'a deleted record in the list'),
      ),
    ),
  },
  {
    title: 'Delete returns the record, nothing, or a flag, as set in the profile',
    requirement: 'operation-delete',
    setting: 'delete.answer',
    needs: ['create', 'delete'],
    cases: onceWhere(
      ({ profile }) => !isBodiless(profile['status.deleted']),
      (context) =>
        afterDelete(context, ({ answer, id }) => {
          const wanted = context.profile['delete.answer'];
          const shown = answerKind(context, answer, id);
          if (shown !== wanted)
            throw new OtherOption(
              'a delete returns another body',
              `delete.answer ${wanted}`,
              `${shown}: ${statusOf(answer)}`,
              answer.exchange,
            );
        }),
    ),
  },
];

/** Whether a delete leaves a record that has a mark. */
function isMarked({ profile }: Contract, model: Model): boolean {
  return profile['delete.effect'] !== 'remove' && fieldOf(model, 'deleted') !== undefined;
}

function expectShown(
  { profile }: CaseContext,
  setting: 'delete.readable' | 'delete.listed',
  record: RecordValues | undefined,
  what: string,
): void {
  const isShown = record !== undefined;
  if (isShown !== profile[setting])
    throw new OtherOption(what, `${setting} ${profile[setting]}`, `${setting} ${isShown}`);
}

/** A refused delete is not judged. */
async function afterDelete(context: CaseContext, judge: (aftermath: Aftermath) => void): Promise<void> {
  const aftermath = await context.ask(deletion);
  if (!isAccepted(aftermath.answer))
    throw new Blocked(
      `the target does not accept a delete of ${withArticle(context.model.name)}: ${statusOf(aftermath.answer)}`,
    );
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
