import { withArticle } from '../../spec/article.ts';
import { fieldOf } from '../../spec/catalogue/roles.ts';
import { isBodiless, type Profile } from '../../spec/profile/profile.ts';
import { type ApiResponse, isAccepted } from '../api/answer.ts';
import type { ModelApi } from '../api/api.ts';
import { findRecord, type Id, isId, isObject } from '../api/places.ts';
import { blocked, failure } from '../assert/ending.ts';
import { statusOf } from '../cases/assert.ts';
import type { CaseContext } from '../cases/rule.ts';
import { isMarked } from '../records/identity.ts';
import { type Aftermath, deletion } from '../rules/shared.ts';
import { type Findings, found, type Observation, type Observed, seen } from './observation.ts';
import type { Probe } from './probe.ts';

/** Deletes a record that the case created, and looks for it (section 4, rule 6). */
export const deleteObservations: readonly Observation[] = [
  {
    name: 'delete.effect',
    title: 'Delete removes or marks the record, and shows the mark, as set in the profile',
    requirement: 'deletion-not-shown',
    needs: ['create', 'retrieve', 'delete'],
    applies: (_, model) => fieldOf(model, 'deleted') !== undefined,
    observe: (context) =>
      afterDelete(context, ({ answer, list, listed, record, retrieved }) => {
        const { 'delete.effect': own } = context.profile;
        const shown = record ?? listed;
        const evidence = (listed === undefined ? retrieved : list) ?? answer;
        if (!shown) return seen('remove', evidence);
        if (own !== 'remove' && !isMarked(context.model, shown))
          return { none: `a delete returned ${answer.status} but did not change the record` };
        const effect = effectOf(record !== undefined, listed !== undefined);
        // Without a list, nothing shows whether it has the record.
        return list ? seen(effect, evidence) : { ...seen(effect, evidence), alike: ['mark', 'mark-listed'] };
      }),
  },
  {
    name: 'delete.answer',
    title: 'Delete returns the record, nothing, or a flag, as set in the profile',
    requirement: 'operation-delete',
    needs: ['create', 'delete'],
    applies: ({ profile }) => !isBodiless(profile['status.deleted']),
    observe: (context) =>
      afterDelete(context, ({ answer, id }) => {
        const shown = answerOf(context.api, id, answer);
        if (shown !== undefined) return seen(shown, answer);
        throw failure(
          'a delete returns another body',
          'delete.answer record, none, or flag',
          statusOf(answer),
          answer.exchange,
        );
      }),
  },
];

/** Looks for records that are marked as deleted and listed all the same, if learn can't delete any. */
export const seenDeletionProbe: Probe = {
  settings: ['delete.effect'],
  needs: 'reading',
  async run({ api, readOnlyBecause, survey }): Promise<Findings> {
    // The observations say more.
    if (readOnlyBecause === undefined) return {};
    const marked = (await survey.records()).find(
      ({ from, model, record }) =>
        from === 'list' &&
        isMarked(model, record) &&
        model.operations.includes('retrieve') &&
        isId(record.id),
    );
    if (!marked) throw blocked('no list contains a record that is marked as deleted');
    const after = await api.retrieve(marked.model.name, marked.record.id as Id);
    const isReadable = isAccepted(after) && findRecord(marked.model, after.json) !== undefined;
    return { 'delete.effect': found(effectOf(isReadable, true), after) };
  },
};

/** Returns the effect of a delete after which a retrieve, a list, or both show the record. */
function effectOf(isReadable: boolean, isListed: boolean): Profile['delete.effect'] {
  if (!isReadable) return 'mark-only-listed';
  return isListed ? 'mark-listed' : 'mark';
}

/** A refused delete shows nothing. */
async function afterDelete(
  context: CaseContext,
  judge: (aftermath: Aftermath) => Observed,
): Promise<Observed> {
  const aftermath = await context.ask(deletion);
  if (isAccepted(aftermath.answer)) return judge(aftermath);
  throw blocked(
    `the target does not accept a delete of ${withArticle(context.model.name)}: ${statusOf(aftermath.answer)}`,
  );
}

/** Returns the option of `delete.answer`. A record counts only at the place in `response.record`. */
function answerOf(api: ModelApi, id: Id, answer: ApiResponse): Profile['delete.answer'] | undefined {
  if (answer.body.trim() === '') return 'none';
  if (String(api.recordIn(answer)?.id) === String(id)) return 'record';
  return isObject(answer.json) && [true, 1].includes(answer.json.deleted as true | 1) ? 'flag' : undefined;
}
